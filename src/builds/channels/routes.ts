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
import { ArchName, OsName } from '../../listings/fields/file-schema.ts'
import { editListing, findForEditor } from '../../listings/listing/edit.ts'
import { canEdit, standingOf } from '../../listings/listing/visibility.ts'
import { openPage } from '../../listings/page/page.ts'
import { refuseWithdrawn } from '../../listings/withdrawn/schema.ts'
import { MAX_CHANNEL_EVENTS, MAX_PROMOTION_HOURS } from '../build-limits.ts'
import { DEFAULT_CHANNEL, MAIN_APP, readApp, readChannel } from '../builds/fields.ts'
import { findProjectBuild } from '../builds/project-build.ts'
import { choosePlayerChannel, countBetaPlayers, readBetaSkus } from './beta-queries.ts'
import {
  type ChannelKey,
  type EventRow,
  groupByChannel,
  type HeadRow,
  promote,
  type Release,
  readHeads,
  readHistory,
  readPreviousBuilds,
  readReleases,
  rollBack,
  rollbackTarget,
} from './queries.ts'
import { isSamePlace, readStaged, type StagedRelease, stage, unstage } from './staged-queries.ts'
import { NOT_STAGED, NOTHING_BESIDE, readPercent } from './staged-release.ts'

const Text = Type.String()
const url = '/api/v1/private/games/:uid/channels'
const params = Type.Object({ uid: Text, channel: Text })
const channelField = (field: string) => ({ refusal: 'INVALID_CHANNEL', field }) as const

const HeadData = Type.Object({
  os: OsName,
  arch: ArchName,
  build_id: Uid,
  version: Text,
  moved_at: Timestamp,
  rollback_to: Nullable(Type.Object({ build_id: Uid, version: Text })),
  staged: Type.Union(
    [
      Type.Object({
        build_id: Uid,
        version: Text,
        percent: Type.Integer({ description: 'Of the devices, from 1 to 99' }),
        staged_at: Timestamp,
      }),
      Type.Null(),
    ],
    { description: 'The build that a part of the devices gets; null if there is none' },
  ),
})
const EventData = Type.Object({
  event: Text,
  os: OsName,
  arch: ArchName,
  build_id: Nullable(Uid),
  version: Nullable(Text),
  from_build_id: Nullable(Uid),
  by: Nullable(Text),
  percent: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Of the devices that a staged build was for; null for other events',
  }),
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

const toHeadData = (
  { os, arch, uid: build_id, version, moved_at }: HeadRow,
  target: Release | undefined,
  staged: StagedRelease | undefined,
) => ({
  os,
  arch,
  build_id,
  version,
  moved_at: moved_at.toISOString(),
  rollback_to: target ? { build_id: target.uid, version: target.version } : null,
  staged: staged
    ? {
        build_id: staged.build_uid,
        version: staged.version,
        percent: staged.percent,
        staged_at: staged.staged_at.toISOString(),
      }
    : null,
})
const toEventData = (row: EventRow) => ({
  event: row.event,
  os: row.os,
  arch: row.arch,
  build_id: row.build_uid,
  version: row.version,
  from_build_id: row.from_build_uid,
  by: row.by_username,
  percent: row.percent,
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
    const [heads, staged, previous_builds, history, players] = await Promise.all([
      readHeads(sql, uid),
      readStaged(sql, uid),
      readPreviousBuilds(sql, uid),
      readHistory(sql, uid, MAX_CHANNEL_EVENTS),
      countBetaPlayers(sql, uid),
    ])
    const channels = groupByChannel(heads).map((group) => {
      const { app, channel, newest, heads } = group
      return {
        channel,
        app,
        build_id: newest.uid,
        version: newest.version,
        expires_at: newest.expires_at?.toISOString() ?? null,
        expired: newest.expired,
        ...(channel === 'beta' ? { players } : {}),
        heads: heads.map((head) =>
          toHeadData(
            head,
            rollbackTarget(group, head, previous_builds),
            staged.find((release) => isSamePlace(release, head)),
          ),
        ),
        history: history
          .filter((event) => event.app === app && event.channel === channel)
          .map(toEventData),
      }
    })
    return { channels }
  },
})

const MovedHead = Type.Object(
  {
    os: OsName,
    arch: ArchName,
    build_id: Uid,
    version: Text,
    from_build_id: Nullable(Uid),
    from_version: Nullable(Text),
  },
  { description: 'A platform of the channel; from_build_id equals build_id where it stayed' },
)
const MovedChannel = Type.Object({
  channel: Text,
  app: Text,
  build_id: Uid,
  version: Text,
  expires_at: Nullable(Timestamp),
  heads: Type.Array(MovedHead),
})

const expiry = Type.Integer({
  minimum: 0,
  maximum: MAX_PROMOTION_HOURS,
  description:
    'After this time the channel offers no downloads until a build is promoted; 0: never',
})

