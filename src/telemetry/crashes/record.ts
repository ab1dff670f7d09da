import { randomBytes } from 'node:crypto'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { sha256, uuidv7 } from '../../core/security/crypto.ts'
import { requireSynchronousCommit, writeEvents } from '../events/queries.ts'
import { saltedId } from '../salted-ids.ts'
import { correctTimes, dayOf } from '../timestamps.ts'
import { readReport } from './fields.ts'
import { groupByMessage } from './groups.ts'
import {
  type Artifact,
  deleteUnusedLinks,
  findReport,
  insertCrash,
  insertLinks,
  joinGroup,
  readBuildOfCrash,
  setArtifact,
  takeOfDay,
} from './queries.ts'
import { MAX_ARTIFACT, type Received, removeStored } from './receive.ts'

const LINK_SECONDS = 24 * 3600
const kinds = ['dump', 'log'] as const
const filenames: Record<Artifact, string> = { dump: 'dump.dmp', log: 'log.txt' }

export type UploadLink = {
  url: string
  method: 'PUT'
  expires_at: string
  max_bytes: number
  filename: string
}
export type Recorded = { id: string; uploads: Partial<Record<Artifact, UploadLink>> }

/** A report on the disk, with links for what it says is still to come. The same report sent again is the same report. */
export async function recordCrash(core: Core, received: Received): Promise<Recorded> {
  let unused: Received['stored'] = {}
  try {
    const recorded = await transact(core.sql, (tx) => {
      // Run again, it may use what it did not use before.
      unused = {}
      return record(core, tx, received, unused)
    })
    await removeStored(core, unused)
    return recorded
  } catch (error) {
    // A transaction whose end is not known may have kept the report: then the sweep decides.
    if (error instanceof Refusal) await removeStored(core, received.stored)
    throw error
  }
}

/** A record for what somebody is about to send, in the caller's transaction; it says nothing of how well a build starts. */
export const recordAnnounced = (
  core: Core,
  tx: Tx,
  game: Received['game'],
  sent: Record<string, unknown>,
): Promise<Recorded> => record(core, tx, { game, report: readReport(sent), stored: {} }, {})

async function record(
  core: Core,
  tx: Tx,
  { game, report, stored }: Received,
  unused: Received['stored'],
): Promise<Recorded> {
  await requireSynchronousCommit(tx)
  const report_key = report.report_id === undefined ? null : sha256(report.report_id)
  const known = report_key && (await findReport(tx, game.build_uid, report_key))
  if (known) {
    const missing = kinds.filter((kind) => known[`${kind}_key`] === null)
    const came = missing.filter((kind) => stored[kind])
    const wanted = missing.filter((kind) => report[`has_${kind}`] && !stored[kind])
    // What comes in place of a link that was not used was counted with that link.
    const paid = await deleteUnusedLinks(tx, known.uid, [...came, ...wanted])
    await attach(
      core,
      tx,
      known.uid,
      stored,
      await takeUploads(core, tx, game.game_uid, came, paid),
      unused,
    )
    return {
      id: known.uid,
      uploads: await makeLinks(
        core,
        tx,
        known.uid,
        await takeUploads(core, tx, game.game_uid, wanted, paid),
      ),
    }
  }
  if (!(await takeOfDay(tx, game.game_uid, 'reports', 1, core.config.crash_reports_per_day)))
    tooManyToday()
  const uid = await insert(core, tx, { game, report, stored }, report_key)
  const came = kinds.filter((kind) => stored[kind])
  await attach(core, tx, uid, stored, await takeUploads(core, tx, game.game_uid, came), unused)
  const wanted = kinds.filter((kind) => report[`has_${kind}`] && !stored[kind])
  return {
    id: uid,
    uploads: await makeLinks(core, tx, uid, await takeUploads(core, tx, game.game_uid, wanted)),
  }
}

/** Those of the artifacts that the day's cap leaves room for: all, or past it only what is paid for. The report itself is kept all the same. */
async function takeUploads(
  core: Core,
  tx: Tx,
  game_uid: string,
  asked: readonly Artifact[],
  paid: ReadonlySet<Artifact> = new Set(),
): Promise<Artifact[]> {
  const unpaid = asked.filter((kind) => !paid.has(kind)).length
  const allowed =
    unpaid === 0 ||
    (await takeOfDay(tx, game_uid, 'uploads', unpaid, core.config.crash_uploads_per_day))
  return asked.filter((kind) => allowed || paid.has(kind))
}

