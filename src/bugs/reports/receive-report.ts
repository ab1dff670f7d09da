import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { findBuild } from '../../builds/builds/queries.ts'
import {
  answerOnce,
  findEarlierAnswer,
  fingerprintOf,
  idempotencyUid,
  type KeyedRequest,
  openEarlierAnswer,
} from '../../core/database/idempotency-keys.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { secondsUntilMidnight } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { invalidField } from '../../listings/fields/text.ts'
import { announcedBytes, type Room, readRoom, reserveQuota } from '../../listings/storage/quota.ts'
import { type RecordedCrash, recordAnnounced } from '../../telemetry/crashes/record.ts'
import { createDeliveries } from '../deliveries/create-deliveries.ts'
import type { Game } from '../deliveries/payload.ts'
import { lockReceivers } from '../deliveries/receiver-queries.ts'
import {
  FORM_OVERHEAD,
  type LaterFile,
  type Report,
  readReportForm,
  readReportJson,
} from './form.ts'
import { insertReport, type NewReport, readReportContext, setCrash } from './queries.ts'
import { type Reporter, type ReportSource, reportField } from './report-fields.ts'
import { screenshotKey } from './screenshots.ts'

export type CreatedTicket = {
  bug_uid: string
  status: 'open'
  created_at: string
  crash_id?: string
  uploads?: RecordedCrash['uploads']
}

/** A report about to be filed. */
type Filing = {
  game: Game
  has_webhooks: boolean
  /** The uid that the ticket will have. */
  uid: string
  source: ReportSource
  reporter: Reporter
}

type ReportSender = { source: ReportSource; game_uid: string; reporter: Reporter }

/**
 * Receives a report: checks whether it may be filed, reads the form (or JSON, where the route takes
 * it), and files the ticket with its deliveries. A repetition with the same Idempotency-Key gets
 * the first ticket again, also if no more reports may be filed by then.
 */
export async function receiveReport(
  core: Core,
  request: IncomingMessage,
  sender: ReportSender,
): Promise<CreatedTicket> {
  const key_uid = idempotencyUid(request.headers, {
    kind: 'bug report',
    caller: JSON.stringify([sender.reporter.user_uid, sender.reporter.extstore_id]),
  })
  const earlier = key_uid && (await findEarlierAnswer(core.sql, key_uid))
  if (earlier) {
    const { fingerprint } = await readContent(request, sender, { storage: false, key: '' })
    return openEarlierAnswer(core, earlier, fingerprint)
  }
  const filing = await prepareFiling(core, sender)
  const key = screenshotKey({ uid: filing.uid, game_uid: filing.game.uid })
  // The log of a JSON report, which is small, is checked when it is stored.
  const room = isJson(request, sender) ? 'enough' : await readRoomFor(core, filing, request)
  const storage = room !== 'none' && core.storage
  const { report, fingerprint } = await readContent(request, sender, { storage, key })
  crashPoint('report-received')
  try {
    const keyed = key_uid === undefined ? undefined : { uid: key_uid, fingerprint }
    const { ticket, is_without_files } = await fileReport(core, filing, report, { room, keyed })
    crashPoint('report-filed')
    if (report.screenshot && is_without_files) await core.storage.discard(key)
    return ticket
  } catch (error) {
    // Any other error may come after the commit; then the sweep removes what has no ticket.
    if (report.screenshot && error instanceof Refusal) await core.storage.discard(key)
    throw error
  }
}

const isJson = ({ headers }: IncomingMessage, { source }: ReportSender) =>
  source === 'store' && /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')

/**
 * Reads a report. Its fingerprint is made of what it says and not of the bytes of the form, in
 * which every attempt has another boundary.
 */
async function readContent(
  request: IncomingMessage,
  sender: ReportSender,
  target: { storage: Storage | false; key: string },
): Promise<{ report: Report; fingerprint: string }> {
  const hash = request.headers['idempotency-key'] === undefined ? undefined : createHash('sha256')
  const report = isJson(request, sender)
    ? await readReportJson(request)
    : await readReportForm({ ...target, hash }, request)
  const { screenshot: _, ...text } = report
  const { source, game_uid } = sender
  const fingerprint = hash
    ? fingerprintOf({ source, game_uid, text, image: hash.digest('hex') })
    : ''
  return { report, fingerprint }
}

/** Without room for its files a report is kept alone. */
const readRoomFor = (core: Core, { game }: Filing, request: IncomingMessage): Promise<Room> =>
  readRoom(core, {
    game_uid: game.uid,
    sender: 'players',
    bytes: announcedBytes(request, FORM_OVERHEAD),
  })

/** Refuses a report that may not be filed before any of it is read. */
async function prepareFiling(
  core: Core,
  { source, game_uid, reporter }: Pick<Filing, 'source' | 'reporter'> & { game_uid: string },
): Promise<Filing> {
  const context = (await readReportContext(core.sql, game_uid, reporter)) ?? refuse('NOT_FOUND')
  if (source === 'game' && !context.enabled)
    refuse(
      'FORBIDDEN',
      undefined,
      explain('bug_reporter_off', 'The bug reporter of this game is turned off'),
    )
  if (context.cap_reached) refuseUntilTomorrow()
  return {
    game: { uid: context.uid, name: context.name },
    has_webhooks: context.webhook_urls.length > 0,
    uid: uuidv7(),
    source,
    reporter: { user_uid: reporter.user_uid, extstore_id: context.extstore_id },
  }
}

function refuseUntilTomorrow(): never {
  const seconds = secondsUntilMidnight()
  refuse('BUG_REPORT_LIMIT_REACHED', { retry_after: seconds }, undefined, {
    'retry-after': String(seconds),
  })
}

