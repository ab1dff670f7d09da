import { randomBytes, randomUUID } from 'node:crypto'
import { ACTIONS, decision } from '../../../moderation/fixtures.ts'
import { must, PASSWORD } from '../../../support/builders.ts'
import type { Producer } from './private-world.ts'

const TEAM = 'private_moderation_team_username'

const QUEUE_TARGET = 'private_moderation_targets_target_type_target_id'

/** A target of the queue that everyone sees. */
const publicTarget: Producer = async (world) => {
  const { listing } = await world.fresh({ is_public: true })
  const values = { target_type: 'listing', target_id: listing.uid }
  return { token: world.owner.token, values }
}
const missingTarget: Producer = ({ owner }) => ({
  token: owner.token,
  values: { target_type: 'listing', target_id: 'no-such-listing' },
})

const SWEEP = 'private_moderation_sweeps_sweep_id'
const BLOCKED = 'private_moderation_blocked_hashes_sha256'
const reasons = { ground: 'rule-malware', facts: 'It steals passwords' }

/** A sweep for a hash that nothing has. */
const newSweep: Producer = async ({ post, owner: { token } }) => {
  const sha256 = [randomBytes(32).toString('hex')]
  const { sweep_id } = must(
    await post('/api/v1/private/moderation/sweeps', { sha256 }, { token }),
  ) as { sweep_id: string }
  return { token, values: { sweep_id }, body: reasons }
}

const warning: Producer = async (world) => {
  const { listing } = await world.fresh()
  return { token: world.owner.token, body: decision('listing', listing.uid, 'warn') }
}

/** The uid of an appeal that nobody decided. */
async function appealOf(world: Parameters<Producer>[0]): Promise<string> {
  const { listing } = await world.fresh()
  const moderator = await world.a.verified()
  await world.sql`insert into moderators (user_uid) values (${moderator.uid})`
  const body = decision('listing', listing.uid, 'warn')
  const warned = await world.post(ACTIONS, body, moderator)
  const path = `/api/v1/public/statements/${must(warned).statement_uid}/appeal`
  return must(await world.post(path, { text: 'No' }, { token: listing.owner.token })).appeal_uid
}

/** Answers of the routes of moderators. The owner of the world is an operator. */
export const moderationAnswers: Record<string, Producer> = {
  'post_private_account_login 403': ({ suspended }) => ({
    body: { login: suspended.username, password: PASSWORD },
  }),
  'post_private_moderation_actions 201': warning,
  'post_private_moderation_actions 404': ({ owner }) => ({
    token: owner.token,
    body: decision('listing', 'no-such-listing', 'warn'),
  }),
  'post_private_moderation_actions 409': async (world) => {
    const { listing } = await world.fresh()
    const { token } = world.owner
    const body = decision('listing', listing.uid, 'take_down')
    must(await world.post('/api/v1/private/moderation/actions', body, { token }))
    return { token, body }
  },
  'post_private_moderation_actions 422': async (world) => {
    const request = await warning(world, undefined as never)
    return { ...request, body: { ...(request.body as object), facts: '' } }
  },
  'get_private_moderation_actions_action_uid 200': async (world, described) => {
    const { token, body } = await warning(world, described)
    const { action_uid } = must(await world.post(ACTIONS, body as object, { token: token! }))
    return { token, values: { action_uid } }
  },
  'post_private_moderation_appeals_appeal_uid_decision 200': async (world) => ({
    token: world.owner.token,
    values: { appeal_uid: await appealOf(world) },
    body: { outcome: 'upheld', reasons: 'As decided' },
  }),
  'post_private_moderation_appeals_appeal_uid_decision 404': ({ owner }) => ({
    token: owner.token,
    values: { appeal_uid: randomUUID() },
    body: { outcome: 'upheld', reasons: 'As decided' },
  }),
  'post_private_moderation_appeals_appeal_uid_decision 409': async (world) => {
    const { token } = world.owner
    const appeal_uid = await appealOf(world)
    const body = { outcome: 'upheld', reasons: 'As decided' }
    const path = `/api/v1/private/moderation/appeals/${appeal_uid}/decision`
    must(await world.post(path, body, { token }))
    return { token, values: { appeal_uid }, body }
  },
  'post_private_moderation_appeals_appeal_uid_decision 422': async (world) => ({
    token: world.owner.token,
    values: { appeal_uid: await appealOf(world) },
    body: { outcome: 'upheld', reasons: ' ' },
  }),
  [`get_${QUEUE_TARGET} 200`]: publicTarget,
  [`get_${QUEUE_TARGET} 404`]: missingTarget,
  [`get_${QUEUE_TARGET}_parts 200`]: async (world) => {
    const { listing } = await world.fresh({ is_public: true })
    const path = `/api/v1/private/moderation/targets/listing/${listing.uid}/parts?type=build`
    return { token: world.owner.token, path }
  },
  [`get_${QUEUE_TARGET}_parts 404`]: missingTarget,
  [`put_${QUEUE_TARGET}_assignment 200`]: async (world, described) => ({
    ...(await publicTarget(world, described)),
    body: { to_me: true },
  }),
  [`put_${QUEUE_TARGET}_assignment 404`]: async (world, described) => ({
    ...(await missingTarget(world, described)),
    body: { to_me: true },
  }),
  'post_private_moderation_sweeps 201': ({ owner }) => ({
    token: owner.token,
    body: { sha256: [randomBytes(32).toString('hex')] },
  }),
  [`get_${SWEEP} 200`]: async (world, described) => {
    const { token, values } = await newSweep(world, described)
    return { token, values }
  },
  [`post_${SWEEP}_quarantine 201`]: newSweep,
  [`post_${SWEEP}_quarantine 404`]: ({ owner }) => ({
    token: owner.token,
    values: { sweep_id: randomUUID() },
    body: reasons,
  }),
  [`post_${SWEEP}_quarantine 409`]: async (world, described) => {
    const request = await newSweep(world, described)
    const path = `/api/v1/private/moderation/sweeps/${request.values?.['sweep_id']}/quarantine`
    must(await world.post(path, reasons, { token: world.owner.token }))
    return request
  },
  [`post_${SWEEP}_quarantine 422`]: async (world, described) => ({
    ...(await newSweep(world, described)),
    body: {},
  }),
  [`delete_${BLOCKED} 200`]: async ({ sql, owner }) => {
    const sha256 = randomBytes(32).toString('hex')
    await sql`insert into blocked_hashes (sha256) values (decode(${sha256}, 'hex'))`
    return { token: owner.token, values: { sha256 } }
  },
  [`put_${TEAM} 200`]: async ({ a, owner }) => ({
    token: owner.token,
    values: { username: (await a.verified()).username },
  }),
  [`delete_${TEAM} 200`]: async ({ a, owner }) => ({
    token: owner.token,
    values: { username: (await a.user()).username },
  }),
}
