import { randomBytes } from 'node:crypto'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { DAY, secondsUntilMidnight } from '../../core/runtime/units.ts'
import { sha256, uuidv7 } from '../../core/security/crypto.ts'
import { reserveQuota } from '../../listings/storage/quota.ts'
import { emptyRollup } from '../events/aggregate.ts'
import { requireSynchronousCommit, type Sender, writeEvents } from '../events/queries.ts'
import { saltedId } from '../salted-ids.ts'
import type { Game } from '../schemes.ts'
import { correctTimes, dayOf } from '../timestamps.ts'
import { type Report, readReport } from './fields.ts'
import { groupByMessage } from './groups.ts'
import {
  type Artifact,
  deleteUnusedLinks,
  type ExistingReport,
  findReport,
  insertCrash,
  insertLinks,
  joinGroup,
  readCrashedBuild,
  setArtifact,
  useQuota,
} from './queries.ts'
import {
  MAX_ARTIFACT_BYTES,
  type ReceivedReport,
  removeStored,
  type StoredArtifact,
  type StoredArtifacts,
} from './receive.ts'

const LINK_SECONDS = DAY
const kinds = ['dump', 'log'] as const
const filenames: Record<Artifact, string> = { dump: 'dump.dmp', log: 'log.txt' }

export type UploadLink = {
  url: string
  method: 'PUT'
  expires_at: string
  max_bytes: number
  filename: string
}
export type UploadLinks = Partial<Record<Artifact, UploadLink>>
export type RecordedCrash = { id: string; uploads: UploadLinks }

/** What every step of recording a report needs. */
type Recording = { core: Core; tx: Tx; game: Game; sender: Sender }

export type SentReport = ReceivedReport & { sender: Sender }

/**
 * Records a report, and creates links for the files it announces. Sending a report again changes
 * nothing.
 */
export async function recordCrash(core: Core, received: SentReport): Promise<RecordedCrash> {
  let unused: StoredArtifacts = {}
  try {
    const recorded = await transact(core.sql, async (tx) => {
      const { game, sender } = received
      const result = await record({ core, tx, game, sender }, received)
      unused = result.unused
      crashPoint('crash-recording')
      return result.recorded
    })
    crashPoint('crash-recorded')
    await removeStored(core, unused)
    return recorded
  } catch (error) {
    // After any other error the transaction may have been committed. The files are left to the
    // sweep, which removes them if no report refers to them.
    if (error instanceof Refusal) await removeStored(core, received.stored)
    throw error
  }
}

/**
 * Records, in the caller's transaction, a report whose files will follow. It does not count towards
 * launch health unless it names a device.
 */
export async function recordAnnounced(
  core: Core,
  tx: Tx,
  game: Game,
  fields: Record<string, unknown>,
): Promise<RecordedCrash> {
  const received = { game, report: readReport(fields), stored: {} }
  // The person is signed in; the daily cap of bug reports limits how many devices they can name.
  const sender = { network: null, signed: true }
  return (await record({ core, tx, game, sender }, received)).recorded
}

type RecordResult = {
  recorded: RecordedCrash
  /** Files that were received but not attached; the caller removes them. */
  unused: StoredArtifacts
}

async function record(recording: Recording, received: ReceivedReport): Promise<RecordResult> {
  const { core, tx, game } = recording
  const { report } = received
  await requireSynchronousCommit(tx)
  // Before any other lock, as everywhere where files are recorded.
  const { stored, rejected } = await keepWithinStorage(recording, received.stored)
  const report_key = report.report_id === undefined ? null : sha256(report.report_id)
  const existing = report_key && (await findReport(tx, game.build_uid, report_key))
  if (existing) {
    const result = await addToReport(recording, { ...received, stored }, existing)
    return { ...result, unused: { ...result.unused, ...rejected } }
  }
  const cap = core.config.crash_reports_per_day
  if (!(await useQuota(tx, game.game_uid, { counter: 'reports', count: 1, cap })))
    refuseUntilTomorrow()
  const uid = await insert(recording, report, report_key)
  const arrived = kinds.filter((kind) => stored[kind])
  const allowed = await withinQuota(recording, arrived)
  const unused = await attachArtifacts(recording, uid, stored, allowed)
  const announced = kinds.filter((kind) => report[`has_${kind}`] && !stored[kind])
  const uploads = await createLinks(recording, uid, await withinQuota(recording, announced))
  return { recorded: { id: uid, uploads }, unused: { ...unused, ...rejected } }
}

/** All files, or none if the listing has no room for them: then the report is kept alone. */
async function keepWithinStorage(
  { core, tx, game }: Recording,
  stored: StoredArtifacts,
): Promise<{ stored: StoredArtifacts; rejected: StoredArtifacts }> {
  const bytes = Object.values(stored).reduce((sum, { size }) => sum + size, 0)
  const files = { game_uid: game.game_uid, sender: 'players', bytes } as const
  const fits = bytes === 0 || (await reserveQuota(core, tx, files))
  return fits ? { stored, rejected: {} } : { stored: {}, rejected: stored }
}

/** A report that was sent again may bring files that are still missing. */
async function addToReport(
  recording: Recording,
  { report, stored }: ReceivedReport,
  existing: ExistingReport,
): Promise<RecordResult> {
  const { uid } = existing
  const missing = kinds.filter((kind) => existing[`${kind}_key`] === null)
  const arrived = missing.filter((kind) => stored[kind])
  const announced = missing.filter((kind) => report[`has_${kind}`] && !stored[kind])
  // A file that replaces an unused link was counted when the link was created.
  const counted = await deleteUnusedLinks(recording.tx, uid, [...arrived, ...announced])
  const allowed = await withinQuota(recording, arrived, counted)
  const unused = await attachArtifacts(recording, uid, stored, allowed)
  const linked = await withinQuota(recording, announced, counted)
  return { recorded: { id: uid, uploads: await createLinks(recording, uid, linked) }, unused }
}

