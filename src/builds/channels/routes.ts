import { Type } from 'typebox'
import {
  type ApprovalRequest,
  approvalErrors,
  consumeApproval,
  requireApproval,
} from '../../accounts/approvals/approvals.ts'
import { developer, player } from '../../accounts/sessions/schemes.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import {
  Body,
  Checked,
  Nullable,
  nameSchemas,
  OneOf,
  route,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { editListing, findForEditor } from '../../listings/listing/edit.ts'
import { canEdit, standingOf } from '../../listings/listing/visibility.ts'
import { openPage } from '../../listings/page/page.ts'
import { DEFAULT_CHANNEL, MAIN_APP, readApp, readChannel } from '../builds/fields.ts'
import { findProjectBuild } from '../builds/project-build.ts'
import { MAX_CHANNEL_EVENTS, MAX_PROMOTION_HOURS } from '../limits.ts'
import {
  choosePlayerChannel,
  countBetaPlayers,
  type EventRow,
  groupByChannel,
  type HeadRow,
  promote,
  readBetaSkus,
  readCleanPlatforms,
  readHeads,
  readHistory,
  rollBack,
} from './queries.ts'

const Text = Type.String()
const url = '/api/v1/private/games/:uid/channels'
const params = Type.Object({ uid: Text, channel: Text })
const channelField = (field: string) => ({ refusal: 'INVALID_CHANNEL', field }) as const

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
nameSchemas({ Channel: ChannelData })

const toHeadData = ({ os, arch, uid: build_id, version, moved_at }: HeadRow) => ({
  os,
  arch,
  build_id,
  version,
  moved_at: moved_at.toISOString(),
})
const toEventData = (row: EventRow) => ({
  event: row.event,
  os: row.os,
  arch: row.arch,
  build_id: row.build_uid,
  version: row.version,
  from_build_id: row.from_build_uid,
  by: row.by_username,
  at: row.at.toISOString(),
})

export const listChannels = route({
  method: 'GET',
  url,
  summary: 'List the channels of a project with their builds and history',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text }),
  data: Type.Object({ channels: Type.Array(ChannelData) }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const [heads, history, players] = await Promise.all([
      readHeads(sql, uid),
      readHistory(sql, uid, MAX_CHANNEL_EVENTS),
      countBetaPlayers(sql, uid),
    ])
    const channels = groupByChannel(heads).map(({ app, channel, newest, heads }) => ({
      channel,
      app,
      build_id: newest.uid,
      version: newest.version,
      expires_at: newest.expires_at?.toISOString() ?? null,
      expired: newest.expired,
      ...(channel === 'beta' ? { players } : {}),
      heads: heads.map(toHeadData),
      history: history
        .filter((event) => event.app === app && event.channel === channel)
        .map(toEventData),
    }))
    return { channels }
  },
})

const MovedChannel = Type.Object({
  channel: Text,
  app: Text,
  build_id: Uid,
  version: Text,
  expires_at: Nullable(Timestamp),
})

const expiry = Type.Integer({
  minimum: 0,
  maximum: MAX_PROMOTION_HOURS,
  description: 'The channel goes back to its earlier build after this time; 0: never',
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
    expires_in_hours: Type.Optional(Checked(expiry)),
  }),
  data: MovedChannel,
  errors: [
    'NOT_FOUND',
    'BUILD_NOT_IN_PROJECT',
    'STILL_SCANNING',
    'INVALID_CHANNEL',
    ...approvalErrors,
  ],
  async handle({ core, sql, who, params, body, request }) {
    const channel = readChannelName(params.channel)
    const hours = readExpiry(body.expires_in_hours)
    // An agent learns of invalid input before a person is asked for approval.
    const needs_approval = who.kind === 'agent' && channel === DEFAULT_CHANNEL
    const approval = needs_approval
      ? await requireApproval(
          core,
          who,
          request,
          requestPromotion(sql, await findForEditor(sql, who, params.uid), body, hours),
        )
      : undefined
    return editListing(core, who, params.uid, async (tx, { uid: game_uid }) => {
      const { build, platforms } = await findPromotable(tx, game_uid, body)
      await consumeApproval(tx, approval)
      await promote(tx, { game_uid, app: build.app, channel }, build, {
        platforms,
        hours,
        by_user: who.user_uid,
      })
      return toMovedChannel(await readHeads(tx, game_uid), build.app, channel)
    })
  },
})

