import { randomUUID } from 'node:crypto'
import { linkToken } from '../../../../src/accounts/credentials/link-tokens.ts'
import { createAuthenticator } from '../../../accounts/passkeys/authenticator.ts'
import { enrollTotp, totpCode } from '../../../accounts/second-factor/fixtures.ts'
import { eventually, outbox } from '../../../support/app.ts'
import { codeIn, must, newAddress, PASSWORD, suspendPerson } from '../../../support/builders.ts'
import type { Producer, Request, World } from './private-world.ts'

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

export const signInAnswers: Record<string, Producer> = {
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
}
