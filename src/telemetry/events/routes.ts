import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { daysQuery } from '../../core/http/paging.ts'
import { FreeForm, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import { perIp } from '../../core/security/limits.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { MAX_KEYS } from '../metadata.ts'
import { eventKey, saltedId } from '../salted-ids.ts'
import { type Game, game, identifyGame } from '../schemes.ts'
import { senderOf } from '../senders.ts'
import { correctTimes, DAY_US, dayOf } from '../timestamps.ts'
import type { StoredEvent } from './aggregate.ts'
import { storeEvents } from './event-buffer.ts'
import {
  MAX_EVENTS,
  MAX_ID,
  MAX_MS,
  MAX_NAME,
  MAX_SECONDS,
  readEvents,
  type SentEvent,
  standardEventNames,
} from './fields.ts'
import { readActiveDevices, readEventDays, readNewDevices, type Sender } from './queries.ts'

const optional = Type.Optional
const id = (description: string) => optional(Type.String({ maxLength: MAX_ID, description }))
const Event = Type.Object(
  {
    event: Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      description: `${standardEventNames.join(', ')}, or a name of your own`,
    }),
    event_id: id('Your id; events sent again with the same id count once'),
    timestamp: optional(
      Type.Union([Type.String(), Type.Number()], {
        description: 'ISO 8601 or milliseconds since 1970; defaults to the time of arrival',
      }),
    ),
    device_uid: id('A random id that stays the same on one device; stored only as a salted hash'),
    session_id: id('The same for all events of one run'),
    seconds: optional(
      Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description: 'Of session_end; required' }),
    ),
    ms: optional(
      Type.Number({ minimum: 0, maximum: MAX_MS, description: 'Of boot_ok and first_input' }),
    ),
    metadata: optional(FreeForm(`Facts of your own, at most ${MAX_KEYS} keys`)),
  },
  { title: 'GameEvent', additionalProperties: true },
)
/** The schema checks little, because invalid events have error codes of their own. */
const EventsBody = Type.Object({
  events: Type.Array(Type.Unsafe<unknown>({ type: 'object', described: Event }), {
    description: `At most ${MAX_EVENTS}`,
  }),
})

/** Benchmarks pass another `store` to compare it with ours. */
export const eventsRoute = (url: string, summary: string, store = storeEvents) =>
  route({
    method: 'POST',
    url,
    summary,
    description:
      'The response is sent once the events are on disk. Give each event an event_id, and you ' +
      'can repeat a request without counting events twice. A player token or a sign-in session ' +
      'as bearer token signs the events; a token that is not valid is ignored.',
    auth: game,
    // Games that run in a browser are on an origin of their own.
    cors: true,
    limits: [perIp(60, { bucket: 'events' })],
    body: EventsBody,
    status: 202,
    data: Type.Object({ accepted: Type.Integer() }),
    errors: ['TOO_MANY_EVENTS', 'INVALID_EVENT', 'UNAVAILABLE'],
    async handle({ core, who, body, request }) {
      const events = readEvents(body.events)
      const games = await gamesOf(core, who, events)
      const senders = await sendersOf(core, request, games)
      await store(core, toStored(core, events, senders, Date.now() * 1000))
      return { accepted: events.length }
    },
  })

const postEvents = eventsRoute('/api/v1/public/events', 'Send game events')
const postEventsOlder = eventsRoute(
  '/api/v1/public/events/v1/events',
  'Send game events (the URL that older clients use)',
)

/** The game of each event: that of the headers, or else the one the event names. */
async function gamesOf(core: Core, who: Game | null, events: SentEvent[]): Promise<Game[]> {
  if (who) return events.map(() => who)
  if (events.length === 0)
    refuse('GAME_NOT_AUTHENTICATED', undefined, 'Send X-App-Id and X-Build-Id')
  const games = new Map<string, Game>()
  for (const { app_id, build_id } of events) {
    if (app_id === undefined || build_id === undefined)
      refuse(
        'GAME_NOT_AUTHENTICATED',
        undefined,
        'Send X-App-Id and X-Build-Id, or app_id and build_id in every event',
      )
    const ids = `${app_id} ${build_id}`
    if (!games.has(ids)) games.set(ids, await identifyGame(core, app_id, build_id))
  }
  return events.map(({ app_id, build_id }) => games.get(`${app_id} ${build_id}`)!)
}

type SendingGame = Game & { sender: Sender }

/** Most requests are about one game. */
async function sendersOf(
  core: Core,
  request: FastifyRequest,
  games: Game[],
): Promise<SendingGame[]> {
  const sending = new Map<Game, SendingGame>()
  for (const game of new Set(games))
    sending.set(game, { ...game, sender: await senderOf(core, request, game.game_uid) })
  return games.map((game) => sending.get(game)!)
}

function toStored(
  core: Core,
  events: SentEvent[],
  games: SendingGame[],
  now_us: number,
): StoredEvent[] {
  const times = correctTimes(
    events.map(({ claimed_us }) => claimed_us),
    now_us,
  )
  const salted = ({ game_uid }: Game, kind: string, id: string | undefined) =>
    id === undefined ? undefined : saltedId(core, game_uid, `${kind}\n${id}`)
  const devices = devicesOfSessions(events, games)
  return events.map(({ event, event_id, device_uid, session_id, value, metadata }, i) => {
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
      sender: game.sender,
      value,
      metadata,
    }
  })
}

/**
 * The device of each session for which any event of the request names one; the other events of the
 * session are from the same device.
 */
function devicesOfSessions(events: SentEvent[], games: Game[]): Map<string, string> {
  const devices = new Map<string, string>()
  if (events.every(({ device_uid }) => device_uid !== undefined)) return devices
  events.forEach(({ device_uid, session_id }, i) => {
    const session = `${games[i]!.game_uid} ${session_id}`
    if (device_uid !== undefined && session_id !== undefined && !devices.has(session))
      devices.set(session, device_uid)
  })
  return devices
}

export const eventAnalytics = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/event-analytics',
  summary: `Events and devices of the last ${STATISTICS_DAYS} days, or of up to a year`,
  description:
    'Events by day and name, active devices by build and day, and new devices by the day on ' +
    'which they first started the game. Events are kept for a time that the service sets; ' +
    `active devices reach back ${STATISTICS_DAYS} days.`,
  auth: developer('mcp:analytics.read'),
  params: Type.Object({ uid: Type.String() }),
  query: Type.Object(daysQuery),
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
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const firstDay = (days: number) => dayOf(Date.now() * 1000 - (days - 1) * DAY_US)
    const since = firstDay(query.days)
    const [days, new_devices, active_devices] = await Promise.all([
      readEventDays(sql, uid, since),
      readNewDevices(sql, uid, since),
      // Of each device, only the last days are known on which it was active.
      readActiveDevices(sql, uid, firstDay(Math.min(query.days, STATISTICS_DAYS))),
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

export const eventRoutes = [postEvents, postEventsOlder, eventAnalytics]