export const promoteBuild = route({
  method: 'PUT',
  url: `${url}/:channel`,
  summary: 'Point a channel at a build',
  auth: developer('mcp:build.write'),
  step_up: ({ params }) => readChannelName(params.channel) === DEFAULT_CHANNEL,
  params,
  body: Body({
    build_id: Text,
    app: Type.Optional(Text),
    expires_in_hours: Type.Optional(Checked(expiry)),
    all_platforms: Type.Optional(
      Type.Boolean({ description: 'Also the builds of the same version for other platforms' }),
    ),
    percent: Type.Optional(
      Checked(
        Type.Integer({
          minimum: 0,
          maximum: 100,
          description:
            'Below 100, this part of the devices gets the build, and the channel keeps its own; ' +
            '0 takes it back from them',
        }),
      ),
    ),
  }),
  data: MovedChannel,
  errors: [
    'NOT_FOUND',
    'BUILD_NOT_IN_PROJECT',
    'BUILD_WITHDRAWN',
    'STILL_SCANNING',
    'INVALID_CHANNEL',
    ...approvalErrors,
  ],
  async handle({ core, sql, who, params, body, request }) {
    const channel = readChannelName(params.channel)
    const hours = readExpiry(body.expires_in_hours)
    const percent = readPercent(body.percent)
    // An agent learns of invalid input before a person is asked for approval.
    const needs_approval = who.kind === 'agent' && channel === DEFAULT_CHANNEL
    const approval = needs_approval
      ? await requireApproval(
          core,
          who,
          request,
          requestPromotion(sql, await findForEditor(sql, who, params.uid), body, {
            hours,
            percent,
          }),
        )
      : undefined
    return editListing(core, who, params.uid, async (tx, { uid: game_uid }) => {
      const { build, releases } = await findPromotable(tx, game_uid, body)
      await consumeApproval(tx, approval)
      const key = { game_uid, app: build.app, channel }
      const before = await readHeads(tx, game_uid)
      const by_user = who.user_uid
      if (percent === 100) await promote(tx, key, releases, { hours, by_user })
      else await changeStage(tx, key, releases, { percent, by_user })
      return toMovedChannel(key, before, await readHeads(tx, game_uid))
    })
  },
})

/** Stages builds beside the heads of a channel, or takes them back. */
async function changeStage(
  tx: Tx,
  key: ChannelKey,
  releases: readonly Release[],
  staging: { percent: number; by_user: string },
): Promise<void> {
  if (staging.percent > 0) {
    if (await stage(tx, key, releases, staging)) return
    refuse('INVALID_CHANNEL', { field: 'percent' }, NOTHING_BESIDE)
  }
  const { game_uid, app, channel } = key
  let ended = 0
  for (const build_uid of new Set(releases.map(({ uid }) => uid)))
    ended += await unstage(tx, { game_uid, build_uid }, { app, channel }, staging.by_user)
  if (!ended) refuse('INVALID_CHANNEL', { field: 'percent' }, NOT_STAGED)
}

type Promotion = { build_id: string; app?: string; all_platforms?: boolean }

async function findPromotable(sql: Sql | Tx, game_uid: string, promotion: Promotion) {
  const { build_id, app, all_platforms = false } = promotion
  const build = await findProjectBuild(sql, game_uid, build_id)
  if (app !== undefined && readApp(promotion, channelField).app !== build.app)
    refuse('BUILD_NOT_IN_PROJECT')
  if (build.withdrawn) refuseWithdrawn(build.withdrawn)
  const releases = await readReleases(sql, build.uid, all_platforms)
  if (!releases.some(({ uid }) => uid === build.uid))
    refuse(
      'STILL_SCANNING',
      undefined,
      explain('no_clean_file', 'The build has no file that passed its scan'),
    )
  return { build, releases }
}

const requestPromotion = (
  sql: Sql,
  { uid: game_uid }: { uid: string },
  promotion: Promotion,
  { hours, percent }: { hours: number; percent: number },
): ApprovalRequest => ({
  game_uid,
  action: 'builds.promote',
  subject: {
    build_id: promotion.build_id.toLowerCase(),
    hours,
    ...(promotion.all_platforms ? { platforms: 'all' } : {}),
    ...(percent < 100 ? { percent } : {}),
  },
  async describe() {
    const { build } = await findPromotable(sql, game_uid, promotion)
    const app = build.app === MAIN_APP ? '' : ` of ${build.app}`
    const platforms = promotion.all_platforms ? ' on all its platforms' : ''
    const duration = hours && percent === 100 ? ` for ${hours} hours` : ''
    const players = percent < 100 ? `${percent} % of the devices` : 'all players'
    return `Release version ${build.version}${app}${platforms} to ${players} (stable)${duration}`
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
      const before = await readHeads(tx, uid)
      if (!(await rollBack(tx, key, who.user_uid))) refuse('NOTHING_TO_ROLL_BACK')
      return toMovedChannel(key, before, await readHeads(tx, uid))
    })
  },
})

const headsOf = (all_heads: readonly HeadRow[], { app, channel }: ChannelKey) =>
  groupByChannel(all_heads).find((group) => group.app === app && group.channel === channel)

/** The channel after a change, and what each of its platforms had before. */
function toMovedChannel(key: ChannelKey, before: HeadRow[], after: HeadRow[]) {
  const earlier = headsOf(before, key)?.heads ?? []
  const { newest, heads } = headsOf(after, key)!
  return {
    channel: key.channel,
    app: key.app,
    build_id: newest.uid,
    version: newest.version,
    expires_at: newest.expires_at?.toISOString() ?? null,
    heads: heads.map(({ os, arch, uid: build_id, version }) => {
      const from = earlier.find((head) => head.os === os && head.arch === arch)
      return {
        os,
        arch,
        build_id,
        version,
        from_build_id: from?.uid ?? null,
        from_version: from?.version ?? null,
      }
    }),
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

export const channelRoutes = [listChannels, promoteBuild, rollBackChannel, choosePlayerChannelRoute]
