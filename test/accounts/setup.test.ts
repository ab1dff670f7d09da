import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSetupLink } from '../../src/accounts/setup/setup-links.ts'
import { admin } from '../support/admin-run.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { must, newAddress, PASSWORD, refused } from '../support/builders.ts'
import { childService, serviceFile } from '../support/child.ts'
import { loopCount } from '../support/loop-count.ts'
import { sharedInFile } from '../support/shared.ts'

const SETUP = '/api/v1/private/account/setup'
const STATUS = '/api/v1/private/operations/status'
const MAIL = '/api/v1/private/operations/test-mail'

const account = (username: string) => ({
  username,
  email: `${username}@example.com`,
  password: PASSWORD,
})

const startShared = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1' }))

/** A service of a database without people and links. */
async function startSetup(t: TestContext, env?: object) {
  const app = await (env ? startApp(t, { PROXY_HOPS: '1', ...env }) : startShared(t))
  await app.sql`delete from users`
  await app.sql`delete from setup_links`
  const newToken = async () => (await createSetupLink(app.core))!.split('#')[1]!
  const setUp = (fields: object, token?: string) =>
    app.post(SETUP, fields, { headers: newAddress(), ...(token && { token }) })
  const operators = async () =>
    (
      await app.sql<{ username: string }[]>`
      select u.username from operators o join users u on u.uid = o.user_uid`
    ).map(({ username }) => username)
  return { ...app, newToken, setUp, operators }
}

test('a set-up link makes a new account the first operator, once', async (t) => {
  const { newToken, setUp, operators, get, core, sql } = await startSetup(t)
  const link = await createSetupLink(core)
  assert.match(link!, /^http:\/\/[^#]+\/setup#svc_set_\w+$/)
  const token = await newToken()
  const [{ stored }] =
    (await sql`select string_agg(l::text, ' ') as stored from setup_links l`) as any
  assert.ok(!stored.includes(token), 'only hashes are stored')
  const { username, session } = must(await setUp({ token, ...account('harbor-master') }))
  assert.equal(username, 'harbor-master')
  must(await get(STATUS, { token: session.token }))
  assert.deepEqual(await operators(), ['harbor-master'])
  assert.deepEqual(refused(await setUp({ token, ...account('second-one') })), [403, 4272])
  const older = link!.split('#')[1]
  assert.deepEqual(refused(await setUp({ token: older, ...account('second-one') })), [403, 4272])
  assert.equal(await createSetupLink(core), undefined)
  const [{ count }] = (await sql`select count(*)::int as count from users`) as any
  assert.equal(count, 1)
})

test('a signed-in person becomes the first operator with their account', async (t) => {
  const { a, newToken, setUp, operators, get } = await startSetup(t)
  const person = await a.user()
  const token = await newToken()
  assert.deepEqual(must(await setUp({ token }, person.token)), {
    username: person.username,
    session: null,
  })
  assert.deepEqual(await operators(), [person.username])
  must(await get(STATUS, person))
})

test('a key of a person does not make them an operator', async (t) => {
  const { a, newToken, setUp, operators } = await startSetup(t)
  const person = await a.verified()
  const { key } = await a.key('player', person, ['player:write'])
  const token = await newToken()
  assert.deepEqual(refused(await setUp({ token }, key)), [400, 4000])
  assert.deepEqual(await operators(), [])
})

test('unknown, mistyped and expired tokens are refused alike', async (t) => {
  const { newToken, setUp, operators, sql } = await startSetup(t)
  const token = await newToken()
  const typo = token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x')
  for (const wrong of ['', 'x', typo, `${token}x`])
    assert.deepEqual(
      refused(await setUp({ token: wrong, ...account('harbor-master') })),
      [403, 4272],
    )
  await sql`update setup_links set expires_at = now() - interval '1 second'`
  assert.deepEqual(refused(await setUp({ token, ...account('harbor-master') })), [403, 4272])
  await sql`update setup_links set expires_at = now() + interval '1 minute'`
  must(await setUp({ token, ...account('harbor-master') }))
  assert.deepEqual(await operators(), ['harbor-master'])
})

test('a link is valid for 24 hours', async (t) => {
  const { newToken, sql } = await startSetup(t)
  await newToken()
  const [{ hours }] = (await sql`
    select round(extract(epoch from expires_at - created_at) / 3600)::int as hours
    from setup_links`) as any
  assert.equal(hours, 24)
})

test('a refused account leaves the link usable', async (t) => {
  const { a, newToken, setUp, operators } = await startSetup(t)
  const { username } = await a.user()
  const token = await newToken()
  assert.deepEqual(refused(await setUp({ token })), [400, 4000])
  assert.deepEqual(refused(await setUp({ token, ...account('abc') })), [400, 4000])
  const taken = { ...account('harbor-master'), username }
  assert.deepEqual(refused(await setUp({ token, ...taken })), [409, 4090])
  assert.deepEqual(await operators(), [])
  must(await setUp({ token, ...account('harbor-master') }))
})

test('of people who use links at the same time, one becomes the operator', async (t) => {
  const { newToken, setUp, operators, sql } = await startSetup(t)
  const shared = await newToken()
  const other = await newToken()
  const answers = await Promise.all(
    [shared, shared, other, shared, other].map((token, i) =>
      setUp({ token, ...account(`person-${i}-of-five`) }),
    ),
  )
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, 403, 403, 403, 403])
  assert.equal((await operators()).length, 1)
  const [{ count }] = (await sql`select count(*)::int as count from users`) as any
  assert.equal(count, 1, 'those who came too late have no account')
})

