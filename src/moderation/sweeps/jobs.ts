import { setTimeout as pause } from 'node:timers/promises'
import { transact } from '../../core/database/transaction.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { HOUR, MIB, MINUTE } from '../../core/runtime/units.ts'
import { openRuleScanner } from '../../scan/embedded.ts'
import { type Scanner, ScannerUnavailable } from '../../scan/scanner.ts'
import { type ScannedZip, scanStoredZip } from '../../scan/stored-zip.ts'
import {
  type FileOfSweep,
  finishSweep,
  nextFileOfSweep,
  type RuleMatch,
  readRuleSweep,
  storeScannedFile,
} from './queries.ts'
import { MAX_MATCHES } from './sweep-input.ts'

/** A sweep is not urgent: it leaves the disk and the processor to players and uploads. */
const MAX_BYTES_PER_SECOND = 32 * MIB
/** Between the path of a zip and a path in it. */
const NESTED = ' › '
/** How long one run takes; then the sweep continues in the next one. */
const RUN_MS = 10 * MINUTE * 1000

/**
 * Tries a rule on one file after the other. Each file is stored with its matches, so a sweep whose
 * process dies continues with the file it was at.
 */
export const runSweep = job<{ sweep_uid: string }>({
  name: 'moderation.run-sweep',
  retries: 1000,
  backoff_seconds: [1, MINUTE],
  expire_seconds: 3 * HOUR,
  concurrency: 1,
  async handle({ core, data: { sweep_uid }, signal, finish }) {
    const sweep = await readRuleSweep(core.sql, sweep_uid)
    if (!sweep) return
    const scanner = openRuleScanner(sweep.rule)
    const run_until = Date.now() + RUN_MS
    try {
      for (let total = 0; total < MAX_MATCHES; ) {
        const file = await nextFileOfSweep(core.sql, sweep)
        if (!file) break
        if (Date.now() > run_until)
          return await finish((tx) => core.jobs.send(tx, 'moderation.run-sweep', { sweep_uid }))
        const scanned = await scanSlowly(core, file, scanner, signal)
        const stored = await transact(core.sql, (tx) => storeScannedFile(tx, sweep, scanned))
        if (stored === undefined) throw new Error('Another run has scanned the file')
        sweep.last_file_uid = file.uid
        total = stored
      }
      await finish((tx) => finishSweep(tx, sweep_uid))
    } finally {
      await scanner.close()
    }
  },
})

async function scanSlowly(core: Core, file: FileOfSweep, scanner: Scanner, signal: AbortSignal) {
  const started = Date.now()
  const scanned = await scanFile(core, file, scanner, signal)
  const rest = (file.size / MAX_BYTES_PER_SECOND) * 1000 - (Date.now() - started)
  if (rest > 0) await pause(rest, undefined, { signal })
  return { file_uid: file.uid, ...scanned }
}

/** A file that cannot be scanned is counted, and does not stop the sweep. */
async function scanFile(core: Core, file: FileOfSweep, scanner: Scanner, signal: AbortSignal) {
  try {
    const matches = matchesOf(await scanStoredZip(core, file, scanner, signal))
    return { matches, has_failed: false }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ScannerUnavailable) throw error
    const { message } = error as Error
    core.log.warn({ file_uid: file.uid, error: message }, 'a sweep could not scan a file')
    return { matches: [], has_failed: true }
  }
}

/**
 * The entries that matched. A match in a zip within the file counts for the entry that contains it.
 * Empty entries are in most files and say nothing.
 */
function matchesOf({ entries, findings }: ScannedZip): RuleMatch[] {
  const paths = new Set(findings.flatMap(({ path }) => outerPaths(path)))
  return entries
    .filter(({ path }) => !path.endsWith('/'))
    .map(({ path, size, sha256 }, index) => ({ position: index + 1, path, size, sha256 }))
    .filter(({ path, size }) => size > 0 && paths.has(path))
    .map(({ position, path, sha256 }) => ({ position, path, sha256: sha256.toString('hex') }))
}

/** A path and those that may contain it: `a › b › c` is in `a › b` and `a`. */
const outerPaths = (path: string): string[] => {
  const parts = path.split(NESTED)
  return parts.map((_, index) => parts.slice(0, index + 1).join(NESTED))
}
