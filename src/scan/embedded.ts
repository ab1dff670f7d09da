import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { KIB, MIB } from '../core/runtime/units.ts'
import type { Scanner } from './scanner.ts'
import { openYara, type Yara } from './yara.ts'

const RULES = new URL('./rules.yar', import.meta.url)
const WINDOW = 16 * MIB
const OVERLAP = 64 * KIB

const scanWith =
  (yara: Yara): Scanner['scan'] =>
  async (segments) => {
    const threats = await yara.scan(segments)
    return segments.flatMap(({ path }, index) =>
      threats[index]!.map((threat) => ({ path, threat })),
    )
  }

/** One thread per process. */
const ownRules = openYara({})

/** Our own rules with YARA-X (WebAssembly), in a thread so that it does not block the process. */
export const embeddedScanner: Scanner = {
  engine: 'embedded',
  window: WINDOW,
  overlap: OVERLAP,
  scan: scanWith(ownRules),
  version: async () =>
    createHash('sha256')
      .update(await readFile(RULES))
      .digest('hex'),
  /**
   * A thread that has not started counts as healthy: starting it takes seconds and a hundred
   * megabytes. So does a busy one.
   */
  async probe() {
    if (ownRules.isIdle()) await ownRules.scan([{ path: '', bytes: new Uint8Array(1) }])
  },
}

export type RuleScanner = Scanner & { close: () => Promise<void> }

/**
 * Scans with rules of a moderator, in a thread of its own, so that uploads do not wait for it. A
 * file that is larger than a window is scanned in parts.
 */
export function openRuleScanner(rules: string): RuleScanner {
  const yara = openYara({ rules, separately: !isMonotone(rules) })
  return {
    engine: 'rule',
    window: WINDOW,
    overlap: OVERLAP,
    scan: scanWith(yara),
    version: async () => 'rule',
    probe: async () => {},
    close: yara.close,
  }
}

/** What can make a rule match a file, but not a longer text that contains the file. */
const depends_on_context = new RegExp(
  [
    /\b(?:not|none|filesize|entrypoint|import|at|in|for|fullword|u?int(?:8|16|32)(?:be)?)\b/,
    /==|!=|[<>#@!^]|\\[bB]|\$[|)/]/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/**
 * Whether rules that match a file also match it together with others. Such rules are tried on many
 * small files at once. Words in comments count too, which only costs time.
 */
export const isMonotone = (rules: string): boolean => !depends_on_context.test(rules)

/** Why rules do not compile; undefined if they do. */
export async function findRuleError(rules: string): Promise<string | undefined> {
  const scanner = openRuleScanner(rules)
  try {
    await scanner.scan([{ path: '', bytes: new Uint8Array(1) }], AbortSignal.timeout(60_000))
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await scanner.close()
  }
}