test('guesses are limited to 30 an hour per address', async (t) => {
  const { post } = await startSetup(t)
  const headers = newAddress()
  for (let i = 0; i < 30; i++)
    assert.deepEqual(refused(await post(SETUP, { token: 'x' }, { headers })), [403, 4272])
  assert.deepEqual(refused(await post(SETUP, { token: 'x' }, { headers })), [429, 4290])
})

test('many starts without an operator keep a bounded number of links', async (t) => {
  const { newToken, setUp, sql } = await startSetup(t)
  const first = await newToken()
  let last = ''
  for (let i = 0; i < 20; i++) last = await newToken()
  const [{ count }] = (await sql`select count(*)::int as count from setup_links`) as any
  assert.equal(count, 20)
  assert.deepEqual(refused(await setUp({ token: first, ...account('harbor-master') })), [403, 4272])
  must(await setUp({ token: last, ...account('harbor-master') }))
})

test('the command prints a link, and refuses in a sentence once there is an operator', async (t) => {
  const { settings, setUp, operators } = await startSetup(t)
  const made = await admin(settings, 'setup-link')
  assert.equal(made.code, 0)
  const token = made.stdout.match(/\/setup#(svc_set_\w+)/)![1]!
  must(await setUp({ token, ...account('harbor-master') }))
  assert.deepEqual(await operators(), ['harbor-master'])
  const again = await admin(settings, 'setup-link')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /already has an operator.*operators add/s)
  assert.equal((await admin(settings, 'setup-link', 'more')).code, 2)
})

test('a test mail goes to the operator, and only operators send it', async (t) => {
  const { a, newToken, setUp, post, data_dir } = await startSetup(t)
  const { session } = must(await setUp({ token: await newToken(), ...account('harbor-master') }))
  const operator = { token: session.token }
  const answer = must(await post(MAIL, undefined, operator))
  assert.deepEqual(answer, { to: 'harbor-master@example.com', delivery: 'outbox' })
  const mail = await eventually('the mail', () =>
    outbox(data_dir).find(({ subject }) => /Test mail/.test(subject)),
  )
  assert.equal(mail.to, 'harbor-master@example.com')
  assert.match(mail.subject, /Test mail/)
  assert.deepEqual(refused(await post(MAIL, undefined, await a.user())), [403, 4030])
  for (let i = 0; i < 9; i++) must(await post(MAIL, undefined, operator))
  assert.deepEqual(refused(await post(MAIL, undefined, operator)), [429, 4290])
})

test('a test mail that the server does not take is refused with its reason', async (t) => {
  const env = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'store@example.com' }
  const { newToken, setUp, post } = await startSetup(t, env)
  const { session } = must(await setUp({ token: await newToken(), ...account('harbor-master') }))
  const answer = await post(MAIL, undefined, { token: session.token })
  assert.deepEqual(refused(answer), [503, 5031])
  assert.match(answer.body.error.message, /did not take the mail/)
})

/** Starts the service as `npm start` does, stops it when it is ready, and returns its output. */
async function outputOf(env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [await serviceFile()], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...env, DRAIN_SECONDS: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
    if (output.startsWith('ready ')) child.kill('SIGTERM')
  })
  await once(child, 'close')
  return output
}

test('a start without an operator prints the link after the ready line', async (t) => {
  const { settings, setUp } = await startSetup(t)
  const env = { ...settings, BASE_URL: 'https://store.example' }
  const output = await outputOf(env)
  const [, token] = output.match(
    /^ready \S+\nTo become the operator .* https:\/\/store\.example\/setup#(\w+) .*\n$/,
  )!
  must(await setUp({ token, ...account('harbor-master') }))
  assert.match(await outputOf(env), /^ready \S+\n$/)
})

test('a kill during set-up leaves an operator with an account, or a usable link', async (t) => {
  const { settings, newToken, setUp, post, sql } = await startSetup(t)
  const child = childService(t, { ...settings, PORT: '0' })
  for (let round = 0; round < loopCount({ short: 2, full: 50 }); round++) {
    const url = await child.start()
    const token = await newToken()
    const person = account(`person-of-round-${round}`)
    const sent = fetch(new URL(SETUP, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...person }),
    }).catch(() => undefined)
    await pause(Math.random() * 400)
    await child.kill()
    await sent
    const [state] = await sql<{ users: number; operators: number }[]>`
      select (select count(*)::int from users) as users,
        (select count(*)::int from operators) as operators`
    assert.equal(state!.users, state!.operators, 'an account is made together with its role')
    if (state!.operators === 0) must(await setUp({ token, ...person }))
    const login = { login: person.username, password: PASSWORD }
    must(await post('/api/v1/private/account/login', login, { headers: newAddress() }))
    await sql`delete from users`
  }
})
