import type { IncomingMessage } from 'node:http'
import type { Core } from '../core/core.ts'
import { uuidv7 } from '../core/crypto.ts'
import { Refusal, refuse } from '../core/errors.ts'
import { transact } from '../core/transact.ts'
import { type Report, readReportForm, readReportJson } from './form.ts'
import { screenshotKey } from './payload.ts'
import { insertBug, readDesk, takeReport } from './queries.ts'
import type { Reporter, Source } from './rules.ts'
import { announce } from './webhooks.ts'

export type Created = { bug_uid: string; status: 'open'; created_at: string }
type Filing = { game: { uid: string; name: string }; uid: string; source: Source; reporter: Reporter }

/** What can be known is known before a byte of the report is read. */
async function openDesk(core: Core, source: Source, game_uid: string, reporter: Reporter): Promise<Filing> {
  const desk = (await readDesk(core.sql, game_uid, reporter)) ?? refuse('NOT_FOUND')
  if (source === 'game' && !desk.enabled) reporterOff()
  if (desk.cap_reached) tooManyToday()
  return { game: desk, uid: uuidv7(), source, reporter }
}

const reporterOff = () => refuse('FORBIDDEN', undefined, 'The bug reporter of this game is off')

function tooManyToday(): never {
  const seconds = 86_400 - Math.floor((Date.now() / 1000) % 86_400)
  refuse('BUG_CAP_REACHED', { retry_after: seconds }, undefined, { 'retry-after': String(seconds) })
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
  const is_json = source === 'store' && /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')
  const key = screenshotKey({ uid: filing.uid, game_uid })
  const report = is_json ? await readReportJson(request) : await readReportForm(core.storage, key, request)
  try {
    return await file(core, filing, report)
  } catch (error) {
    // A transaction whose end is not known may have kept the ticket: then the sweep decides.
    if (report.screenshot && error instanceof Refusal) await core.storage.remove(key)
    throw error
  }
}

/** The files are stored; the ticket, the count and one delivery for each webhook come into being together or not at all. */
export async function file(core: Core, { game, uid, source, reporter }: Filing, { log, screenshot, ...text }: Report): Promise<Created> {
  return transact(core.sql, async (tx) => {
    const settings = await takeReport(tx, game.uid, reporter)
    if (settings === 'cap_reached') tooManyToday()
    if (source === 'game' && !settings.enabled) reporterOff()
    const about = { has_log: log !== null, screenshot_type: screenshot?.type ?? null, created_at: new Date() }
    const bug = { ...text, ...about, uid, game_uid: game.uid }
    await insertBug(tx, { ...bug, ...reporter, source, screenshot_size: screenshot?.size ?? null }, log)
    if (settings.webhook_urls.length) await announce(core, tx, game, bug, settings.webhook_urls)
    return { bug_uid: uid, status: 'open', created_at: about.created_at.toISOString() }
  })
}

/** For tools that file a report without a request of their own. */
export async function fileText(core: Core, source: Source, game_uid: string, reporter: Reporter, report: Report): Promise<Created> {
  return file(core, await openDesk(core, source, game_uid, reporter), report)
}
