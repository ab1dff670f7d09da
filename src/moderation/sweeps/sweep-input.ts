import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { KIB } from '../../core/runtime/units.ts'

export const MAX_HASHES = 1000
/** The largest rule, in bytes. */
export const MAX_RULE_BYTES = 64 * KIB
/** More matches than a preview can show are more likely a mistake than malware. */
export const MAX_MATCHES = 100_000

export const SHA256 = /^[0-9a-f]{64}$/
/** Empty files are in most builds. */
const EMPTY_FILE = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The hashes of a sweep in lower case, each once. */
export function checkHashes(values: readonly string[]): string[] {
  const hashes = [...new Set(values.map((value) => value.toLowerCase()))]
  if (!hashes.length || !hashes.every((hash) => SHA256.test(hash)))
    refuse(
      'MALFORMED',
      { field: 'sha256' },
      explain('sweep_hash', 'sha256: send hashes of 64 hexadecimal digits'),
    )
  if (hashes.includes(EMPTY_FILE))
    refuse(
      'MALFORMED',
      { field: 'sha256' },
      explain('sweep_empty_file', 'sha256: one of these is the hash of an empty file'),
    )
  return hashes
}

/** A sweep looks for hashes or by a rule. */
export function checkSubject({ sha256, yara }: { sha256?: unknown; yara?: unknown }): void {
  if ((sha256 === undefined) === (yara === undefined))
    refuse('MALFORMED', undefined, explain('sweep_subject', 'Send either sha256 or yara'))
}

/** Refuses text that has no rule, which would match nothing. */
export function checkRuleText(rule: string): void {
  if (Buffer.byteLength(rule) > MAX_RULE_BYTES)
    refuse(
      'MALFORMED',
      { field: 'yara' },
      explain('max_length', `yara: use at most ${MAX_RULE_BYTES} bytes`, {
        count: MAX_RULE_BYTES,
      }),
    )
  if (!/\brule\s+\w/.test(rule)) refuseRule('it has no rule')
}

export const refuseRule = (compiler: string) =>
  refuse(
    'MALFORMED',
    { field: 'yara', compiler },
    explain('sweep_rule', `yara: the rule does not compile: ${compiler}`),
  )

export const refuseTooManyMatches = () =>
  refuse(
    'MALFORMED',
    { field: 'sha256' },
    explain('sweep_matches', `This matches more than ${MAX_MATCHES} entries; use fewer hashes`, {
      count: MAX_MATCHES,
    }),
  )

export type SweepProgress = { finished_at: Date | null; quarantined_at: Date | null }

export const sweepStates = ['running', 'ready', 'quarantined'] as const
export type SweepState = (typeof sweepStates)[number]

export function sweepState({ finished_at, quarantined_at }: SweepProgress): SweepState {
  if (quarantined_at) return 'quarantined'
  return finished_at ? 'ready' : 'running'
}