type Promotion = { build_id: string; app?: string }

async function findPromotable(sql: Sql | Tx, game_uid: string, promotion: Promotion) {
  const { build_id, app } = promotion
  const build = await findProjectBuild(sql, game_uid, build_id)
  if (app !== undefined && readApp(promotion, channelField).app !== build.app)
    refuse('BUILD_NOT_IN_PROJECT')
  const platforms = await readCleanPlatforms(sql, build.uid)
  if (!platforms.length)
    refuse('STILL_SCANNING', undefined, 'The build has no file that passed its scan')
  return { build, platforms }
}

const requestPromotion = (
  sql: Sql,
  { uid: game_uid }: { uid: string },
  promotion: Promotion,
  hours: number,
): ApprovalRequest => ({
  game_uid,
  action: 'builds.promote',
  subject: { build_id: promotion.build_id.toLowerCase(), hours },
  async describe() {
    const { build } = await findPromotable(sql, game_uid, promotion)
    const app = build.app === MAIN_APP ? '' : ` of ${build.app}`
    const duration = hours ? ` for ${hours} hours` : ''
    return `Release version ${build.version}${app} to all players (stable)${duration}`
  },
})

export const rollBackChannel = route({
  method: 'POST',
  url: `${url}/:channel/rollback`,
  summary: 'Roll a channel back to the release before',
  auth: developer('mcp:build.write'),
  params,
  query: Type.Object({ app: Type.Optional(Text) }),
  data: MovedChannel,
  errors: ['NOT_FOUND', 'NOTHING_TO_ROLL_BACK', 'INVALID_CHANNEL'],
  async handle({ core, who, params, query }) {
    const channel = readChannelName(params.channel)
    const { app } = readApp(query, channelField)
    return editListing(core, who, params.uid, async (tx, { uid }) => {
      const key = { game_uid: uid, app, channel }
      if (!(await rollBack(tx, key, who.user_uid))) refuse('NOTHING_TO_ROLL_BACK')
      return toMovedChannel(await readHeads(tx, uid), app, channel)
    })
  },
})

function toMovedChannel(heads: HeadRow[], app: string, channel: string) {
  const { newest } = groupByChannel(heads).find(
    (group) => group.app === app && group.channel === channel,
  )!
  return {
    channel,
    app,
    build_id: newest.uid,
    version: newest.version,
    expires_at: newest.expires_at?.toISOString() ?? null,
  }
}

const readChannelName = (name: string) =>
  readChannel(channelField('channel'), name) ||
  refuse(
    'INVALID_CHANNEL',
    { field: 'channel' },
    explain('channel_missing', 'channel: send the name of a channel'),
  )

function readExpiry(value: unknown): number {
  if (value === undefined || value === null) return 0
  const is_valid =
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= 0 &&
    value <= MAX_PROMOTION_HOURS
  if (is_valid) return value
  refuse(
    'INVALID_CHANNEL',
    { field: 'expires_in_hours' },
    explain(
      'whole_number',
      `expires_in_hours: send a whole number from 0 (never) to ${MAX_PROMOTION_HOURS}`,
      { min: 0, max: MAX_PROMOTION_HOURS },
    ),
  )
}

export const choosePlayerChannelRoute = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/channel',
  summary: 'Join or leave the beta of a game',
  auth: player('player:write'),
  params: Type.Object({ uid: Text }),
  body: Body({ channel: OneOf(['stable', 'beta']) }),
  data: Type.Object({ channel: Text }),
  errors: ['NOT_FOUND', 'BETA_REQUIRES_PURCHASE'],
  async handle({ core, sql, who, params, body }) {
    const { uid, ...page } = await openPage(core, who, params.uid)
    const skus =
      body.channel === 'beta' && !canEdit(standingOf(who, page))
        ? await readBetaSkus(sql, uid, who.user_uid)
        : []
    if (skus.length) refuse('BETA_REQUIRES_PURCHASE', { skus })
    await choosePlayerChannel(sql, who.user_uid, uid, body.channel)
    return { channel: body.channel }
  },
})
