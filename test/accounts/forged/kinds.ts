import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { linkToken } from '../../../src/accounts/credentials/link-tokens.ts'
import { findUserByLogin } from '../../../src/accounts/people/queries.ts'
import { issueTicket } from '../../../src/accounts/second-factor/sign-in-tickets.ts'
import { issuePlayerToken } from '../../../src/accounts/sessions/player-tokens.ts'
import { createSetupLink } from '../../../src/accounts/setup/setup-links.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import { HOUR } from '../../../src/core/runtime/units.ts'
import { newToken, uuidv7 } from '../../../src/core/security/crypto.ts'
import { signedQuery } from '../../../src/core/security/signed-links.ts'
import { grantedTokens, register, token as sendToken } from '../../agents/oauth-flow.ts'
import { fromText, newKey } from '../../core/security/secrets-fixtures.ts'
import { startApp } from '../../support/app.ts'
import { must, newAddress, PASSWORD, type Person } from '../../support/builders.ts'
import { ACCOUNT, enrollTotp } from '../second-factor/fixtures.ts'
import type { Kind } from './forgeries.ts'

export async function startStore(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const other_store = { ...app.core, secrets: await fromText(newKey()) }
  const owner = await app.a.verifiedDeveloper()
  const suspended = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  const succeeds = async (path: string, token: string) =>
    (await app.get(path, { token, headers: newAddress() })).status < 300
  const sends = async (path: string, body: object) =>
    (await app.post(path, body, { headers: newAddress() })).status < 300
  return { ...app, other_store, owner, suspended, listing, succeeds, sends }
}
type Store = Awaited<ReturnType<typeof startStore>>

async function sessionKinds({ a, post, get, sql, owner, suspended, succeeds }: Store) {
  const [ended, expired, idle] = [await a.user(), await a.user(), await a.user()]
  must(await post(`${ACCOUNT}/logout`, undefined, ended))
  await sql`update sessions set expires_at = now() where user_uid = ${expired.uid}`
  await sql`
    update sessions set last_used_at = now() - interval '31 days' where user_uid = ${idle.uid}`
  const invalid = [ended, expired, idle, suspended].map(({ token }) => token)
  const withCookie = async (text: string) =>
    (await get(ACCOUNT, { headers: { cookie: `svc_session=${text}`, ...newAddress() } })).status ===
    200
  const kind = { genuine: owner.token, prefix: 'svc_sess_' as const, invalid }
  return [
    { ...kind, name: 'session', accepts: (text: string) => succeeds(ACCOUNT, text) },
    { ...kind, name: 'session cookie', accepts: withCookie, also: ['session'] },
  ]
}

async function keyKinds({ a, del, get, owner, suspended, listing, succeeds }: Store) {
  const issue = async (kind: 'player' | 'agent', person: Person, scopes: string[]) =>
    (await a.key(kind, person, scopes)) as { key: string; uid: string }
  const revoked = async (kind: 'player' | 'agent', scopes: string[]) => {
    const { key, uid } = await issue(kind, owner, scopes)
    must(await del(`${ACCOUNT}/${kind}-keys/${uid}`, owner))
    return key
  }
  const player = ['player:read']
  const agent = ['mcp:read']
  const { headers: first } = await a.deployer(listing)
  const other = await a.deployer(await a.listing({ owner }))
  const { headers: pair } = await a.deployer(listing)
  const joined = (keys: typeof pair) => `${keys['x-access-token']} ${keys['x-secret-key']}`
  const swapped = (access: typeof pair, secret: typeof pair) =>
    `${access['x-access-token']} ${secret['x-secret-key']}`
  return [
    {
      name: 'player key',
      genuine: (await issue('player', owner, player)).key,
      prefix: 'svc_play_' as const,
      accepts: (text: string) => succeeds('/api/v1/private/library', text),
      also: ['session', 'session cookie'],
      invalid: [await revoked('player', player), (await issue('player', suspended, player)).key],
    },
    {
      name: 'agent key',
      genuine: (await issue('agent', owner, agent)).key,
      prefix: 'svc_mcp_' as const,
      accepts: (text: string) => succeeds(`/api/v1/private/games/${listing.uid}`, text),
      also: ['session', 'session cookie', 'access token'],
      invalid: [await revoked('agent', agent), (await issue('agent', suspended, agent)).key],
    },
    {
      name: 'deploy key',
      genuine: joined(pair),
      accepts: async (text: string) => {
        const [access = '', secret = ''] = text.split(' ')
        const headers = { 'x-access-token': access, 'x-secret-key': secret, ...newAddress() }
        return (await get('/api/v1/tool/builds', { headers })).status === 200
      },
      invalid: [
        joined(first),
        swapped(pair, other.headers),
        swapped(other.headers, pair),
        swapped(first, pair),
        `${pair['x-secret-key']} ${pair['x-access-token']}`,
        `${pair['x-access-token']} ${newToken('svc_dsk_')}`,
        `${newToken('svc_dat_')} ${pair['x-secret-key']}`,
      ],
    },
  ]
}

