import type { IncomingMessage } from 'node:http'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { invalidField } from '../../listings/fields/text.ts'
import { type RecordedCrash, recordAnnounced } from '../../telemetry/crashes/record.ts'
import { screenshotKey } from '../deliveries/payload.ts'
import { lockReceivers } from '../deliveries/queries.ts'
import { announce } from '../deliveries/webhooks.ts'
import { type Announced, type Report, readReportForm, readReportJson } from './form.ts'
import { findOwnBuild, insertBug, type NewBug, nameCrash, readReportingContext } from './queries.ts'
import { at, type Reporter, type Source } from './report-fields.ts'

export type Created = {
  bug_uid: string
  status: 'open'
  created_at: string
  crash_id?: string
  uploads?: RecordedCrash['uploads']
}
type Filing = {
  game: { uid: string; name: string }
  webhook_urls: string[]
  uid: string
  source: Source
  reporter: Reporter
}

/** What can be known is known before a byte of the report is read. */
async function openDesk(
  core: Core,
  source: Source,
  game_uid: string,
  { user_uid, ...ids }: Reporter,
): Promise<Filing> {
  const { uid, name, webhook_urls, ...desk } =
    (await readReportingContext(core.sql, game_uid, { user_uid, ...ids })) ?? refuse('NOT_FOUND')
  checkDesk(source, desk)
  return {
    game: { uid, name },
    webhook_urls,
    uid: uuidv7(),
    source,
    reporter: { user_uid, extstore_id: desk.extstore_id },
  }
}

function checkDesk(
  source: Source,
  { enabled, cap_reached }: { enabled: boolean; cap_reached: boolean },
): void {
  if (source === 'game' && !enabled)
    refuse('FORBIDDEN', undefined, 'The bug reporter of this game is off')
  if (!cap_reached) return
  const seconds = 86_400 - Math.floor((Date.now() / 1000) % 86_400)
  refuse('BUG_REPORT_LIMIT_REACHED', { retry_after: seconds }, undefined, {
    'retry-after': String(seconds),
  })
}

/** A form of any size, or JSON on the route that takes it. */
export async function receiveReport(
  core: Core,
  source: Source,
  game_uid: string,
  reporter: Reporter,
  request: IncomingMessage,
): Promise<Created> {
  const filing = await openDesk(core, source, game_uid, reporter)
  const is_json =
    source === 'store' && /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')
  const key = screenshotKey({ uid: filing.uid, game_uid })
  const report = is_json
    ? await readReportJson(request)
    : await readReportForm(core.storage, key, request)
  try {
    return await file(core, filing, report)
  } catch (error) {
    // A transaction whose end is not known may have kept the ticket: then the sweep decides.
    if (report.screenshot && error instanceof Refusal) await core.storage.remove(key)
    throw error
  }
}

/** The files are stored; the ticket, the count and one delivery for each webhook come into being together or not at all. */
async function file(
  core: Core,
  filing: Filing,
  { log, screenshot, announced: wanted, ...text }: Report,
): Promise<Created> {
  const { game, webhook_urls, uid, source, reporter } = filing
  const shot = {
    screenshot_type: screenshot?.type ?? null,
    screenshot_size: screenshot?.size ?? null,
  }
  const draft = {
    ...text,
    ...reporter,
    ...shot,
    source,
    has_log: log !== null,
    uid,
    game_uid: game.uid,
  }
  // Without webhooks one statement does it, unless there are some by now.
  const quiet =
    webhook_urls.length || wanted.length ? undefined : await insertNow(core.sql, draft, log, true)
  const filed = quiet ?? (await announced(core, game, draft, log, wanted))
  // Someone was quicker between the first look and now: what the first look says today is what there is to say.
  if (!filed) return explain(core, filing)
  const { created_at, crash } = filed
  return {
    bug_uid: uid,
    status: 'open',
    created_at: created_at.toISOString(),
    ...(crash && { crash_id: crash.id, uploads: crash.uploads }),
  }
}

type Draft = Omit<NewBug, 'created_at'>
type NowFiled = NewBug & { crash?: RecordedCrash }

async function insertNow(
  sql: Sql | Tx,
  draft: Draft,
  log: string | null,
  quiet = false,
): Promise<NowFiled | undefined> {
  const bug = { ...draft, created_at: new Date() }
  return (await insertBug(sql, bug, log, quiet)) ? bug : undefined
}

/** For the webhooks of now, not of when the report began to arrive. The receivers are locked before the ticket has its time, so that both have one order. */
async function announced(
  core: Core,
  game: Filing['game'],
  draft: Draft,
  log: string | null,
  wanted: Announced[],
): Promise<NowFiled | undefined> {
  return transact(core.sql, async (tx) => {
    const lanes = await lockReceivers(tx, game.uid)
    const bug = await insertNow(tx, draft, log)
    if (bug && lanes.length) await announce(core, tx, game, bug, lanes)
    return bug && wanted.length ? { ...bug, crash: await recordCrash(core, tx, bug, wanted) } : bug
  })
}

/**
 * Where the dump and the log will go: a crash record of the build, which the ticket names. What the player wrote stays on the ticket:
 * those who may read crashes need not be allowed to read bugs.
 */
async function recordCrash(
  core: Core,
  tx: Tx,
  bug: NewBug,
  wanted: Announced[],
): Promise<RecordedCrash> {
  const build =
    (await findOwnBuild(tx, bug.game_uid, bug.build_id!)) ??
    invalidField(at('build_id'), 'there is no such build of this game')
  const { os, arch, client_version: app_version } = bug
  const sent = {
    metadata: { message: 'Sent with a bug report' },
    os,
    arch,
    app_version,
    has_dump: wanted.includes('dump'),
    has_log: wanted.includes('log'),
  }
  const crash = await recordAnnounced(
    core,
    tx,
    { game_uid: bug.game_uid, build_uid: build.uid },
    sent,
  )
  await nameCrash(tx, bug.uid, crash.id)
  return crash
}

async function explain(core: Core, { game, source, reporter }: Filing): Promise<never> {
  await openDesk(core, source, game.uid, reporter)
  return refuse('UNAVAILABLE')
}
