import { randomUUID } from 'node:crypto'
import { sixDigitCode } from '../../../../src/accounts/credentials/codes.ts'
import { linkToken } from '../../../../src/accounts/credentials/link-tokens.ts'
import { createAuthenticator } from '../../../accounts/passkeys/authenticator.ts'
import { enrollTotp, totpCode } from '../../../accounts/second-factor/fixtures.ts'
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
import { eventually, outbox } from '../../../support/app.ts'
import {
  addAdmin,
  codeIn,
  must,
  newAddress,
  PASSWORD,
  suspendPerson,
} from '../../../support/builders.ts'
import { form as multipart } from '../../../support/images.ts'
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

const invite: Producer = async (world) => {
  const { listing } = await world.fresh()
  const person = await world.a.developer()
  await addAdmin(world.sql, listing.uid, person.uid, false)
  return { token: person.token, values: { uid: listing.uid } }
}

/** The callback that the store redirects a person to, who linked an account of it. */
async function linkedCallback(world: World, account = world.store.control.account({}).id) {
  const person = await world.a.user()
  const { body } = await world.get('/api/v1/private/account/extstore/link', person)
  const login = new URL(body.data.url)
  login.searchParams.set('sim_account', account)
  const back = await fetch(login, { redirect: 'manual' })
  const { pathname, search } = new URL(back.headers.get('location')!)
  return { account, request: { token: person.token, path: `${pathname}${search}` } }
}

/** A person who confirms a new address with the code that was mailed to it. */
async function changingEmail({ a, post, data_dir }: World, email: string): Promise<Request> {
  const { token } = await a.user()
  const headers = newAddress()
  const change = { email, password: PASSWORD }
  must(await post('/api/v1/private/account/email-change', change, { token, headers }))
  const { text } = await eventually('the mail with the code', () =>
    outbox(data_dir).find(({ to }) => to === email),
  )
  return { token, body: { code: codeIn(text) } }
}

const profileImage = async ({ a, image }: World, kind: string): Promise<Request> => ({
  token: (await a.user()).token,
  ...(await image(kind)),
})

/** A person with an authenticator app. */
async function secured(world: World) {
  const { token } = await world.a.user()
  return { token, secret: (await enrollTotp(world, { token })).secret }
}

/** A request that gives a person this address back. */
async function undoingEmail({ a, core, sql }: World, previous_email: string): Promise<Request> {
  const { uid } = await a.user()
  const nonce = randomUUID()
  await sql`
    insert into email_undos (nonce, user_uid, previous_email, expires_at)
    values (${nonce}, ${uid}, ${previous_email}, now() + interval '1 day')`
  return { body: { token: linkToken(core, 'email undo', nonce) } }
}

/** A person whose second factor is to be reset, and the token that stops it. */
async function waitingReset({ a, core, sql }: World) {
  const { uid, token } = await a.user()
  const nonce = randomUUID()
  await sql`
    insert into second_factor_resets (nonce, user_uid, due_at)
    values (${nonce}, ${uid}, now() + interval '1 day')`
  return { token, link: linkToken(core, 'second factor reset', nonce) }
}

/** A person who is to finish signing in. */
async function secondStep(world: World) {
  const person = await world.a.user()
  const { secret } = await enrollTotp(world, person)
  const login = { login: person.username, password: PASSWORD }
  const { body } = await world.post('/api/v1/private/account/login', login, {
    headers: newAddress(),
  })
  return { person, body: { ticket: body.data.ticket, code: totpCode(secret) } }
}

/** A request that adds a passkey. */
async function newPasskey(
  { post, url }: World,
  { token }: { token: string },
  authenticator = createAuthenticator(url),
) {
  const path = '/api/v1/private/account/passkeys/options'
  const { options } = must(await post(path, undefined, { token }))
  const body = { name: 'Phone', response: authenticator.create(options) }
  return { token, body, authenticator }
}

/** A person with a passkey, and a request that answers a challenge with it. */
async function withPasskey(world: World) {
  const person = await world.a.user()
  const { authenticator, ...request } = await newPasskey(world, person)
  const { uid } = must(await world.call('POST', '/api/v1/private/account/passkeys', request))
  const path = '/api/v1/private/account/login/passkey-options'
  const { options } = must(await world.post(path, undefined, { headers: newAddress() }))
  const answer: Request = { body: { response: authenticator.answer(options) } }
  return { person, authenticator, uid: uid as string, answer }
}

const ownPasskey = async (world: World): Promise<Request> => {
  const { person, uid } = await withPasskey(world)
  return { token: person.token, values: { uid } }
}