/** Disconnects an app as its person does. */
async function disconnect({ get, del, owner }: Store) {
  const { grants } = must(await get(`${ACCOUNT}/agent-access`, owner))
  must(await del(`${ACCOUNT}/agent-access/${grants[0].uid}`, owner))
}

async function grantKinds(store: Store): Promise<Kind[]> {
  const { url, sql, owner, listing, succeeds } = store
  const exchange = async (client_id: string, refresh_token: string) => {
    const fields = { grant_type: 'refresh_token', client_id, refresh_token }
    return (await sendToken(url, fields, newAddress())).status === 200
  }
  const expired = await grantedTokens(url, owner)
  await sql`update oauth_records set expires_at = now() where kind like '%Token'`
  const disconnected = await grantedTokens(url, owner)
  await disconnect(store)
  const stolen = await grantedTokens(url, owner)
  assert.ok(await exchange(stolen.client_id, stolen.refresh_token))
  assert.ok(!(await exchange(stolen.client_id, stolen.refresh_token)), 'a second use is a theft')
  const { client_id, access_token, refresh_token } = await grantedTokens(url, owner)
  const other_client = (await register(url)).body.client_id
  const ended = [expired, disconnected, stolen]
  return [
    {
      name: 'access token',
      genuine: access_token,
      prefix: 'svc_oat_',
      accepts: (text) => succeeds(`/api/v1/private/games/${listing.uid}`, text),
      also: ['session', 'session cookie', 'agent key'],
      invalid: ended.map((tokens) => tokens.access_token),
    },
    {
      name: 'refresh token',
      genuine: refresh_token,
      prefix: 'svc_ort_',
      accepts: (text) => exchange(client_id, text),
      invalid: ended.map((tokens) => tokens.refresh_token),
      once: true,
    },
    {
      name: 'refresh token of another app',
      genuine: (await grantedTokens(url, owner)).refresh_token,
      accepts: (text) => exchange(other_client, text),
      also: [],
      invalid: [],
      never: true,
    },
  ]
}

async function signedKinds({ core, other_store, a, get, owner, listing }: Store): Promise<Kind[]> {
  const now = new Date()
  const { uid } = listing
  const playerToken = (from: Core, game_uid: string, at = now) =>
    issuePlayerToken(from, owner.uid, game_uid, at).token
  const { file_uid } = await a.cleanBuild(listing)
  const later = Math.floor(now.getTime() / 1000) + HOUR
  const signed = (
    from: Core,
    expires: number,
    target = { purpose: 'download', parts: [file_uid] },
  ) => signedQuery(from, target, expires)
  const genuine = signed(core, later)
  return [
    {
      name: 'player token',
      genuine: playerToken(core, uid),
      accepts: async (token) =>
        (await get(`/api/v1/games/${uid}/bugs/notices`, { token, headers: newAddress() }))
          .status === 200,
      also: ['session', 'session cookie'],
      invalid: [
        playerToken(core, uid, new Date(now.getTime() - HOUR * 1000 - 1000)),
        playerToken(core, uuidv7()),
        playerToken(other_store, uid),
      ],
    },
    {
      name: 'download link',
      genuine,
      accepts: async (query) =>
        (await get(`/files/${file_uid}/game.zip?${query}`, { headers: newAddress() })).status ===
        200,
      invalid: [
        signed(other_store, later),
        signed(core, later - HOUR - 1),
        signed(core, later, { purpose: 'download', parts: [uuidv7()] }),
        signed(core, later, { purpose: 'crash file', parts: [file_uid] }),
        genuine.replace(String(later), String(later + 1)),
        genuine.replace(String(later), `0${later}`).replace('signature', 'signatures'),
      ],
    },
  ]
}

