import { Type } from 'typebox'
import {
  type ApprovalRequest,
  approvalErrors,
  consumeApproval,
  requireApproval,
} from '../../accounts/approvals/approvals.ts'
import { developer, player } from '../../accounts/sessions/schemes.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { editListing, findForEditor } from '../../listings/listing/edit.ts'
import { canEdit, standingOf } from '../../listings/listing/visibility.ts'
import { openPage } from '../../listings/page/page.ts'
import { DEFAULT_CHANNEL, MAIN_APP, readApp, readChannel } from '../builds/fields.ts'
import { findBuild } from '../builds/queries.ts'
import {
  betaSkus,
  channelsOf,
  choosePlayerChannel,
  cleanPlatforms,
  countBetaPlayers,
  type Event,
  type HeadRow,
  promote,
  readHeads,
  readHistory,
  rollBack,
} from './queries.ts'

const MOST_EVENTS = 50
const MAX_HOURS = 2160
const Text = Type.String()
const url = '/api/v1/private/games/:uid/channels'
const params = Type.Object({ uid: Text, channel: Text })
const invalid = (field: string) => ({ refusal: 'INVALID_CHANNEL', field }) as const

const HeadData = Type.Object({
  os: Text,
  arch: Text,
  build_id: Uid,
  version: Text,
  moved_at: Timestamp,
})
const EventData = Type.Object({
  event: Text,
  os: Text,
  arch: Text,
  build_id: Nullable(Uid),
  version: Nullable(Text),
  from_build_id: Nullable(Uid),
  by: Nullable(Text),
  at: Timestamp,
})
const ChannelData = Type.Object({
  channel: Text,
  app: Text,
  build_id: Uid,
  version: Text,
  expires_at: Nullable(Timestamp),
  expired: Type.Boolean(),
  players: Type.Optional(Type.Integer()),
  heads: Type.Array(HeadData),
  history: Type.Array(EventData),
})

const shownHead = ({ os, arch, uid: build_id, version, moved_at }: HeadRow) => ({
  os,
  arch,
  build_id,
  version,
  moved_at: moved_at.toISOString(),
})
const shownEvent = ({
  event,
  os,
  arch,
  build_uid: build_id,
  version,
  from_build_uid: from_build_id,
  by_username: by,
  at,
}: Event) => ({
  ...{ event, os, arch, build_id, version, from_build_id, by, at: at.toISOString() },
})

export const listChannels = route({
  method: 'GET',
  url,
  summary: 'What each channel points at, and how it came there',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text }),
  data: Type.Object({ channels: Type.Array(ChannelData) }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const [heads, history, players] = await Promise.all([
      readHeads(sql, uid),
      readHistory(sql, uid, MOST_EVENTS),
      countBetaPlayers(sql, uid),
    ])
    const channels = channelsOf(heads).map(({ app, channel, pointed, heads }) => ({
      ...{ channel, app, build_id: pointed.uid, version: pointed.version },
      ...{ expires_at: pointed.expires_at?.toISOString() ?? null, expired: pointed.expired },
      ...(channel === 'beta' ? { players } : {}),
      heads: heads.map(shownHead),
      history: history
        .filter((event) => event.app === app && event.channel === channel)
        .map(shownEvent),
    }))
    return { channels }
  },
})

const Moved = Type.Object({
  channel: Text,
  app: Text,
  build_id: Uid,
  version: Text,
  expires_at: Nullable(Timestamp),
})

export const promoteBuild = route({
  method: 'PUT',
  url: `${url}/:channel`,
  summary: 'Point a channel at a build',
  auth: developer('mcp:build.write'),
  params,
  body: Body({
    build_id: Text,
    app: Type.Optional(Text),
    expires_in_hours: Type.Optional(Type.Unknown()),
  }),
  data: Moved,
  errors: [
    'NOT_FOUND',
    'BUILD_NOT_IN_PROJECT',
    'STILL_SCANNING',
    'INVALID_CHANNEL',
    ...approvalErrors,
  ],
  async handle({ core, sql, who, params, body, request }) {
    const channel = namedChannel(params.channel)
    const hours = expiry(body.expires_in_hours)
    // Agents are told what is wrong before a person is asked.
    const approval =
      who.kind === 'agent' && channel === DEFAULT_CHANNEL
        ? await requireApproval(
            core,
            who,
            request,
            await promotion(sql, await findForEditor(sql, who, params.uid), body, hours),
          )
        : undefined
    return editListing(core, who, params.uid, async (tx, { uid: game_uid }) => {
      const { build, platforms } = await promotable(tx, game_uid, body)
      await consumeApproval(tx, approval)
      await promote(tx, { game_uid, app: build.app, channel }, build, platforms, {
        hours,
        by_user: who.user_uid,
      })
      return pointedAt(await readHeads(tx, game_uid), build.app, channel)
    })
  },
})