async function insert(
  core: Core,
  tx: Tx,
  { game, report }: Received,
  report_key: Buffer | null,
): Promise<string> {
  const uid = uuidv7()
  const build = (await readBuildOfCrash(tx, game.build_uid)) ?? refuse('GAME_NOT_AUTHENTICATED')
  const { app_name, engine_version, user_message, anonymous, metadata } = report
  const said = {
    app_version: report.app_version || build.version,
    os: report.os || build.os,
    arch: report.arch || build.arch,
  }
  const group_uid = await joinGroup(
    tx,
    { uid, game_uid: game.game_uid, build, at: new Date() },
    groupByMessage({ ...said, message: report.message }),
    uuidv7(),
  )
  const device = deviceOf(core, game.game_uid, report)
  const none = { dump_key: null, dump_size: null, log_key: null, log_size: null }
  const crash = {
    uid,
    ...game,
    report_key,
    device,
    ...said,
    app_name,
    engine_version,
    user_message,
    anonymous,
    metadata,
    ...none,
  }
  // The same report at the same moment: as for any lost race, once more from the start finds it.
  if (!(await insertCrash(tx, crash, group_uid)))
    throw Object.assign(new Error('the report was just stored'), { code: '40001' })
  if (device) await countDevice(tx, game.build_uid, device, report.claimed_us)
  return uid
}

function deviceOf(
  core: Core,
  game_uid: string,
  { device_uid, session_id }: { device_uid: string | undefined; session_id: string | undefined },
): string | null {
  if (device_uid !== undefined) return saltedId(core, game_uid, `device\n${device_uid}`)
  return session_id === undefined ? null : saltedId(core, game_uid, `session\n${session_id}`)
}

/** For the health of the build a report is as good as a crash event. */
async function countDevice(
  tx: Tx,
  build_uid: string,
  device: string,
  claimed_us: number | undefined,
): Promise<void> {
  const [at_us] = correctTimes([claimed_us], Date.now() * 1000) as [number]
  const day = dayOf(at_us)
  const told = {
    build_uid,
    device,
    last_seen: day,
    days: 1,
    first_boot_us: null,
    last_boot: null,
    first_crash_us: at_us,
    last_crash: day,
  }
  await writeEvents(tx, [], { packs: [], devices: [told], sessions: [], counts: [] })
}

/** What came and is wanted goes to the report; what is not is left in `unused`, to be removed. */
async function attach(
  core: Core,
  tx: Tx,
  uid: string,
  stored: Received['stored'],
  wanted: readonly Artifact[],
  unused: Received['stored'],
): Promise<void> {
  for (const [kind, one] of Object.entries(stored) as [Artifact, { key: string; size: number }][]) {
    if (!wanted.includes(kind) || !(await attachOne(core, tx, uid, kind, one))) unused[kind] = one
  }
}

/** False when the report has one already: what is stored is not replaced. */
export async function attachOne(
  core: Core,
  tx: Tx,
  uid: string,
  kind: Artifact,
  { key, size }: { key: string; size: number },
): Promise<boolean> {
  if (!(await setArtifact(tx, uid, kind, key, size))) return false
  if (kind === 'dump') await core.jobs.send(tx, 'telemetry.walk', { crash_uid: uid })
  return true
}

async function makeLinks(
  core: Core,
  tx: Tx,
  crash_uid: string,
  wanted: readonly Artifact[],
): Promise<Recorded['uploads']> {
  if (wanted.length === 0) return {}
  const expires_at = new Date(Date.now() + LINK_SECONDS * 1000)
  const made = wanted.map((kind) => ({ kind, token: randomBytes(32).toString('base64url') }))
  await insertLinks(
    tx,
    made.map(({ kind, token }) => ({ token_hash: sha256(token), crash_uid, kind, expires_at })),
  )
  const link = (kind: Artifact, token: string): UploadLink => ({
    url: `${core.addresses.base_url}/api/v1/public/crash-uploads/${token}`,
    method: 'PUT',
    expires_at: expires_at.toISOString(),
    max_bytes: MAX_ARTIFACT,
    filename: filenames[kind],
  })
  return Object.fromEntries(made.map(({ kind, token }) => [kind, link(kind, token)]))
}

function tooManyToday(): never {
  const seconds = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000)
  refuse(
    'TOO_MANY_REQUESTS',
    { retry_after: seconds },
    'This game has sent as many crash reports as it may in a day',
    {
      'retry-after': String(seconds),
    },
  )
}