/**
 * The artifacts that the daily quota allows: all of them, or else only those that were counted
 * before. The report itself is stored in either case.
 */
async function withinQuota(
  { core, tx, game }: Recording,
  artifacts: readonly Artifact[],
  counted: ReadonlySet<Artifact> = new Set(),
): Promise<Artifact[]> {
  const count = artifacts.filter((kind) => !counted.has(kind)).length
  const cap = core.config.crash_uploads_per_day
  const all_allowed =
    count === 0 || (await useQuota(tx, game.game_uid, { counter: 'uploads', count, cap }))
  return artifacts.filter((kind) => all_allowed || counted.has(kind))
}

async function insert(
  recording: Recording,
  report: Report,
  report_key: Buffer | null,
): Promise<string> {
  const { core, tx, game } = recording
  const uid = uuidv7()
  const build = (await readCrashedBuild(tx, game.build_uid)) ?? refuse('GAME_NOT_AUTHENTICATED')
  const app_version = report.app_version || build.version
  const os = report.os || build.os
  const group_uid = await joinGroup(
    tx,
    { uid, game_uid: game.game_uid, build, at: new Date() },
    groupByMessage({ app_version, os, message: report.message }),
    uuidv7(),
  )
  const device = deviceOf(core, game.game_uid, report)
  const crash = {
    uid,
    ...game,
    report_key,
    device,
    app_name: report.app_name,
    app_version,
    engine_version: report.engine_version,
    os,
    arch: report.arch || build.arch,
    user_message: report.user_message,
    anonymous: report.anonymous,
    metadata: report.metadata,
    dump_key: null,
    dump_size: null,
    log_key: null,
    log_size: null,
  }
  // A concurrent request stored the same report. The code of a serialization failure makes the
  // transaction run again, which then finds that report.
  if (!(await insertCrash(tx, crash, group_uid)))
    throw Object.assign(new Error('the report was just stored'), { code: '40001' })
  if (device) await countCrash(recording, device, report.claimed_us)
  return uid
}

function deviceOf(
  core: Core,
  game_uid: string,
  { device_uid, session_id }: Pick<Report, 'device_uid' | 'session_id'>,
): string | null {
  if (device_uid !== undefined) return saltedId(core, game_uid, `device\n${device_uid}`)
  return session_id === undefined ? null : saltedId(core, game_uid, `session\n${session_id}`)
}

/** For launch health a crash report counts like a crash event. */
async function countCrash(
  { tx, game: { build_uid }, sender }: Recording,
  device: string,
  claimed_us: number | undefined,
): Promise<void> {
  const [at_us] = correctTimes([claimed_us], Date.now() * 1000) as [number]
  const day = dayOf(at_us)
  const rollup = {
    ...emptyRollup(build_uid, device, day, sender),
    first_crash_us: at_us,
    last_crash: day,
  }
  await writeEvents(tx, [], { packs: [], devices: [rollup], sessions: [], counts: [] })
}

/** Attaches the allowed files to a report. Returns the others. */
async function attachArtifacts(
  { core, tx }: Recording,
  uid: string,
  stored: StoredArtifacts,
  allowed: readonly Artifact[],
): Promise<StoredArtifacts> {
  const unused: StoredArtifacts = {}
  for (const kind of kinds) {
    const file = stored[kind]
    if (!file) continue
    const attached = allowed.includes(kind) && (await attachArtifact(core, tx, uid, { kind, file }))
    if (!attached) unused[kind] = file
  }
  return unused
}

/** Returns false if the report already has such a file, which is not replaced. */
export async function attachArtifact(
  core: Core,
  tx: Tx,
  uid: string,
  { kind, file }: { kind: Artifact; file: StoredArtifact },
): Promise<boolean> {
  if (!(await setArtifact(tx, uid, kind, file))) return false
  if (kind === 'dump') await core.jobs.send(tx, 'telemetry.walk', { crash_uid: uid })
  return true
}

async function createLinks(
  { core, tx }: Recording,
  crash_uid: string,
  artifacts: readonly Artifact[],
): Promise<UploadLinks> {
  if (artifacts.length === 0) return {}
  const expires_at = new Date(Date.now() + LINK_SECONDS * 1000)
  const tokens = artifacts.map((kind) => ({ kind, token: randomBytes(32).toString('base64url') }))
  await insertLinks(
    tx,
    tokens.map(({ kind, token }) => ({ token_hash: sha256(token), crash_uid, kind, expires_at })),
  )
  const link = (kind: Artifact, token: string): UploadLink => ({
    url: `${core.addresses.base_url}/api/v1/public/crash-uploads/${token}`,
    method: 'PUT',
    expires_at: expires_at.toISOString(),
    max_bytes: MAX_ARTIFACT_BYTES,
    filename: filenames[kind],
  })
  return Object.fromEntries(tokens.map(({ kind, token }) => [kind, link(kind, token)]))
}

function refuseUntilTomorrow(): never {
  const seconds = secondsUntilMidnight()
  refuse(
    'TOO_MANY_REQUESTS',
    { retry_after: seconds },
    'This game has reached its daily limit of crash reports',
    { 'retry-after': String(seconds) },
  )
}