/** The files are stored. Files the ticket, its count and its deliveries together or not at all. */
async function fileReport(
  core: Core,
  filing: Filing,
  report: Report,
  { room, keyed }: { room: Room; keyed: KeyedRequest | undefined },
): Promise<FiledTicket> {
  const { game, uid, source, reporter } = filing
  const { log, screenshot, later_files, ...text } = report
  const draft = {
    ...text,
    ...reporter,
    uid,
    game_uid: game.uid,
    source,
    has_log: log !== null,
    log_size: log === null ? null : Buffer.byteLength(log),
    screenshot_type: screenshot?.type ?? null,
    screenshot_size: screenshot?.size ?? null,
  }
  const must_fit = room !== 'ample' && storedBytes(draft) > 0
  // Without webhooks one statement is enough, unless a webhook was added meanwhile.
  const inserted =
    filing.has_webhooks || later_files.length || must_fit || keyed
      ? undefined
      : await insertDraft(core.sql, draft, log, { without_webhooks: true })
  const filed = inserted
    ? toTicket(draft, inserted)
    : await fileOnce(core, keyed, (tx) =>
        fileWithDeliveries(core, tx, { game, draft }, { log, later_files, must_fit }),
      )
  if (filed) return filed
  // The settings or the count changed since the first check, which now refuses with the reason.
  await prepareFiling(core, { source, game_uid: game.uid, reporter })
  return refuse('UNAVAILABLE')
}

/** A ticket, and whether the files of this request are not part of it. */
type FiledTicket = { ticket: CreatedTicket; is_without_files: boolean }

function toTicket(draft: ReportDraft, filed: InsertedReport): FiledTicket {
  const { uid: bug_uid, created_at, crash, screenshot_size } = filed
  const ticket: CreatedTicket = {
    bug_uid,
    status: 'open',
    created_at: created_at.toISOString(),
    ...(crash && { crash_id: crash.id, uploads: crash.uploads }),
  }
  return { ticket, is_without_files: screenshot_size !== draft.screenshot_size }
}

/** If another request with the same key was faster, its ticket is the answer to this one too. */
async function fileOnce(
  core: Core,
  keyed: KeyedRequest | undefined,
  file: (tx: Tx) => Promise<FiledTicket | undefined>,
): Promise<FiledTicket | undefined> {
  return transact(core.sql, async (tx) => {
    let is_without_files = true
    const { answer } = await answerOnce(core, tx, keyed, async () => {
      const filed = await file(tx)
      is_without_files = filed?.is_without_files ?? true
      return filed?.ticket
    })
    return answer && { ticket: answer, is_without_files }
  })
}

type ReportDraft = Omit<NewReport, 'created_at'>
type ReportFiles = Pick<Report, 'log' | 'later_files'> & {
  /** Whether the quota may have no room for them. */
  must_fit: boolean
}
type InsertedReport = NewReport & { crash?: RecordedCrash }

const storedBytes = ({ log_size, screenshot_size }: ReportDraft) =>
  (log_size ?? 0) + (screenshot_size ?? 0)
const noFiles = { has_log: false, log_size: null, screenshot_type: null, screenshot_size: null }

async function insertDraft(
  sql: Sql | Tx,
  draft: ReportDraft,
  log: string | null,
  options: { without_webhooks: boolean },
): Promise<InsertedReport | undefined> {
  const report = { ...draft, created_at: new Date() }
  return (await insertReport(sql, report, log, options)) ? report : undefined
}

/**
 * Uses the webhooks of now, not of when the report began to arrive. The receivers are locked before
 * the ticket gets its time, so that tickets and deliveries have the same order.
 */
async function fileWithDeliveries(
  core: Core,
  tx: Tx,
  { game, draft }: { game: Game; draft: ReportDraft },
  { log, later_files, must_fit }: ReportFiles,
): Promise<FiledTicket | undefined> {
  // Before any other lock, as everywhere where files are recorded.
  const files = { game_uid: game.uid, sender: 'players', bytes: storedBytes(draft) } as const
  const fits = !must_fit || (await reserveQuota(core, tx, files))
  const receivers = await lockReceivers(tx, game.uid)
  const options = { without_webhooks: false }
  const report = fits
    ? await insertDraft(tx, draft, log, options)
    : await insertDraft(tx, { ...draft, ...noFiles }, null, options)
  if (!report) return undefined
  if (receivers.length) await createDeliveries(core, tx, { game, report }, receivers)
  if (!later_files.length) return toTicket(draft, report)
  return toTicket(draft, { ...report, crash: await recordCrash(core, tx, report, later_files) })
}

/**
 * Records a crash of the build that the dump and the log will belong to, and links it to the
 * ticket. The message stays on the ticket, because not everyone who may read crashes may read
 * tickets.
 */
async function recordCrash(
  core: Core,
  tx: Tx,
  report: NewReport,
  later_files: LaterFile[],
): Promise<RecordedCrash> {
  const { game_uid, os, arch, client_version: app_version } = report
  const build =
    (await findBuild(tx, game_uid, report.build_id!)) ??
    invalidField(reportField('build_id'), 'the game has no such build')
  const announced = {
    metadata: { message: 'Sent with a bug report' },
    os,
    arch,
    app_version,
    has_dump: later_files.includes('dump'),
    has_log: later_files.includes('log'),
  }
  const crash = await recordAnnounced(core, tx, { game_uid, build_uid: build.uid }, announced)
  await setCrash(tx, report.uid, crash.id)
  return crash
}