async function mailedKinds({ core, other_store, a, sql, sends }: Store): Promise<Kind[]> {
  const nonce = uuidv7()
  const expired = uuidv7()
  for (const [id, validity] of [
    [nonce, '1 hour'],
    [expired, '-1 second'],
  ] as const) {
    const [resets, undoes, stops] = [await a.verified(), await a.verified(), await a.verified()]
    await sql`
      insert into password_resets (user_uid, nonce, sent_at, expires_at)
      values (${resets.uid}, ${id}, now(), now() + ${validity}::interval)`
    await sql`
      insert into email_undos (nonce, user_uid, previous_email, expires_at)
      values (${id}, ${undoes.uid}, ${`former-${undoes.email}`}, now() + ${validity}::interval)`
    await sql`
      insert into second_factor_resets (nonce, user_uid, due_at)
      values (${id}, ${stops.uid}, now() + ${validity}::interval)`
  }
  // The same nonce is valid for all three, so only the purpose tells their links apart.
  const purposes = ['password reset', 'email undo', 'second factor reset'] as const
  const kind = (purpose: (typeof purposes)[number], accepts: Kind['accepts']): Kind => ({
    name: `link of the ${purpose}`,
    genuine: linkToken(core, purpose, nonce),
    accepts,
    invalid: [
      ...purposes
        .filter((other) => other !== purpose)
        .map((other) => linkToken(core, other, nonce)),
      linkToken(other_store, purpose, nonce),
      linkToken(core, purpose, expired),
      linkToken(core, purpose, uuidv7()),
    ],
    once: true,
  })
  return [
    kind('password reset', (token) =>
      sends(`${ACCOUNT}/reset-password`, { token, password: 'a new sentence' }),
    ),
    kind('email undo', (token) => sends(`${ACCOUNT}/email-change/undo`, { token })),
    kind('second factor reset', (token) => sends(`${ACCOUNT}/second-factor-reset/stop`, { token })),
  ]
}

async function firstStepKinds(store: Store): Promise<Kind[]> {
  const { core, other_store, sql, sends } = store
  const person = await store.a.verified()
  const { recovery_codes } = await enrollTotp(store, person)
  const user = (await findUserByLogin(sql, person.username))!
  const ticket = issueTicket(core, user)
  const setupToken = async () => (await createSetupLink(core))!.split('#')[1]!
  const expired = await setupToken()
  await sql`update setup_links set expires_at = now()`
  const account = { username: 'intruder', email: 'intruder@example.com', password: PASSWORD }
  return [
    {
      name: 'sign-in ticket',
      genuine: ticket,
      accepts: (text) =>
        sends(`${ACCOUNT}/login/second-step`, { ticket: text, code: recovery_codes[0] }),
      invalid: [
        issueTicket(other_store, user),
        issueTicket(core, { ...user, password_hash: 'the one before' }),
        issueTicket(core, { ...user, user_uid: uuidv7() }),
      ],
      once: true,
    },
    {
      name: 'set-up link',
      genuine: await setupToken(),
      prefix: 'svc_set_',
      accepts: (token) => sends(`${ACCOUNT}/setup`, { token, ...account }),
      invalid: [expired],
      once: true,
    },
  ]
}

/** Every kind of credential of a store. The build of signed links replaces the deploy key. */
export async function credentialKinds(store: Store): Promise<Kind[]> {
  return [
    ...(await sessionKinds(store)),
    ...(await signedKinds(store)),
    ...(await keyKinds(store)),
    ...(await grantKinds(store)),
    ...(await mailedKinds(store)),
    ...(await firstStepKinds(store)),
  ]
}
