import { findBlocked, holdBlockedHashes } from '../builds/files/blocked-queries.ts'
import { fileKey } from '../builds/files/key.ts'
import type { Tx } from '../core/database/sql.ts'
import { job } from '../core/jobs/index.ts'
import type { Core } from '../core/runtime/core.ts'
import { crashPoint } from '../core/runtime/crash-point.ts'
import { retention } from '../core/runtime/retention.ts'
import { HOUR } from '../core/runtime/units.ts'
import { readVideoToScan, settleVideoScan, type VideoToScan } from '../listings/trailers/queries.ts'
import { videoKey } from '../listings/trailers/url.ts'
import { ZipError } from '../uploads/zip/directory.ts'
import {
  type FileToScan,
  findRejectedObject,
  markRemoved,
  readFileToScan,
  settleScan,
} from './queries.ts'
import { ScanFailed } from './scanner.ts'
import { scannerFor } from './scanners.ts'
import { clean, type Finding, failed, infected, type Outcome } from './states.ts'
import { StoredFileChanged, scanStoredZip } from './stored-zip.ts'
import type { HashedEntry, WalkedZip } from './walk-zip.ts'
import { checkStoredWebBuild } from './web-builds/check-stored.ts'
import { createScanWindows } from './windows.ts'

/** After this time without an available scanner, the scan fails. */
const MAX_WAIT_SECONDS = 24 * HOUR
const RETRY_SECONDS = 60
/** Content that ends its worker, for example by its memory, is not scanned more often than this. */
const MAX_LOST_RUNS = 3
const endedWorkers = failed(
  `Scanning ended the scanner ${MAX_LOST_RUNS} times; upload it again, or in another form`,
)

type Result = { outcome: Outcome } & WalkedZip

const withoutEntries = (outcome: Outcome): Result => ({ outcome, entries: [], nested: [] })

export const scanFile = job<{ file_uid: string }>({
  name: 'scan.file',
  retries: 2 * (MAX_WAIT_SECONDS / RETRY_SECONDS),
  backoff_seconds: [1, RETRY_SECONDS],
  expire_seconds: 3 * HOUR,
  concurrency: 2,
  async handle({ core, data, signal, finish, lost_runs }) {
    const file = await readFileToScan(core.sql, data.file_uid)
    if (file?.scan !== 'scanning') return
    const { engine } = scannerFor(core.config)
    const {
      outcome: verdict,
      entries,
      nested,
    } = lost_runs < MAX_LOST_RUNS ? await scan(core, file, signal) : withoutEntries(endedWorkers)
    const web =
      file.os === 'web' && verdict.state === 'clean'
        ? await checkStoredWebBuild(core, file)
        : undefined
    crashPoint('scan-done')
    await finish(async (tx) => {
      const blocked = await findBlockedEntries(tx, [...entries, ...nested])
      const outcome = blocked.length ? infected(blocked) : verdict
      const settled = await settleScan(tx, file, { outcome, engine, entries, web })
      if (settled && outcome.state !== 'clean')
        await core.jobs.send(tx, 'scan.remove-bytes', {
          file_uid: file.uid,
          game_uid: file.game_uid,
        })
      if (settled && outcome.state === 'clean' && core.config.patch_bases)
        await core.jobs.send(
          tx,
          'updates.plan-patches',
          { game_uid: file.game_uid },
          { key: file.game_uid },
        )
      crashPoint('scan-settling')
    })
    crashPoint('scan-settled')
  },
})

/** The entries that moderators blocked by their hash. */
async function findBlockedEntries(tx: Tx, entries: HashedEntry[]): Promise<Finding[]> {
  await holdBlockedHashes(tx)
  const hashes = entries.map(({ sha256 }) => sha256.toString('hex'))
  const blocked = await findBlocked(tx, hashes)
  return entries
    .filter((_, index) => blocked.has(hashes[index]!))
    .map(({ path }) => ({ path, threat: 'Content blocked by the moderation team' }))
}

