import { join } from 'node:path'
import { fileKey } from '../builds/files/key.ts'
import { job } from '../core/jobs/index.ts'
import type { Core } from '../core/runtime/core.ts'
import { makeFolder } from '../core/storage/durable-files.ts'
import { ZipError } from '../uploads/zip/directory.ts'
import { zipLimits } from '../uploads/zip/inspect.ts'
import { storedZip } from '../uploads/zip/zip-source.ts'
import { type FileToScan, isRejected, markRemoved, readFileToScan, settleScan } from './queries.ts'
import { openWindows } from './read-windows.ts'
import { ScanFailed } from './scanner.ts'
import { scannerOf } from './scanners.ts'
import { clean, failed, infected, type Outcome } from './states.ts'
import { type HashedEntry, walkZip } from './walk-zip.ts'

const HOUR = 3600
/** A scanner that is away this long is not coming back for this file. */
const PATIENCE_SECONDS = 24 * HOUR
const RETRY_SECONDS = 60

type Result = { outcome: Outcome; entries: HashedEntry[] }

export const scanFile = job<{ file_uid: string }>({
  name: 'scan.file',
  retries: 2 * (PATIENCE_SECONDS / RETRY_SECONDS),
  backoff_seconds: [1, RETRY_SECONDS],
  expire_seconds: 3 * HOUR,
  concurrency: 2,
  async handle({ core, data, signal, finish }) {
    const file = await readFileToScan(core.sql, data.file_uid)
    if (file?.scan !== 'scanning') return
    const { engine } = scannerOf(core.config)
    const { outcome, entries } = await scan(core, file, signal)
    await finish(async (tx) => {
      const settled = await settleScan(tx, file, outcome, engine, entries)
      if (settled && outcome.state !== 'clean')
        await core.jobs.send(tx, 'scan.remove-bytes', {
          file_uid: file.uid,
          game_uid: file.game_uid,
        })
    })
  },
})

/** What may not be downloaded is not kept either; apart from the scan, so that it happens whatever is killed when. */
export const removeBytes = job<{ file_uid: string; game_uid: string }>({
  name: 'scan.remove-bytes',
  async handle({ core, data: { file_uid: uid, game_uid } }) {
    if (!(await isRejected(core.sql, uid))) return
    await core.storage.remove(fileKey({ uid, game_uid }))
    await markRemoved(core.sql, uid)
  },
})

/** Throws only what another try may mend: a scanner or a store that is away. */
async function scan(core: Core, file: FileToScan, signal: AbortSignal): Promise<Result> {
  try {
    return await scanWhole(core, file, signal)
  } catch (error) {
    if (error instanceof ZipError)
      return { outcome: failed(`The zip ${error.message}`), entries: [] }
    if (error instanceof ScanFailed)
      return { outcome: failed(`The scanner could not tell: ${error.message}`), entries: [] }
    if (file.waited_seconds > PATIENCE_SECONDS)
      return {
        outcome: failed('The file could not be scanned for a day; upload it again'),
        entries: [],
      }
    throw error
  }
}

async function scanWhole(core: Core, file: FileToScan, signal: AbortSignal): Promise<Result> {
  const key = fileKey(file)
  const stored = await core.storage.stat(key)
  // Objects may still be on their way to another store.
  if (!stored) throw new Error('The object is not there')
  if (stored.size !== file.size)
    return { outcome: failed('The file is not as long as it was; upload it again'), entries: [] }
  const temp = join(core.config.data_dir, 'uploads')
  await makeFolder(temp)
  const windows = openWindows(scannerOf(core.config), signal)
  const entries = await walkZip(storedZip(core.storage, key, file.size), {
    add: windows.add,
    temp,
    limits: zipLimits(core.config),
  })
  const findings = await windows.end()
  return { outcome: findings.length ? infected(findings) : clean, entries }
}
