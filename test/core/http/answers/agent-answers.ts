import { randomUUID } from 'node:crypto'
import { sixDigitCode } from '../../../../src/accounts/credentials/codes.ts'
import { DEVICE_CLIENT } from '../../../agents/device-flow.ts'
import {
  authorizeUrl,
  browser,
  CALLBACK,
  codeFields,
  consent,
  consentMark,
  pkce,
  register,
} from '../../../agents/oauth-flow.ts'
import { must } from '../../../support/builders.ts'
import { GAMES, type Producer, type Request, type World } from './private-world.ts'

const form = (fields: Record<string, string>): Request => ({
  raw: String(new URLSearchParams(fields)),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

type Built = Awaited<ReturnType<World['built']>>

/** A request of an agent that waits for approval, with its uid and the key that repeats it. */
async function approval(world: World, made?: Built) {
  const { listing, owner, build_id, values, token } = made ?? (await world.released())
  const scopes = ['mcp:read', 'mcp:build.write']
  const { key } = await world.a.key('agent', owner, scopes)
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await world.put(
    `${GAMES}/${listing.uid}/channels/stable`,
    { build_id },
    { token: key, headers },
  )
  const { uid } = answer.body.data.approval as { uid: string }
  const decide = (verb: string) =>
    world.post(`/api/v1/private/approvals/${uid}/${verb}`, undefined, { token })
  const own: Request = { token, values: { uid } }
  const agent: Request = { token: key, values: { uid } }
  const repeated: Request = {
    token: key,
    headers,
    body: { build_id },
    values: { ...values, channel: 'stable' },
  }
  return { uid, own, agent, repeated, decide, key, listing, build_id, token, values }
}

const codeOf = ({ core }: World, uid: string) =>
  sixDigitCode(core.secrets.mac('approval code', uid))

const decided: Producer = async (world) => {
  const { own, decide } = await approval(world)
  must(await decide('deny'))
  return own
}

/** A client that was allowed to act for a person, with the code of the consent. */
async function authorized(world: World) {
  const { client_id } = (await register(world.url)).body as { client_id: string }
  const { verifier, challenge } = pkce()
  const person = await world.a.developer()
  const { answer } = await consent(world.url, person, authorizeUrl(client_id, challenge))
  const exchange = { ...codeFields(client_id, answer.code!), code_verifier: verifier }
  return { client_id, person, exchange }
}

async function authorizing(world: World): Promise<string> {
  const { client_id } = (await register(world.url)).body as { client_id: string }
  return authorizeUrl(client_id, pkce().challenge)
}

const withKeys =
  (kind: 'player' | 'agent', scope: string): Producer =>
  async ({ a, sql }) => {
    const person = await a.developer()
    const { uid } = await a.key(kind, person, [scope])
    const copy = sql`
      select gen_random_uuid(), user_uid, kind, name, scopes, prefix,
        sha256(gen_random_uuid()::text::bytea), game_uid
      from access_keys, generate_series(1, 49)
      where uid = ${uid}`
    await sql`
      insert into access_keys
        (uid, user_uid, kind, name, scopes, prefix, key_hash, game_uid)
      ${copy}`
    return { token: person.token, body: { name: 'One more', scopes: [scope] } }
  }

const newKey =
  (scope: string): Producer =>
  async ({ a }) => ({ token: (await a.developer()).token, body: { name: 'Key', scopes: [scope] } })

const revokedKey =
  (kind: 'player' | 'agent', scope: string): Producer =>
  async ({ a }) => {
    const person = await a.developer()
    return { token: person.token, values: { uid: (await a.key(kind, person, [scope])).uid } }
  }

/** What an agent that withdraws or restores a build is answered while it has no approval. */
function withdrawalApprovals(method: 'put' | 'delete', body?: object): Record<string, Producer> {
  const name = `${method}_private_games_uid_builds_build_id_withdrawal`
  const sent = body ? { body } : {}
  return {
    [`${name} 202`]: async (world) => {
      const { key, values } = await approval(world, await world.built())
      return { token: key, values, ...sent }
    },
    [`${name} 409`]: async (world) => {
      const { key, listing, build_id, values } = await approval(world, await world.built())
      const headers = { 'idempotency-key': randomUUID() }
      const path = `${GAMES}/${listing.uid}/builds/${build_id}/withdrawal`
      const pending = await world.call(method.toUpperCase(), path, { token: key, headers, ...sent })
      const { uid } = pending.body.data.approval
      await world.sql`update approvals set status = 'used' where uid = ${uid}`
      return { token: key, headers, values, ...sent }
    },
    [`${name} 429`]: async (world) => {
      const { key, values } = await manyApprovals(world)
      return { token: key, values, ...sent }
    },
  }
}

/** An agent whose person has as many open requests as an hour allows. */
async function manyApprovals(world: World) {
  const made = await approval(world, await world.built())
  await world.sql`
    insert into approvals (uid, user_uid, credential_uid, game_uid, action, subject, summary,
      idempotency_key, expires_at)
    select gen_random_uuid(), user_uid, credential_uid, game_uid, action, number::text, summary,
      number::text, expires_at
    from approvals, generate_series(1, 19) as number
    where uid = ${made.uid}`
  return made
}

export const agentAnswers: Record<string, Producer> = {
  'post_private_account_player_keys 201': newKey('player:read'),
  'post_private_account_agent_keys 201': newKey('mcp:read'),
  'post_private_account_player_keys 409': withKeys('player', 'player:read'),
  'post_private_account_agent_keys 409': withKeys('agent', 'mcp:read'),
  'post_private_account_agent_keys 404': ({ owner }) => ({
    token: owner.token,
    body: { name: 'Key', scopes: ['mcp:read'], game_uid: randomUUID() },
  }),
  'delete_private_account_player_keys_uid 200': revokedKey('player', 'player:read'),
  'delete_private_account_agent_keys_uid 200': revokedKey('agent', 'mcp:read'),
  'get_private_approvals_uid 200': async (world) => (await approval(world)).agent,
  'post_private_approvals_uid_approve 200': async (world) => (await approval(world)).own,
  'post_private_approvals_uid_deny 200': async (world) => (await approval(world)).own,
  'post_private_approvals_uid_confirm 200': async (world) => {
    const { agent, uid } = await approval(world)
    return { ...agent, body: { code: codeOf(world, uid) } }
  },
  'post_private_approvals_uid_approve 409': decided,
  'post_private_approvals_uid_deny 409': decided,
  'post_private_approvals_uid_confirm 409': async (world) => {
    const { agent, uid, decide } = await approval(world)
    must(await decide('deny'))
    return { ...agent, body: { code: codeOf(world, uid) } }
  },
  'put_private_games_uid_channels_channel 202': async (world) => (await approval(world)).repeated,
  'put_private_games_uid_channels_channel 409': async (world) => {
    const { decide, repeated } = await approval(world)
    must(await decide('approve'))
    const { uid } = repeated.values!
    must(await world.put(`${GAMES}/${uid}/channels/stable`, repeated.body, repeated))
    return repeated
  },
  'put_private_games_uid_channels_channel 429': async (world) => {
    const { repeated } = await manyApprovals(world)
    return { ...repeated, headers: {}, body: { ...(repeated.body as object), expires_in_hours: 5 } }
  },
  'delete_private_games_uid_builds_build_id 202': async (world) => {
    const { key, values } = await approval(world)
    return { token: key, values }
  },
  'delete_private_games_uid_builds_build_id 409': async (world) => {
    const { key, listing, build_id, values, token } = await approval(world)
    const headers = { 'idempotency-key': randomUUID() }
    const path = `${GAMES}/${listing.uid}/builds/${build_id}`
    const { body } = await world.del(path, { token: key, headers })
    const { uid } = body.data.approval
    must(await world.post(`/api/v1/private/approvals/${uid}/approve`, undefined, { token }))
    await world.sql`update approvals set status = 'used' where uid = ${uid}`
    return { token: key, headers, values }
  },
  'delete_private_games_uid_builds_build_id 429': async (world) => {
    const { key, values } = await manyApprovals(world)
    return { token: key, values }
  },
  ...withdrawalApprovals('put', { reason: 'It deletes saved games' }),
  ...withdrawalApprovals('delete'),
  'post_oauth_register 201': () => ({
    body: { redirect_uris: [CALLBACK], client_name: 'An app' },
  }),
  'post_oauth_token 200': async (world) => form((await authorized(world)).exchange),
  'post_oauth_revoke 200': async (world) => {
    const { client_id } = await authorized(world)
    return form({ token: 'ended', client_id })
  },
  'post_oauth_device 200': () => form({ client_id: DEVICE_CLIENT, device_name: 'desk' }),
  'post_oauth_device 401': () => form({ client_id: 'unknown' }),
  'post_oauth_token 401': () => form({ ...codeFields('unknown', 'x'), code_verifier: 'x' }),
  'post_oauth_revoke 401': () => form({ token: 'x', client_id: 'unknown' }),
  'get_oauth_authorize 303': async (world) => ({ path: await authorizing(world) }),
  'get_oauth_authorize_uid 303': async (world) => {
    const person = await world.a.developer()
    const { go, jar } = browser(world.url, person.token)
    const { location } = await go(await authorizing(world))
    const page = await go(location)
    const sent = await go(location, {
      mark: consentMark(page.text),
      scopes: ['mcp:read'],
      allow: 'yes',
    })
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const { pathname, search } = new URL(sent.location, world.url)
    return { path: `${pathname}${search}`, headers: { cookie } }
  },
  'delete_private_account_agent_access_uid 200': async (world) => {
    const { exchange, person } = await authorized(world)
    await world.call('POST', '/oauth/token', form(exchange))
    const { grants } = must(await world.get('/api/v1/private/account/agent-access', person))
    return { token: person.token, values: { uid: grants[0].uid } }
  },
}
