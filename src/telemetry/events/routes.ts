import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { eventKey, saltedId } from '../salted-ids.ts'
import { type Game, game, identifyGame } from '../schemes.ts'
import { believe, dayOf } from '../timestamps.ts'
import type { KeptEvent } from './aggregate.ts'
import { keepEvents } from './event-buffer.ts'
import { readEvents, type SentEvent } from './fields.ts'
import { readActiveDevices, readEventDays, readNewDevices } from './queries.ts'

const DAY_US = 86_400_000_000
const SHOWN_DAYS = 30

const said = (description: string) => Type.Optional(Type.Unknown({ description }))
/** Loose, because the refusals of wrong events have codes of their own. */
const Sent = Type.Object({
  events: Type.Array(
    Type.Unsafe<unknown>(
      Type.Object({
        event: said(
          'session_start, boot_ok, first_input, session_end, quit, crash, or a name of your own',
        ),
        event_id: said('Yours: an event sent again with the same id counts once'),
        timestamp: said('ISO 8601; without one, the moment it arrives'),
        device_uid: said(
          'Random, and the same each time on one device; kept only as a salted hash',
        ),
        session_id: said('The same for all events of one run'),
        seconds: said('session_end: a whole number from 0 to 86400'),
        ms: said('boot_ok, first_input: 0 to 600000'),
        metadata: said('An object of at most 64 keys'),
      }),
    ),
    { description: 'At most 100' },
  ),
})

/** `keep` is another only where it is compared with what we do. */
export const ingest = (url: string, summary: string, keep = keepEvents) =>
  route({
    method: 'POST',
    url,
    summary,
    description:
      'Answered once the events are on the disk. Send an event_id with each event, and a request can be repeated without counting twice.',
    auth: game,
    fast_path: true,
    limits: [perIp(60, { bucket: 'events' })],
    body: Sent,
    status: 202,
    data: Type.Object({ accepted: Type.Integer() }),
    errors: ['TOO_MANY_EVENTS', 'INVALID_EVENT', 'UNAVAILABLE'],
    async handle({ core, who, body }) {
      const sent = readEvents(body.events)
      const games = await gamesOf(core, who, sent)
      await keep(core, asKept(core, sent, games, Date.now() * 1000))
      return { accepted: sent.length }
    },
  })

export const postEvents = ingest('/api/v1/public/events', 'Send game events')
export const postEventsOlder = ingest(
  '/api/v1/public/events/v1/events',
  'Send game events, by the address that older clients make',
)

/** The game of each event: that of the headers, or the one each event names. */
async function gamesOf(core: Core, who: Game | null, sent: SentEvent[]): Promise<Game[]> {
  if (who) return sent.map(() => who)
  if (sent.length === 0) refuse('GAME_NOT_AUTHENTICATED', undefined, 'Send X-App-Id and X-Build-Id')
  const found = new Map<string, Game>()
  for (const { app_id, build_id } of sent) {
    if (app_id === undefined || build_id === undefined)
      refuse(
        'GAME_NOT_AUTHENTICATED',
        undefined,
        'Send X-App-Id and X-Build-Id, or app_id and build_id in every event',
      )
    const name = `${app_id} ${build_id}`
    if (!found.has(name)) found.set(name, await identifyGame(core, app_id, build_id))
  }
  return sent.map(({ app_id, build_id }) => found.get(`${app_id} ${build_id}`)!)
}

function asKept(core: Core, sent: SentEvent[], games: Game[], now_us: number): KeptEvent[] {
  const times = believe(
    sent.map(({ claimed_us }) => claimed_us),
    now_us,
  )
  const salted = ({ game_uid }: Game, kind: string, id: string | undefined) =>
    id === undefined ? undefined : saltedId(core, game_uid, `${kind}\n${id}`)
  const devices = devicesOf(sent, games)
  return sent.map(({ event, event_id, device_uid, session_id, value, metadata }, i) => {
    const game = games[i]!
    const session = salted(game, 'session', session_id)
    const device =
      salted(game, 'device', device_uid ?? devices.get(`${game.game_uid} ${session_id}`)) ?? session
    const key = event_id === undefined ? undefined : eventKey(game.build_uid, event_id)
    return {
      build_uid: game.build_uid,
      key,
      event,
      at_us: times[i]!,
      device,
      session,
      value,
      metadata,
    }
  })
}

/** The device of each run, where any event of the request names it: one that does not is of the same device. */
function devicesOf(sent: SentEvent[], games: Game[]): Map<string, string> {
  const devices = new Map<string, string>()
  if (sent.every(({ device_uid }) => device_uid !== undefined)) return devices
  sent.forEach(({ device_uid, session_id }, i) => {
    const name = `${games[i]!.game_uid} ${session_id}`
    if (device_uid !== undefined && session_id !== undefined && !devices.has(name))
      devices.set(name, device_uid)
  })
  return devices
}

export const eventAnalytics = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/event-analytics',
  summary:
    'Thirty days of events, counted by day and name, and of devices: active in each build by day, and by the day they first started the game',
  auth: developer('mcp:analytics.read'),
  params: Type.Object({ uid: Type.String() }),
  data: Type.Object({
    totals: Type.Array(Type.Object({ event: Type.String(), count: Type.Integer() })),
    daily: Type.Array(
      Type.Object({ day: Type.String(), event: Type.String(), count: Type.Integer() }),
    ),
    new_devices: Type.Array(Type.Object({ day: Type.String(), devices: Type.Integer() })),
    active_devices: Type.Array(
      Type.Object({ build_id: Type.String(), day: Type.String(), devices: Type.Integer() }),
    ),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const since = dayOf(Date.now() * 1000 - (SHOWN_DAYS - 1) * DAY_US)
    const [days, new_devices, active_devices] = await Promise.all([
      readEventDays(sql, uid, since),
      readNewDevices(sql, uid, since),
      readActiveDevices(sql, uid, since),
    ])
    const totals = new Map<string, number>()
    for (const { event, events } of days) totals.set(event, (totals.get(event) ?? 0) + events)
    return {
      totals: [...totals]
        .map(([event, count]) => ({ event, count }))
        .sort((a, b) => b.count - a.count),
      daily: days.map(({ day, event, events }) => ({ day, event, count: events })),
      new_devices,
      active_devices,
    }
  },
})
