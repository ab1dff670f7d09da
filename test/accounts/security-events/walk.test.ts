import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventKind, eventKinds } from '../../../src/accounts/security-events/kinds.ts'
import { keyCommands } from '../../../src/admin/keys/commands.ts'
import { grantedTokens } from '../../agents/oauth-flow.ts'
import { OPERATIONS, startConsole } from '../../operator/fixtures.ts'
import { eventually, outbox } from '../../support/app.ts'
import { addAdmin, codeIn, must, newAddress, PASSWORD } from '../../support/builders.ts'
import { createAuthenticator } from '../passkeys/authenticator.ts'
import { ACCOUNT, enrollTotp, totpCode } from '../second-factor/fixtures.ts'

const NEW_PASSWORD = 'another long passphrase'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

test('a real request produces each kind of security event', async (t) => {
  const app = await startConsole(t, { PROXY_HOPS: '1' })
  const { a, call, post, put, del, get, sql, core, url, data_dir, operator, signedIn } = app
  const person = await a.verified()
  const other = await a.verifiedDeveloper()
  const listing = await a.listing()
  const { uid: game_uid, owner } = listing
  const GAME = `/api/v1/private/games/${game_uid}`
  const RESET = `${OPERATIONS}/people/${other.uid}/second-factor-reset`
  const AGENTS = `${ACCOUNT}/agent-access`
  const authenticator = createAuthenticator(new URL(core.addresses.web_url).origin)
  const headers = { ...newAddress(), 'user-agent': FIREFOX }
  const login = (password: string, login = person.username) =>
    post(`${ACCOUNT}/login`, { login, password }, { headers: { ...newAddress() } })
  const mailTo = (to: string, text: RegExp) =>
    eventually('a mail', () =>
      outbox(data_dir).findLast((mail) => mail.to === to && text.test(mail.text)),
    )
  let totp = { secret: '', recovery_codes: [''] }
  const ticket = async () => (await login(PASSWORD)).body.data.ticket as string
  let passkey_uid = ''
  let key_uid = ''
  let former_email = ''
  const reset = keyCommands.find(({ name }) => name === 'second-factor reset')!

  const steps: Record<EventKind, () => Promise<unknown>> = {
    sign_in: async () =>
      must(
        await post(`${ACCOUNT}/login`, { login: person.email, password: PASSWORD }, { headers }),
      ),
    sign_in_failed: () => login('wrong'),
    totp_added: async () => {
      totp = await enrollTotp(app, person)
    },
    second_step_used: async () =>
      must(
        await post(`${ACCOUNT}/login/second-step`, {
          ticket: await ticket(),
          code: totpCode(totp.secret),
        }),
      ),
    second_step_failed: async () =>
      post(`${ACCOUNT}/login/second-step`, { ticket: await ticket(), code: '000000' }),
    step_up: async () =>
      must(await post(`${ACCOUNT}/confirm-password`, { password: PASSWORD }, person)),
    step_up_failed: () => post(`${ACCOUNT}/confirm-password`, { password: 'wrong' }, person),
    sessions_ended: async () => {
      const { session } = must(await login(PASSWORD, other.username))
      must(await del(`${OPERATIONS}/people/${other.uid}/sessions`, operator))
      assert.equal((await get(ACCOUNT, session)).status, 401)
      other.token = must(await login(PASSWORD, other.username)).session.token
    },
    recovery_codes_replaced: async () =>
      must(await post(`${ACCOUNT}/recovery-codes`, undefined, person)),
    passkey_added: async () => {
      const { options } = must(await post(`${ACCOUNT}/passkeys/options`, undefined, person))
      const body = { name: 'Phone', response: authenticator.create(options) }
      passkey_uid = must(await post(`${ACCOUNT}/passkeys`, body, person)).uid
    },
    passkey_removed: async () => must(await del(`${ACCOUNT}/passkeys/${passkey_uid}`, person)),
    totp_removed: async () => must(await del(`${ACCOUNT}/totp`, person)),
    second_factor_reset: async () => {
      await enrollTotp(app, other)
      const run = { core, args: [other.username], flags: new Set<string>(), options: {} }
      await reset.run({ ...run, progress() {}, signal: t.signal })
      other.token = must(await login(PASSWORD, other.username)).session.token
    },
    second_factor_reset_requested: async () => {
      await enrollTotp(app, other)
      must(await put(RESET, undefined, operator))
    },
    second_factor_reset_stopped: async () => must(await del(RESET, operator)),
    second_factor_reset_applied: async () => {
      must(await put(RESET, undefined, operator))
      await sql`update second_factor_resets set due_at = now() where applied_at is null`
      other.token = must(await login(PASSWORD, other.username)).session.token
    },
    email_changed: async () => {
      const email = 'new-address@example.com'
      must(await post(`${ACCOUNT}/email-change`, { email, password: PASSWORD }, person))
      const code = codeIn((await mailTo(email, /code/)).text)
      must(await post(`${ACCOUNT}/email-change/confirm`, { code }, person))
      former_email = person.email
      person.email = email
    },
    password_changed: async () => {
      const body = { current_password: PASSWORD, password: NEW_PASSWORD }
      must(await post(`${ACCOUNT}/password`, body, person))
    },
    email_change_undone: async () => {
      const { text } = await mailTo(former_email, /undo/)
      const token = text.match(/token=(\S+)/)![1]!
      must(await post(`${ACCOUNT}/email-change/undo`, { token }))
      person.email = former_email
    },
    password_reset_requested: async () =>
      must(await post(`${ACCOUNT}/forgot-password`, { login: person.email })),
    password_reset: async () => {
      const { text } = await mailTo(person.email, /password\/new/)
      const token = text.match(/token=(\S+)/)![1]!
      must(await post(`${ACCOUNT}/reset-password`, { token, password: PASSWORD }))
      person.token = must(await login(PASSWORD)).session.token
    },
    key_created: async () => {
      key_uid = (await a.key('player', person, ['player:read'])).uid
    },
    key_revoked: async () => must(await del(`${ACCOUNT}/player-keys/${key_uid}`, person)),
    deploy_key_created: () => a.deployer(listing),
    deploy_key_revoked: async () => must(await del(`${GAME}/deploy-keys`, owner)),
    webhook_secret_created: async () =>
      must(await put(`${GAME}/bug-reporter`, { enabled: true }, owner)),
    webhook_secret_shown: () =>
      signedIn(owner).send(`/dashboard/${listing.vanity_name}/bugs/signing-key/reveal`, {}),
    grant_created: () => grantedTokens(url, owner),
    grant_revoked: async () => {
      const { grants } = must(await get(AGENTS, owner))
      must(await del(`${AGENTS}/${grants[0].uid}`, owner))
    },
    admin_invited: async () =>
      must(await post(`${GAME}/admins`, { username: other.username }, owner)),
    admin_joined: async () =>
      must(await post(`/api/v1/private/invites/${game_uid}/accept`, undefined, other)),
    upload_ended: async () => {
      const { build_id } = await a.cleanBuild(listing)
      const fields = { build_id, filename: 'a.zip', total_size: '9' }
      const form = { ...fields, checksum: 'a'.repeat(64) }
      const raw = String(new URLSearchParams(form))
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      must(await call('POST', `${GAME}/files/sessions`, { raw, headers: type, token: other.token }))
      must(await del(`${GAME}/admins/${other.uid}`, owner))
      await addAdmin(sql, game_uid, other.uid)
    },
    approval_ended: async () => {
      const { key } = await a.key('agent', other, ['mcp:read', 'mcp:build.write'])
      const [build] = await sql`select uid from builds where game_uid = ${game_uid}`
      const refusal = await del(`${GAME}/builds/${build!.uid}`, { token: key })
      assert.equal(refusal.body.error.code, 4214)
      must(await del(`${GAME}/admins/${other.uid}`, owner))
      await addAdmin(sql, game_uid, other.uid)
    },
    admin_removed: async () => must(await del(`${GAME}/admins/${other.uid}`, owner)),
    operator_added: async () =>
      must(await put(`${OPERATIONS}/people/${other.uid}/operator`, undefined, operator)),
    operator_removed: async () =>
      must(await del(`${OPERATIONS}/people/${other.uid}/operator`, operator)),
    moderator_added: async () =>
      must(await put(`/api/v1/private/moderation/team/${other.username}`, undefined, operator)),
    moderator_removed: async () =>
      must(await del(`/api/v1/private/moderation/team/${other.username}`, operator)),
    account_created: async () => {
      const fields = { username: 'newcomer', email: 'newcomer@example.com', password: PASSWORD }
      must(await post(`${ACCOUNT}/register`, fields))
    },
    account_exported: async () =>
      must(await post(`${ACCOUNT}/export`, { password: PASSWORD }, person)),
    listing_deleted: async () => must(await del(GAME, owner)),
    account_deleted: async () => {
      const { username } = other
      must(await post(`${ACCOUNT}/delete`, { username, password: PASSWORD }, other))
    },
  }
  for (const [kind, step] of Object.entries(steps)) {
    const count = async () => (await sql`select from security_events where kind = ${kind}`).length
    const before = await count()
    await step()
    assert.equal((await count()) - before > 0, true, kind)
  }
  assert.deepEqual(Object.keys(steps).sort(), [...eventKinds].sort())

  const [first] = await sql`
    select user_uid, actor_uid, actor, network, browser, system, request_id, detail
    from security_events
    where kind = 'sign_in' and user_uid = ${person.uid}
    order by at
    limit 1`
  assert.match(first!.request_id, /^\S{8,}$/)
  assert.deepEqual(
    { ...first, request_id: null },
    {
      user_uid: person.uid,
      actor_uid: person.uid,
      actor: 'visitor',
      network: `${headers['x-forwarded-for'].replace(/\.\d+$/, '')}.0/24`,
      browser: 'Firefox',
      system: 'Linux',
      request_id: null,
      detail: { method: 'password' },
    },
  )
  const [deleted] = await sql`
    select user_uid, actor_uid, detail from security_events where kind = 'account_deleted'`
  assert.deepEqual({ ...deleted }, { user_uid: null, actor_uid: null, detail: {} })
})
