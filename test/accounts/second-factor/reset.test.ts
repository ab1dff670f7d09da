import assert from 'node:assert/strict'
import { test } from 'node:test'
import { peopleCommands } from '../../../src/admin/people-commands.ts'
import { OPERATIONS, startConsole } from '../../operator/fixtures.ts'
import { eventually, outbox } from '../../support/app.ts'
import { must, newAddress, PASSWORD, type Person, refused } from '../../support/builders.ts'
import { browser } from '../../web/browser.ts'
import { createAuthenticator } from '../passkeys/authenticator.ts'
import { ACCOUNT, enrollTotp, totpCode } from './fixtures.ts'

const RESET = `${ACCOUNT}/second-factor-reset`
const PAGE = '/account/second-factor-reset'
const HOUR_MS = 3_600_000

const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

test('the reset of a second factor by an operator', async (t) => {
  const app = await startConsole(t, { PROXY_HOPS: '1' })
  const { a, get, post, put, del, sql, core, data_dir, operator } = app

  const urlOf = ({ uid }: Person) => `${OPERATIONS}/people/${uid}/second-factor-reset`
  const request = async (person: Person) => must(await put(urlOf(person), undefined, operator))
  const secured = async () => {
    const person = await a.verified()
    return { person, ...(await enrollTotp(app, person)) }
  }
  const login = ({ username }: Person) =>
    post(`${ACCOUNT}/login`, { login: username, password: PASSWORD }, { headers: newAddress() })
  const ticketOf = async (person: Person) => (await login(person)).body.data.ticket as string
  const mailTo = ({ email }: Person, pattern: RegExp) =>
    eventually(`a mail to ${email}`, () =>
      outbox(data_dir).findLast(({ to, text }) => to === email && pattern.test(text)),
    )
  const linkOf = async (person: Person) => {
    const { text } = await mailTo(person, /second-factor-reset/)
    return new URL(text.match(/https?:\S+/)![0])
  }
  const tokenOf = async (person: Person) => (await linkOf(person)).searchParams.get('token')!
  const makeDue = ({ uid }: Person) => sql`
    update second_factor_resets
    set due_at = now()
    where user_uid = ${uid} and stopped_at is null and applied_at is null`
  const kinds = async ({ uid }: Person) => {
    const rows = await sql<{ kind: string }[]>`
      select kind
      from security_events
      where user_uid = ${uid} and kind like 'second_factor_reset%'
      order by at, uid`
    return rows.map(({ kind }) => kind.replace('second_factor_reset_', ''))
  }
  const waits = async (person: Person) =>
    must(await get(`${ACCOUNT}/second-factor`, person)).reset !== null

  await t.test('waits for the time of the setting and is mailed at once', async () => {
    const { person } = await secured()
    const before = Date.now()
    const { second_factor, second_factor_reset } = await request(person)
    assert.equal(second_factor, true)
    const wait_ms = Date.parse(second_factor_reset.due_at) - before
    assert.ok(Math.abs(wait_ms - 72 * HOUR_MS) < HOUR_MS)
    const { subject, text } = await mailTo(person, /second-factor-reset/)
    assert.match(subject, /will be reset/)
    assert.match(text, new RegExp(person.username))
    assert.deepEqual(await kinds(person), ['requested'])

    await app.set({ second_factor_reset_wait: 1 })
    const again = await request(person)
    assert.deepEqual(again.second_factor_reset, second_factor_reset, 'the first one stays')
    const next = (await secured()).person
    const due_at = Date.parse((await request(next)).second_factor_reset.due_at)
    assert.ok(Math.abs(due_at - Date.now() - HOUR_MS) < HOUR_MS / 2)
    await app.set({ second_factor_reset_wait: null })
    for (const hours of [0, 169])
      assert.deepEqual(
        refused(
          await app.patch(`${OPERATIONS}/settings`, { second_factor_reset_wait: hours }, operator),
        ),
        [400, 4000],
        String(hours),
      )
  })

  await t.test('is for operators, and not for their own', async () => {
    const { person } = await secured()
    assert.deepEqual(refused(await put(urlOf(person), undefined, person)), [403, 4030])
    await enrollTotp(app, operator)
    for (const uid of [operator.uid, operator.uid.toUpperCase()]) {
      const own = `${OPERATIONS}/people/${uid}/second-factor-reset`
      assert.deepEqual(refused(await put(own, undefined, operator)), [403, 4030])
    }
    must(await del(`${ACCOUNT}/totp`, operator))
    const { key } = await a.key('agent', operator, ['operator:read'])
    const write = await a.key('agent', operator, ['operator:write'])
    assert.equal((await put(urlOf(person), undefined, { token: key })).status, 403)
    assert.ok(must(await put(urlOf(person), undefined, { token: write.key })).second_factor_reset)
    const unsecured = await a.verified()
    assert.deepEqual(refused(await put(urlOf(unsecured), undefined, operator)), [409, 4090])
  })

  await t.test('is stopped by the mailed link without signing in, once', async () => {
    const { person, secret } = await secured()
    await request(person)
    const token = await tokenOf(person)
    const { body } = await browser(app).open(`${PAGE}?token=${token}`)
    assert.match(textOf(body), /Stop the reset/)
    assert.ok(await waits(person), 'opening the link changes nothing')
    for (const wrong of [`${token}x`, 'x', '', 'x'.repeat(256)])
      assert.deepEqual(refused(await post(`${RESET}/stop`, { token: wrong })), [400, 4216], wrong)
    const done = await browser(app).send(PAGE, { token })
    assert.deepEqual([done.status, done.headers.location], [303, '/login'])
    assert.deepEqual(refused(await post(`${RESET}/stop`, { token })), [400, 4216])
    const late = await browser(app).send(PAGE, { token })
    assert.equal(late.status, 400)
    assert.match(textOf(late.body), /was used or has expired/)
    await mailTo(person, /this was stopped/)
    assert.deepEqual(await kinds(person), ['requested', 'stopped'])
    await makeDue(person)
    const ticket = await ticketOf(person)
    must(await post(`${ACCOUNT}/login/second-step`, { ticket, code: totpCode(secret) }))
    await request(person)
    assert.deepEqual(refused(await post(`${RESET}/stop`, { token })), [400, 4216], 'of the first')
    assert.ok(await waits(person))
  })

  await t.test('is stopped by its owner, and only theirs', async () => {
    const { person } = await secured()
    const other = (await secured()).person
    await request(person)
    assert.deepEqual(refused(await del(RESET, other)), [404, 4040])
    const visitor = app.signedIn(person)
    assert.match((await visitor.open('/account/security')).body, /Stop the reset/)
    assert.match((await visitor.submit(PAGE)).body, /Your second factor stays/)
    assert.doesNotMatch((await visitor.open('/account/security')).body, /Stop the reset/)
    assert.deepEqual(refused(await del(RESET, person)), [404, 4040])
    assert.match((await visitor.submit(PAGE)).body, /No reset of your second factor waits/)
    assert.equal((await browser(app).send(PAGE)).headers.location, '/login')
  })

  await t.test('is offered to be stopped after a second step, which works as before', async () => {
    const { person, secret } = await secured()
    await request(person)
    const body = { ticket: await ticketOf(person), code: totpCode(secret) }
    const { session, second_factor_reset } = must(await post(`${ACCOUNT}/login/second-step`, body))
    assert.ok(second_factor_reset.due_at)
    const visitor = browser(app)
    const page = await visitor.send('/login', { login: person.username, password: PASSWORD })
    const ticket = page.body.match(/name="ticket" value="([^"]+)"/)![1]!
    const step = { ticket, code: totpCode(secret, 1) }
    const done = await visitor.send('/login/second-step?next=/settings', step)
    assert.equal(done.headers.location, `${PAGE}?next=%2Fsettings`)
    const offer = await visitor.open(done.headers.location!)
    assert.match(textOf(offer.body), /Stop the reset.*Continue without stopping it/s)
    const stopped = await visitor.send(done.headers.location!)
    assert.deepEqual([stopped.status, stopped.headers.location], [303, '/settings'])
    assert.equal(await waits({ ...person, token: session.token }), false)
    assert.equal((await visitor.open(`${PAGE}?next=/library`)).headers.location, '/library')
    assert.match((await browser(app).open(PAGE)).headers.location!, /^\/login\?next=/)
  })

  await t.test('is stopped by operators on the page of the person', async () => {
    const { person } = await secured()
    const page = `/operator/people/${person.uid}`
    assert.match((await app.console.open(page)).body, /Reset second factor/)
    const requested = await app.console.submit(`${page}/second-factor-reset`)
    assert.match(textOf(requested.body), /Will be reset on/)
    const stopped = await app.console.submit(`${page}/second-factor-reset/stop`)
    assert.match(textOf(stopped.body), /The second factor stays/)
    assert.deepEqual(await kinds(person), ['requested', 'stopped'])
    must(await del(urlOf(person), operator))
    const actions = await sql<{ action: string; user_uid: string }[]>`
      select action, user_uid
      from audit_entries
      where detail ->> 'person' = ${person.uid}
      order by uid`
    assert.deepEqual(
      actions.map(({ action, user_uid }) => [action, user_uid]),
      [
        ['operator.request-second-factor-reset', operator.uid],
        ['operator.stop-second-factor-reset', operator.uid],
      ],
    )
    assert.doesNotMatch(
      (await app.console.open(`/operator/people/${operator.uid}`)).body,
      /Reset second factor/,
    )
  })

  await t.test('removes every second factor when it is due, by the job', async () => {
    const { person, recovery_codes } = await secured()
    const authenticator = createAuthenticator(new URL(core.addresses.web_url).origin)
    const { options } = must(await post(`${ACCOUNT}/passkeys/options`, undefined, person))
    const passkey = { name: 'Phone', response: authenticator.create(options) }
    must(await post(`${ACCOUNT}/passkeys`, passkey, person))
    await request(person)
    await core.jobs.send(sql, 'accounts.reset-second-factors')
    const token = await tokenOf(person)
    const ticket = await ticketOf(person)
    assert.ok(await waits(person), 'not before its time')
    await makeDue(person)
    assert.deepEqual(refused(await post(`${RESET}/stop`, { token })), [400, 4216])
    assert.deepEqual(refused(await del(RESET, person)), [404, 4040])
    await core.jobs.send(sql, 'accounts.reset-second-factors')
    const { text } = await mailTo(person, /It was reset/)
    assert.match(text, /signed out everywhere/)
    assert.deepEqual(refused(await get(ACCOUNT, person)), [401, 4010])
    const code = { ticket, code: recovery_codes[0] }
    assert.deepEqual(refused(await post(`${ACCOUNT}/login/second-step`, code)), [401, 4294])
    const { options: challenge } = must(await post(`${ACCOUNT}/login/passkey-options`))
    const response = authenticator.answer(challenge)
    assert.deepEqual(refused(await post(`${ACCOUNT}/login/passkey`, { response })), [401, 4294])
    const { session } = must(await login(person))
    const { totp, passkeys, recovery_codes_left, reset } = must(
      await get(`${ACCOUNT}/second-factor`, session),
    )
    assert.deepEqual([totp.enabled, passkeys, recovery_codes_left, reset], [false, 0, 0, null])
    assert.deepEqual(await kinds(person), ['requested', 'applied'])
  })

  await t.test('is applied while signing in if no job came first', async () => {
    const { person } = await secured()
    await request(person)
    await makeDue(person)
    const answers = await Promise.all([login(person), login(person), login(person)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.deepEqual(await kinds(person), ['requested', 'applied'])
    await mailTo(person, /It was reset/)

    const late = await secured()
    await request(late.person)
    const ticket = await ticketOf(late.person)
    await makeDue(late.person)
    const step = { ticket, code: totpCode(late.secret) }
    const answer = await post(`${ACCOUNT}/login/second-step`, step)
    assert.deepEqual(refused(answer), [401, 4294])
    assert.equal(answer.body.data.ticket_expired, true)
    must(await login(late.person))
  })

  await t.test('ends a passkey that signs in when it is due', async () => {
    const person = await a.verified()
    const authenticator = createAuthenticator(new URL(core.addresses.web_url).origin)
    const { options } = must(await post(`${ACCOUNT}/passkeys/options`, undefined, person))
    const passkey = { name: 'Phone', response: authenticator.create(options) }
    must(await post(`${ACCOUNT}/passkeys`, passkey, person))
    await request(person)
    const signIn = async () => {
      const { options: challenge } = must(await post(`${ACCOUNT}/login/passkey-options`))
      return post(`${ACCOUNT}/login/passkey`, { response: authenticator.answer(challenge) })
    }
    assert.ok(must(await signIn()).second_factor_reset)
    await makeDue(person)
    assert.deepEqual(refused(await signIn()), [401, 4294])
    assert.deepEqual(await kinds(person), ['requested', 'applied'])
  })

  await t.test('is either stopped or applied if both come at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { person } = await secured()
      await request(person)
      const token = await tokenOf(person)
      await Promise.all([makeDue(person), post(`${RESET}/stop`, { token }), login(person)])
      await login(person)
      const [, ...rest] = await kinds(person)
      assert.deepEqual(rest.length, 1, rest.join())
      const secure = must(await get(`${OPERATIONS}/people/${person.uid}`, operator)).second_factor
      assert.equal(secure, rest[0] === 'stopped')
    }
  })

  await t.test('is requested once by many at once', async () => {
    const { person } = await secured()
    const answers = await Promise.all(Array.from({ length: 5 }, () => request(person)))
    const times = new Set(answers.map(({ second_factor_reset: { due_at } }) => due_at))
    assert.deepEqual([times.size, await kinds(person)], [1, ['requested']])
  })

  await t.test('is a command of the administrator', async () => {
    const { person } = await secured()
    const { run } = peopleCommands.find(({ name }) => name === 'people reset-second-factor')!
    const reset = (login: string, ...flags: string[]) =>
      run({
        core,
        args: [login],
        flags: new Set(flags),
        options: {},
        progress() {},
        signal: t.signal,
      })
    assert.match(String(await reset(person.username)), /removed in 72 hours/)
    await tokenOf(person)
    assert.match(String(await reset(person.email)), /waits already/)
    assert.match(String(await reset(person.uid, '--stop')), /keeps the second factor/)
    assert.match(String(await reset(person.uid, '--stop')), /no reset waits/)
    assert.deepEqual(await kinds(person), ['requested', 'stopped'])
    const unsecured = await a.verified()
    await assert.rejects(reset(unsecured.username), /has no second factor/)
  })
})

test('a person whose second factor was reset sets up another where one is required', async (t) => {
  const app = await startConsole(t, { REQUIRE_MFA: 'everyone', PROXY_HOPS: '1' })
  const { a, get, post, put, sql, operator } = app
  await enrollTotp(app, operator)
  const person = await a.verified()
  await enrollTotp(app, person)
  must(await put(`${OPERATIONS}/people/${person.uid}/second-factor-reset`, undefined, operator))
  await sql`update second_factor_resets set due_at = now()`
  const login = { login: person.username, password: PASSWORD }
  const { session } = must(await post(`${ACCOUNT}/login`, login))
  assert.deepEqual(refused(await get('/api/v1/private/library', session)), [403, 4292])
  await enrollTotp(app, session)
  must(await get('/api/v1/private/library', session))
})