/**
 * Rejected bytes are removed from storage. This is a job of its own, so that it runs even if the
 * process dies after the scan. An object that another file shares stays while that file may be
 * clean.
 */
export const removeBytes = job<{ file_uid: string; game_uid: string }>({
  name: 'scan.remove-bytes',
  // About one an hour, until the record of the file is deleted: then a sweep removes its object.
  retries: 24 * retention.rejected_file_days,
  async handle({ core, data: { file_uid: uid, game_uid } }) {
    const object_uid = await findRejectedObject(core.sql, uid)
    if (!object_uid) return
    await discardRejected(core, fileKey({ object_uid, game_uid }))
    crashPoint('rejected-file-removed')
    await markRemoved(core.sql, object_uid)
  },
})

/** Throws if the object is still stored, so that its removal is tried again. */
async function discardRejected({ storage, owner }: Core, key: string): Promise<void> {
  await storage.discard(key)
  if (!(await storage.stat(key))) return
  // The storage removes nothing while the objects may belong to another database.
  const refusal = await owner.refusal()
  const reason = refusal ? `the clean-up of objects is refused (${refusal})` : 'it is still stored'
  throw new Error(`A rejected file was not removed: ${reason}`)
}

/** Scans the video of a trailer, which is public once it is clean. */
export const scanTrailer = job<{ object_uid: string }>({
  name: 'scan.trailer',
  retries: 2 * (MAX_WAIT_SECONDS / RETRY_SECONDS),
  backoff_seconds: [1, RETRY_SECONDS],
  expire_seconds: HOUR,
  concurrency: 1,
  async handle({ core, data: { object_uid }, signal, finish, lost_runs }) {
    const video = await readVideoToScan(core.sql, object_uid)
    if (!video) return
    const key = videoKey({ game_uid: video.game_uid, object_uid })
    const outcome =
      lost_runs < MAX_LOST_RUNS ? await scanVideo(core, key, video, signal) : endedWorkers
    await finish((tx) => settleVideoScan(tx, object_uid, outcome))
    crashPoint('trailer-scan-settled')
    // If the process dies before this, the sweep of trailers removes the object.
    if (outcome.state !== 'clean') await core.storage.discard(key)
  },
})

async function scanVideo(
  core: Core,
  key: string,
  { size, waited_seconds }: VideoToScan,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const object = await core.storage.get(key)
    // The object may not have been copied to this storage yet; a later attempt finds it.
    if (!object) throw new Error('The object is missing from storage')
    if (object.size !== size) return failed('The size of the stored video has changed')
    const windows = createScanWindows(scannerFor(core.config), signal)
    for await (const chunk of object.stream) await windows.add('video', chunk)
    const findings = await windows.end()
    return findings.length ? infected(findings) : clean
  } catch (error) {
    if (error instanceof ScanFailed) return failed(`The scanner gave no verdict: ${error.message}`)
    if (waited_seconds > MAX_WAIT_SECONDS)
      return failed('The video could not be scanned within a day; upload it again')
    throw error
  }
}

/** Throws only errors that a retry may fix: an unavailable scanner or storage. */
async function scan(core: Core, file: FileToScan, signal: AbortSignal): Promise<Result> {
  try {
    const { findings, ...walked } = await scanStoredZip(core, file, scannerFor(core.config), signal)
    return { outcome: findings.length ? infected(findings) : clean, ...walked }
  } catch (error) {
    if (error instanceof ZipError) return withoutEntries(failed(`The zip ${error.message}`))
    if (error instanceof StoredFileChanged) return withoutEntries(failed(error.message))
    if (error instanceof ScanFailed)
      return withoutEntries(failed(`The scanner gave no verdict: ${error.message}`))
    if (file.waited_seconds > MAX_WAIT_SECONDS)
      return withoutEntries(failed('The file could not be scanned within a day; upload it again'))
    throw error
  }
}
