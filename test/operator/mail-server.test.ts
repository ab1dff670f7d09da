import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmtp } from '../core/runtime/smtp.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { errorsOf, filledForm } from '../web/browser.ts'
import { OPERATIONS, SETTINGS, startConsole } from './fixtures.ts'

const SERVER = `${OPERATIONS}/mail-server`
const TEST_MAIL = `${OPERATIONS}/test-mail`
const PAGE = '/operator/settings'
const SECRET = 'hush-4711'
const withLogin = (url: string) => url.replace('//', `//mailer:${SECRET}@`)

test('mails go to the server that an operator set, from every process', async (t) => {
  const { operator, get, put, post, del, set, data_dir, settings, sql } = await startConsole(t)
  const other = await startApp(t, {
    DATABASE_URL: settings.DATABASE_URL,
    DATA_DIR: data_dir,
    SLIPWAY_ROLES: 'api',
  })
  const smtp = await startSmtp(t)
  const sender = 'Harbor <mail@harbor.example>'
  assert.equal(must(await post(TEST_MAIL, undefined, operator)).delivery, 'outbox')
  assert.equal(outbox(data_dir).length, 1)
  await set({ mail_from: sender })
  const mail = must(await put(SERVER, { smtp_url: withLogin(smtp.url) }, operator))
  assert.deepEqual(mail, { delivery: 'smtp', server: 'settings', sender })
  assert.equal(must(await post(TEST_MAIL, undefined, operator)).delivery, 'smtp')
  assert.equal(smtp.received.length, 1)
  assert.equal(smtp.received[0]!.headers.get('from'), sender)
  assert.equal(smtp.logins.length, 1)
  await eventually('the other process', async () => {
    const { delivery } = must(await other.get(SERVER, operator))
    return delivery === 'smtp'
  })
  must(await other.post(TEST_MAIL, undefined, operator))
  assert.equal(smtp.received.length, 2)

  const second = await startSmtp(t)
  must(await put(SERVER, { smtp_url: second.url }, operator))
  must(await post(TEST_MAIL, undefined, operator))
  assert.deepEqual([smtp.received.length, second.received.length], [2, 1])

  assert.equal(must(await del(SERVER, operator)).server, 'none')
  assert.deepEqual(refused(await del(SERVER, operator)), [404, 4040])
  must(await post(TEST_MAIL, undefined, operator))
  assert.equal(outbox(data_dir).length, 2)
  assert.deepEqual([...(await sql`select from store_secrets where field = 'smtp_url'`)], [])
  const { changes } = must(await get(SETTINGS, operator))
  assert.deepEqual(
    changes.map(({ name, new_value }: Record<string, string>) => [name, new_value !== null]),
    [
      ['smtp_url', false],
      ['smtp_url', true],
      ['smtp_url', true],
      ['mail_from', true],
    ],
  )
})

test('the address of the mail server is sealed and shown nowhere', async (t) => {
  const { operator, get, put, console, sql } = await startConsole(t)
  const url = `smtps://mailer:${SECRET}@mail.harbor.example:465`
  must(await put(SERVER, { smtp_url: url }, operator))
  const [row] = await sql`select sealed from store_secrets where field = 'smtp_url'`
  const stored = JSON.stringify([
    await sql`select name, value from store_settings`,
    await sql`select old_value, new_value from setting_changes`,
    row!.sealed.toString('latin1'),
  ])
  const answers = [await get(SERVER, operator), await get(SETTINGS, operator)]
  const page = await console.open(PAGE)
  assert.match(page.body, /its address is not shown/)
  assert.match(page.body, /<td[^>]*>Set<\/td>/)
  for (const text of [stored, ...[...answers, page].map(({ body }) => JSON.stringify(body))]) {
    assert.ok(!text.includes(SECRET))
    assert.ok(!text.includes('mail.harbor'))
  }
})

test('a mail server of the environment wins and is shown as fixed', async (t) => {
  const smtp = await startSmtp(t)
  const { operator, get, put, del, post, patch, console } = await startConsole(t, {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'env@harbor.example',
  })
  const mail = must(await get(SERVER, operator))
  assert.deepEqual(mail, {
    delivery: 'smtp',
    server: 'environment',
    sender: 'env@harbor.example',
  })
  for (const answer of [
    await put(SERVER, { smtp_url: 'smtp://other.example' }, operator),
    await del(SERVER, operator),
    await patch(SETTINGS, { mail_from: 'a@b.example' }, operator),
  ])
    assert.deepEqual(refused(answer), [409, 4260])
  must(await post(TEST_MAIL, undefined, operator))
  assert.equal(smtp.received[0]!.headers.get('from'), 'env@harbor.example')
  const { body } = await console.open(PAGE)
  assert.match(body, /Fixed by the environment variable <code>SMTP_URL<\/code>/)
  assert.match(body, /Fixed by the environment variable <code>MAIL_FROM<\/code>/)
  assert.doesNotMatch(body, /name="smtp_url"/)
})

test('addresses and senders that mail cannot use are refused', async (t) => {
  const { a, operator, get, put, patch } = await startConsole(t)
  for (const smtp_url of [
    '',
    'mail.example',
    `http://mailer:${SECRET}@mail.example`,
    'smtp://',
    `smtp://mailer:${SECRET}@mail.example/ two`,
    `smtp://mail.example/${'x'.repeat(482)}`,
  ]) {
    const answer = await put(SERVER, { smtp_url }, operator)
    assert.deepEqual(refused(answer), [400, 4000], smtp_url)
    assert.ok(!JSON.stringify(answer.body).includes(SECRET))
  }
  must(await put(SERVER, { smtp_url: `smtp://mail.example/${'x'.repeat(480)}` }, operator))
  for (const mail_from of ['nobody', 'a@b', 'Name <a@b.example', 'a@b.example\nBcc: c@d.example'])
    assert.deepEqual(refused(await patch(SETTINGS, { mail_from }, operator)), [400, 4000])
  for (const mail_from of ['a@b.example', 'Näme <a@b.example>', ''])
    must(await patch(SETTINGS, { mail_from }, operator))
  const person = await a.verified()
  assert.deepEqual(refused(await get(SERVER, person)), [403, 4030])
  assert.deepEqual(
    refused(await put(SERVER, { smtp_url: 'smtp://a.example' }, person)),
    [403, 4030],
  )
})

test('the pages of the console and of the set-up set, test and remove a mail server', async (t) => {
  const { console } = await startConsole(t)
  const smtp = await startSmtp(t)
  for (const [page, action] of [
    [PAGE, `${PAGE}/mail-server`],
    ['/setup/store', '/setup/mail'],
  ] as const) {
    const { body } = await console.open(page)
    assert.match(body, /type="password"[^>]*name="smtp_url"|name="smtp_url"[^>]*type="password"/)
    const wrong = await console.send(action, filledForm(body, action, { smtp_url: 'hello' }))
    assert.equal(wrong.status, 400)
    assert.match(errorsOf(wrong.body).join(), /Enter an address such as smtps:/)
    assert.ok(!wrong.body.includes('value="hello"'))
    const saved = await console.submit(action, { smtp_url: withLogin(smtp.url) })
    assert.match(saved.body, /Mail server saved/)
    assert.ok(!saved.body.includes(SECRET))
    const before = smtp.received.length
    assert.match((await console.submit(`${action}/test`)).body, /took a test mail/)
    assert.equal(smtp.received.length, before + 1)
    assert.match((await console.submit(`${action}/remove`)).body, /Mail server removed/)
  }
})