export const accountAnswers: Record<string, Producer> = {
  'post_private_operations_jobs_replay 200': ({ owner }) => ({ token: owner.token, body: {} }),
  'post_private_operations_test_mail 200': ({ owner }) => ({ token: owner.token }),
  'post_private_account_store_terms 200': async ({ a, core, sql }) => {
    await sql`
      insert into policies (kind, version, text, summary, effective_from)
      values ('terms', 1, 'Be kind.', '', now() + interval '300 days')`
    await core.settings.reload()
    return { token: (await a.user()).token, body: { store_terms_version: 1 } }
  },
  'post_private_operations_policies 201': ({ owner }) => ({
    token: owner.token,
    body: { kind: 'about', text: 'We are here.' },
  }),
  'post_private_operations_policies 409': ({ owner }) => ({
    token: owner.token,
    body: { kind: 'about', text: 'We are here.', previous_version: 900 },
  }),
  'post_private_account_register 201': () => ({
    body: { username: 'someone', email: 'someone@example.com', password: PASSWORD },
  }),
  'post_private_account_register 409': ({ owner: { username } }) => ({
    body: { username, email: 'other@example.com', password: PASSWORD },
  }),
  'post_private_account_login 200': ({ owner }) => ({
    body: { login: owner.username, password: PASSWORD },
  }),
  'post_private_account_login 401': ({ owner }) => ({
    body: { login: owner.username, password: 'another password' },
  }),
  'post_private_account_login_second_step 200': secondStep,
  'post_private_account_login_second_step 403': async (world) => {
    const { person, body } = await secondStep(world)
    await suspendPerson(world.sql, person.uid)
    return { body }
  },
  'post_private_account_login_second_step 401': () => ({ body: { ticket: 'x', code: '123456' } }),
  'post_private_account_confirm_code 200': async (world) => {
    const { token, secret } = await secured(world)
    return { token, body: { code: totpCode(secret) } }
  },
  'post_private_account_totp 200': async ({ a }) => ({ token: (await a.user()).token }),
  'post_private_account_totp 409': (world) => secured(world),
  'post_private_account_totp_confirm 200': async ({ a, post }) => {
    const { token } = await a.user()
    const { secret } = must(await post('/api/v1/private/account/totp', undefined, { token }))
    return { token, body: { code: totpCode(secret) } }
  },
  'delete_private_account_totp 200': (world) => secured(world),
  'delete_private_account_totp 404': async ({ a }) => ({ token: (await a.user()).token }),
  'post_private_account_recovery_codes 200': (world) => secured(world),
  'post_private_account_recovery_codes 409': async ({ a }) => ({ token: (await a.user()).token }),
  'post_private_account_login_passkey_options 200': () => ({}),
  'post_private_account_login_passkey 200': async (world) => (await withPasskey(world)).answer,
  'post_private_account_login_passkey 401': () => ({ body: { response: {} } }),
  'post_private_account_login_passkey 403': async (world) => {
    const { answer, person } = await withPasskey(world)
    await suspendPerson(world.sql, person.uid)
    return answer
  },
  'post_private_account_confirm_passkey 200': async (world) => {
    const { answer, person } = await withPasskey(world)
    return { ...answer, token: person.token }
  },
  'post_private_account_passkeys_options 200': async ({ a }) => ({
    token: (await a.user()).token,
  }),
  'post_private_account_passkeys 201': async (world) => newPasskey(world, await world.a.user()),
  'post_private_account_passkeys 409': async (world) => {
    const { person, authenticator } = await withPasskey(world)
    return newPasskey(world, person, authenticator)
  },
  'patch_private_account_passkeys_uid 200': async (world) => ({
    ...(await ownPasskey(world)),
    body: { name: 'Phone' },
  }),
  'delete_private_account_passkeys_uid 200': (world) => ownPasskey(world),
  'delete_private_account_sessions 200': async ({ a }) => ({ token: (await a.user()).token }),
  'delete_private_account_sessions_uid 200': async ({ a, get }) => {
    const { token } = await a.user()
    const { sessions } = must(await get('/api/v1/private/account/sessions', { token }))
    return { token, values: { uid: sessions[0].uid } }
  },
  'post_private_account_logout 200': async ({ a }) => ({ token: (await a.user()).token }),
  'post_private_account_confirm_password 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { password: PASSWORD },
  }),
  'post_private_account_email_code 200': async ({ a }) => ({ token: (await a.user()).token }),
  'post_private_account_email_code 409': ({ owner }) => ({ token: owner.token }),
  'post_private_account_verify_email 200': async ({ a }) => {
    const person = await a.user()
    return { token: person.token, body: { code: await a.mailedCode(person) } }
  },
  'post_private_account_forgot_password 202': ({ owner }) => ({ body: { login: owner.username } }),
  'post_private_account_reset_password 200': async ({ a, post, data_dir }) => {
    const { username, email } = await a.verified()
    const headers = newAddress()
    must(await post('/api/v1/private/account/forgot-password', { login: username }, { headers }))
    const { text } = await eventually('the mail with the link', () =>
      outbox(data_dir).find(({ to }) => to === email),
    )
    const token = text.match(/[0-9a-f-]{36}\.[\w-]+/)![0]
    return { body: { token, password: `${PASSWORD} staple` } }
  },
  'post_private_account_developer 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { enabled: true, accept_terms: true },
  }),
  'post_private_account_developer 409': ({ owner }) => ({
    token: owner.token,
    body: { enabled: false },
  }),
  'put_private_settings_adult 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { show: true, confirm_18: true },
  }),
  'put_private_settings_profile 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { bio: 'I row.' },
  }),
  'post_private_settings_profile_images 200': (world) => profileImage(world, 'avatar'),
  'post_private_settings_profile_images 422': async ({ a }) => ({
    token: (await a.user()).token,
    ...(await multipart({ kind: 'avatar' }, [{ bytes: Buffer.from('text') }])),
  }),
  'delete_private_settings_profile_images_kind 200': async (world) => {
    const upload = await profileImage(world, 'banner')
    must(await world.call('POST', '/api/v1/private/settings/profile/images', upload))
    return { token: upload.token, values: { kind: 'banner' } }
  },
  'put_private_settings_language 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { language: null },
  }),
  'put_private_settings_theme 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { theme: 'dark' },
  }),
  'post_private_account_email_change 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { email: 'changed@example.com', password: PASSWORD },
  }),
  'post_private_account_email_change 409': async ({ a, owner }) => ({
    token: (await a.user()).token,
    body: { email: owner.email, password: PASSWORD },
  }),
  'post_private_account_email_change_confirm 200': async (world) =>
    changingEmail(world, 'confirmed@example.com'),
  'post_private_account_email_change_confirm 409': async (world) => {
    const request = await changingEmail(world, 'taken@example.com')
    const other = await world.a.user()
    await world.sql`update users set email = 'taken@example.com' where uid = ${other.uid}`
    return request
  },
  'post_private_account_second_factor_reset_stop 200': async (world) => ({
    body: { token: (await waitingReset(world)).link },
  }),
  'delete_private_account_second_factor_reset 200': async (world) => ({
    token: (await waitingReset(world)).token,
  }),
  'delete_private_account_second_factor_reset 404': async ({ a }) => ({
    token: (await a.user()).token,
  }),
  'post_private_account_email_change_undo 200': async (world) =>
    undoingEmail(world, 'restored@example.com'),
  'post_private_account_email_change_undo 409': async (world) =>
    undoingEmail(world, world.owner.email),
  'post_private_account_password 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { current_password: PASSWORD, password: `${PASSWORD} staple` },
  }),
  'post_private_account_export 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { password: PASSWORD },
  }),
  'post_private_account_delete 200': async ({ a }) => {
    const { token, username } = await a.user()
    return { token, body: { username, password: PASSWORD } }
  },
  'post_private_account_delete 409': ({ owner: { token, username } }) => ({
    token,
    body: { username, password: PASSWORD },
  }),
  'put_private_games_uid_library_hidden 200': async (world) => ({
    ...(await world.played()),
    body: { hidden: true },
  }),
  'delete_private_games_uid_library 200': (world) => world.played(),
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
  'post_private_invites_uid_accept 200': invite,
  'post_private_invites_uid_decline 200': invite,
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
  'get_private_account_extstore_callback 200': async (world) =>
    (await linkedCallback(world)).request,
  'get_private_account_extstore_callback 303': async (world) => ({
    ...(await linkedCallback(world)).request,
    headers: { accept: 'text/html' },
  }),
  'get_private_account_extstore_callback 409': async (world) => {
    const { account, request } = await linkedCallback(world)
    await world.get(request.path, request)
    return (await linkedCallback(world, account)).request
  },
  'get_private_account_extstore_callback 502': async (world) => {
    const { request } = await linkedCallback(world)
    world.store.control.fault({ on: 'any', mode: 'status', status: 503 })
    return request
  },
  'delete_private_account_extstore 200': async ({ a }) => ({ token: (await a.user()).token }),
}

/** An agent whose person has as many open requests as an hour allows. */
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