type Promotion = { build_id: string; app?: string }

async function promotable(sql: Sql | Tx, game_uid: string, asked: Promotion) {
  const build = isUuid(asked.build_id) ? await findBuild(sql, game_uid, asked.build_id) : undefined
  if (!build || (asked.app !== undefined && readApp(asked, invalid).app !== build.app))
    refuse('BUILD_NOT_IN_PROJECT')
  const platforms = await cleanPlatforms(sql, build.uid)
  if (!platforms.length)
    refuse('STILL_SCANNING', undefined, 'The build has no file that passed its scan')
  return { build, platforms }
}

async function promotion(
  sql: Sql,
  { uid: game_uid }: { uid: string },
  asked: Promotion,
  hours: number,
): Promise<ApprovalRequest> {
  const { build } = await promotable(sql, game_uid, asked)
  const app = build.app === MAIN_APP ? '' : ` of ${build.app}`
  const summary = `Release version ${build.version}${app} to all players (stable)${hours ? ` for ${hours} hours` : ''}`
  return { game_uid, action: 'builds.promote', subject: { build_id: build.uid, hours }, summary }
}

export const rollBackChannel = route({
  method: 'POST',
  url: `${url}/:channel/rollback`,
  summary: 'Take the release of a channel back',
  auth: developer('mcp:build.write'),
  params,
  query: Type.Object({ app: Type.Optional(Text) }),
  data: Moved,
  errors: ['NOT_FOUND', 'NOTHING_TO_ROLL_BACK', 'INVALID_CHANNEL'],
  async handle({ core, who, params, query }) {
    const channel = namedChannel(params.channel)
    const { app } = readApp(query, invalid)
    return editListing(core, who, params.uid, async (tx, { uid }) => {
      if (!(await rollBack(tx, uid, app, channel, who.user_uid))) refuse('NOTHING_TO_ROLL_BACK')
      return pointedAt(await readHeads(tx, uid), app, channel)
    })
  },
})

function pointedAt(heads: HeadRow[], app: string, channel: string) {
  const { pointed } = channelsOf(heads).find((one) => one.app === app && one.channel === channel)!
  return {
    channel,
    app,
    build_id: pointed.uid,
    version: pointed.version,
    expires_at: pointed.expires_at?.toISOString() ?? null,
  }
}

const namedChannel = (name: string) =>
  readChannel(invalid('channel'), name) ||
  refuse('INVALID_CHANNEL', { field: 'channel' }, 'channel: name one')

function expiry(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_HOURS)
    return value
  refuse(
    'INVALID_CHANNEL',
    { field: 'expires_in_hours' },
    `expires_in_hours: a whole number from 0 (never) to ${MAX_HOURS}`,
  )
}

export const choosePlayerChannelRoute = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/channel',
  summary: 'Join the beta of a game, or leave it',
  auth: player('player:write'),
  params: Type.Object({ uid: Text }),
  body: Body({ channel: OneOf(['stable', 'beta']) }),
  data: Type.Object({ channel: Text }),
  errors: ['NOT_FOUND', 'BETA_REQUIRES_PURCHASE'],
  async handle({ core, sql, who, params, body }) {
    const { uid, ...page } = await openPage(core, who, params.uid)
    const skus =
      body.channel === 'beta' && !canEdit(standingOf(who, page))
        ? await betaSkus(sql, uid, who.user_uid)
        : []
    if (skus.length) refuse('BETA_REQUIRES_PURCHASE', { skus })
    await choosePlayerChannel(sql, who.user_uid, uid, body.channel)
    return { channel: body.channel }
  },
})
