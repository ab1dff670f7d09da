import { type Static, Type } from 'typebox'
import {
  type ApprovalRequest,
  approvalErrors,
  consumeApproval,
  requireApproval,
} from '../../accounts/approvals/approvals.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, viewer } from '../../accounts/sessions/schemes.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { Body, Nullable, nameSchemas, route, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { overallShared } from '../../core/security/limits.ts'
import { ArchName, OsName } from '../../listings/fields/file-schema.ts'
import { findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import { WithdrawalData } from '../../listings/withdrawn/schema.ts'
import { MAX_WITHDRAWAL_REASON, MAX_WITHDRAWALS } from '../build-limits.ts'
import { findProjectBuild } from '../builds/project-build.ts'
import { findBuild, type ProjectBuild } from '../builds/queries.ts'
import { authorizeFileAccess } from '../channels/access.ts'
import { lockChannels } from '../channels/queries.ts'
import { deployKey } from '../keys/schemes.ts'
import { listWithdrawals, readWithdrawal, restoreBuild, withdrawBuild } from './queries.ts'

const Text = Type.String()
const ownUrl = '/api/v1/private/games/:uid/builds/:build_id/withdrawal'
const toolUrl = '/api/v1/tool/builds/:build_id/withdrawal'
const ownParams = Type.Object({ uid: Text, build_id: Text })
const toolParams = Type.Object({ build_id: Text })
const body = Body({
  reason: Type.String({
    minLength: 1,
    maxLength: MAX_WITHDRAWAL_REASON,
    description: 'Why it is withdrawn, as plain text for everyone who has it',
  }),
  replacement: Type.Optional(
    Nullable(
      Type.String({ description: 'The build_id of a build of the same program to get instead' }),
    ),
  ),
})
type NewWithdrawal = Static<typeof body>

const WithdrawnBuild = Type.Object({
  build_id: Uid,
  version: Text,
  withdrawn: Nullable(WithdrawalData),
})
nameSchemas({ WithdrawnBuild })

const readReason = (text: string): string =>
  text.trim() ||
  refuse('MALFORMED', { field: 'reason' }, explain('required', 'reason: this field is required'))

/** The build to get instead: another one of the same program, which players can have. */
async function readReplacement(
  sql: Sql | Tx,
  { game_uid, uid, app }: ProjectBuild,
  build_id: string | null | undefined,
): Promise<string | null> {
  if (build_id === null || build_id === undefined) return null
  const replacement = isUuid(build_id) ? await findBuild(sql, game_uid, build_id) : undefined
  if (replacement?.app !== app || replacement.uid === uid || replacement.withdrawn)
    refuse(
      'MALFORMED',
      { field: 'replacement' },
      explain(
        'not_replacement',
        'replacement: choose another build of the same program that is not withdrawn',
      ),
    )
  return replacement.uid
}

/** The channels must be locked. Nothing stands in the way of a withdrawal, not the listing check. */
async function withdraw(
  tx: Tx,
  build: ProjectBuild,
  { reason, replacement }: NewWithdrawal,
  by_user: string | null,
): Promise<Static<typeof WithdrawnBuild>> {
  await withdrawBuild(tx, build, {
    reason: readReason(reason),
    replacement_uid: await readReplacement(tx, build, replacement),
    by_user,
  })
  const withdrawn = (await readWithdrawal(tx, build.uid)) ?? null
  return { build_id: build.uid, version: build.version, withdrawn }
}

async function restore(
  tx: Tx,
  build: ProjectBuild,
  by_user: string | null,
): Promise<Static<typeof WithdrawnBuild>> {
  if (build.withdrawn) await restoreBuild(tx, build, by_user)
  return { build_id: build.uid, version: build.version, withdrawn: null }
}

type Change = { action: 'withdraw' | 'restore'; withdrawal?: NewWithdrawal }

/** What an agent needs approval for. It learns of invalid input before a person is asked. */
async function requestChange(
  sql: Sql,
  who: Identity,
  { uid, build_id }: Static<typeof ownParams>,
  { action, withdrawal }: Change,
): Promise<ApprovalRequest> {
  const { uid: game_uid } = await findForEditor(sql, who, uid)
  const reason = withdrawal && readReason(withdrawal.reason)
  const replacement = withdrawal?.replacement?.toLowerCase() ?? null
  return {
    game_uid,
    action: `builds.${action}`,
    subject: { build_id: build_id.toLowerCase(), ...(reason && { reason, replacement }) },
    async describe() {
      const build = await findProjectBuild(sql, game_uid, build_id)
      await readReplacement(sql, build, withdrawal?.replacement)
      const name = `version ${build.version} for ${build.os || 'any system'} (${build.channel})`
      return reason ? `Withdraw ${name}: ${reason}` : `Restore the withdrawn ${name}`
    },
  }
}

export const withdrawOwnBuild = route({
  method: 'PUT',
  url: ownUrl,
  summary: 'Withdraw a build, or change why; channels return to the build before it',
  description:
    'Nobody can download or install it any more. Those who have it are told the reason and what ' +
    'to get instead. Nothing is deleted: DELETE brings it back.',
  auth: developer('mcp:build.write'),
  step_up: true,
  params: ownParams,
  body,
  data: WithdrawnBuild,
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT', ...approvalErrors],
  async handle({ core, sql, who, params, body, request }) {
    const approval =
      who.kind === 'agent'
        ? await requireApproval(
            core,
            who,
            request,
            await requestChange(sql, who, params, { action: 'withdraw', withdrawal: body }),
          )
        : undefined
    return transact(core.sql, async (tx) => {
      const { uid } = await lockForEditor(tx, who, params.uid)
      const build = await findProjectBuild(tx, uid, params.build_id)
      await consumeApproval(tx, approval)
      return withdraw(tx, build, body, who.user_uid)
    })
  },
})

export const restoreOwnBuild = route({
  method: 'DELETE',
  url: ownUrl,
  summary: 'Restore a withdrawn build; channels that only its withdrawal moved return to it',
  auth: developer('mcp:build.write'),
  step_up: true,
  params: ownParams,
  data: WithdrawnBuild,
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT', ...approvalErrors],
  async handle({ core, sql, who, params, request }) {
    const approval =
      who.kind === 'agent'
        ? await requireApproval(
            core,
            who,
            request,
            await requestChange(sql, who, params, { action: 'restore' }),
          )
        : undefined
    return transact(core.sql, async (tx) => {
      const { uid } = await lockForEditor(tx, who, params.uid)
      const build = await findProjectBuild(tx, uid, params.build_id)
      await consumeApproval(tx, approval)
      return restore(tx, build, who.user_uid)
    })
  },
})

/** The build of the deploy key's game, with its channels locked. */
async function lockToolBuild(tx: Tx, game_uid: string, build_id: string): Promise<ProjectBuild> {
  await lockChannels(tx, game_uid)
  const build = isUuid(build_id) ? await findBuild(tx, game_uid, build_id) : undefined
  return build ?? refuse('BUILD_NOT_REGISTERED')
}

export const toolWithdrawalRoutes = [
  route({
    method: 'PUT',
    url: toolUrl,
    summary: 'Withdraw a build of the game, or change why',
    auth: deployKey,
    params: toolParams,
    body,
    data: WithdrawnBuild,
    errors: ['BUILD_NOT_REGISTERED'],
    handle: ({ core, who, params, body }) =>
      transact(core.sql, async (tx) =>
        withdraw(tx, await lockToolBuild(tx, who.game_uid, params.build_id), body, null),
      ),
  }),
  route({
    method: 'DELETE',
    url: toolUrl,
    summary: 'Restore a withdrawn build of the game',
    auth: deployKey,
    params: toolParams,
    data: WithdrawnBuild,
    errors: ['BUILD_NOT_REGISTERED'],
    handle: ({ core, who, params }) =>
      transact(core.sql, async (tx) =>
        restore(tx, await lockToolBuild(tx, who.game_uid, params.build_id), null),
      ),
  }),
]

const ListedWithdrawal = Type.Object({
  build_id: Uid,
  app: Text,
  version: Text,
  os: OsName,
  arch: ArchName,
  channels: Type.Array(Text, { description: 'The channels you can see that delivered it' }),
  ...WithdrawalData.properties,
})
nameSchemas({ ListedWithdrawal })

/** For launchers and games: what not to start any more. */
const publicWithdrawals = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/withdrawals',
  summary: 'List the withdrawn builds of a listing, last withdrawn first',
  description:
    'Launchers compare these with what is installed. Only builds of channels that you can see, ' +
    `at most ${MAX_WITHDRAWALS}.`,
  auth: viewer,
  limits: overallShared(1200),
  params: Type.Object({ game_id: Text }),
  data: Type.Object({ withdrawals: Type.Array(ListedWithdrawal) }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { listing, access } = await authorizeFileAccess(sql, who, params.game_id)
    return { withdrawals: await listWithdrawals(sql, listing.uid, access, MAX_WITHDRAWALS) }
  },
})

export const withdrawalRoutes = [publicWithdrawals, withdrawOwnBuild, restoreOwnBuild]
