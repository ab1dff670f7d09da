import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { findPersonByLogin } from '../../src/accounts/people/operator-queries.ts'
import { sweepMails } from '../../src/core/mail/mail-log.ts'
import { deletePerson, exportPerson } from '../../src/personal-data/person.ts'
import { eventually } from '../support/app.ts'
import { must, type Person, refused } from '../support/builders.ts'
import { errorsOf } from '../web/browser.ts'
import { OPERATIONS, startConsole } from './fixtures.ts'

const OUTBOX = `${OPERATIONS}/mail`
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

/** A mail server that answers RCPT as the test says, and keeps what it takes. */
async function startSmtp(t: TestContext) {
  const mails: string[] = []
  const state = { answer: '250 ok' }
  const server = createServer(async (socket) => {
    socket.on('error', () => {})
    const reply = (line: string) => socket.write(`${line}\r\n`)
    let data: string[] | null = null
    reply('220 mail.test')
    for await (const line of createInterface(socket)) {
      if (data && line === '.') {
        mails.push(data.join('\n'))
        data = null
        reply('250 taken')
      } else if (data) data.push(line)
      else if (/^RCPT TO:/.test(line)) reply(state.answer)
      else if (line === 'DATA') {
        data = []
        reply('354 go on')
      } else if (line === 'QUIT') socket.end('221 bye\r\n')
      else reply('250 ok')
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, mails, state }
}

async function startOutbox(t: TestContext) {
  const smtp = await startSmtp(t)
  const app = await startConsole(t, {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Harbor <no-reply@harbor.test>',
  })
  const { get, post, operator } = app
  const list = async (query = '') => must(await get(`${OUTBOX}${query}`, operator))
  const resend = (uid: string) => post(`${OUTBOX}/${uid}/resend`, undefined, operator)
  const requestCode = async ({ token }: Person) =>
    must(await post('/api/v1/private/account/email-code', {}, { token }))
  return { ...app, smtp, list, resend, requestCode }
}

test('the outbox has what was sent, without text, subject and whole address', async (t) => {
  const { a, list, resend, requestCode, smtp, sql, console } = await startOutbox(t)
  const person = await a.user({ email: 'ada.lovelace@example.com' })
  await requestCode(person)
  const { items, counts } = await eventually('the mail', async () => {
    const data = await list('?state=sent')
    return data.items.length > 0 && data.counts.queued === 0 ? data : undefined
  })
  const [mail] = items
  assert.deepEqual(
    [mail.kind, mail.state, mail.recipient, mail.error, mail.attempts, mail.recipient_bounces],
    ['accounts.mail-code', 'sent', 'ad…@example.com', '', 1, 0],
  )
  assert.deepEqual(counts, { queued: 0, sent: 1, failed: 0, bounced: 0 })
  const code = smtp.mails[0]!.match(/\b\d{6}\b/)![0]
  const [row] = await sql`select m.*, m::text as text from mails m`
  assert.ok(!row!.text.includes(code), 'the outbox stores a code')
  assert.ok(!row!.text.includes('ada.lovelace'), 'the outbox stores an address')
  // A code is requested again by its person.
  const refusal = await resend(mail.uid)
  assert.deepEqual(refused(refusal), [409, 4090])
  const page = textOf((await console.open('/operator/mail')).body)
  assert.match(page, /accounts\.mail-code ad…@example\.com Sent/)
  const answer = await console.send(`/operator/mail/${mail.uid}/resend`)
  assert.match(errorsOf(answer.body).join(), /the person can request a new one/i)
})

test('without a mail server the page says that nobody receives what was sent', async (t) => {
  const notice = /Nobody receives mails, because no mail server is set up/
  const page = async ({ console }: Pick<Awaited<ReturnType<typeof startConsole>>, 'console'>) =>
    textOf((await console.open('/operator/mail')).body)
  assert.match(await page(await startConsole(t)), notice)
  assert.doesNotMatch(await page(await startOutbox(t)), notice)
})

test('a mail that the server refuses is queued, then failed, and is sent again', async (t) => {
  const { a, list, resend, requestCode, smtp, sql, console } = await startOutbox(t)
  smtp.state.answer = '451 greylisted, try later'
  await requestCode(await a.user())
  const mail = await eventually('the failed attempt', async () => {
    const [first] = (await list()).items
    return first?.error ? first : undefined
  })
  assert.deepEqual([mail.state, mail.recipient_bounces], ['queued', 0])
  assert.match(mail.error, /451 greylisted/)
  assert.deepEqual(refused(await resend(mail.uid)), [409, 4090])
  // The queue moves a job without attempts to the failed ones at its next failure.
  await sql`
    update pgboss.job set retry_limit = retry_count, start_after = now()
    where name = 'accounts.mail-code' and state < 'active'`
  const failed = await eventually(
    'the last attempt',
    async () => (await list('?state=failed')).items[0],
  )
  assert.equal(failed.uid, mail.uid)
  assert.equal(failed.attempts, 2)
  smtp.state.answer = '250 ok'
  const { body } = await console.submit(`/operator/mail/${failed.uid}/resend`)
  assert.match(body, /The mail is queued again/)
  const sent = await eventually('the mail', async () => (await list('?state=sent')).items[0])
  assert.equal(sent.uid, mail.uid)
  assert.equal(smtp.mails.length, 1)
})

test('a mail without a code is sent again after it was sent', async (t) => {
  const { a, list, resend, smtp, operator, post, sql } = await startOutbox(t)
  const person = await a.verified()
  await sql`delete from mails`
  const decision = { decision: 'approve', reason: '' }
  must(await post(`${OPERATIONS}/publishers/${person.username}`, decision, operator))
  const mail = await eventually('the mail', async () => (await list('?state=sent')).items[0])
  assert.equal(mail.kind, 'accounts.mail-publishing-decision')
  const before = smtp.mails.length
  assert.equal((await resend(mail.uid)).status, 202)
  await eventually('the second mail', () => smtp.mails.length === before + 1)
  assert.deepEqual(refused(await resend(operator.uid)), [404, 4040])
})

test('a permanent refusal is a bounce, and three mark the address and the person', async (t) => {
  const { a, list, requestCode, smtp, get, operator, console, sql } = await startOutbox(t)
  smtp.state.answer = '550 no such person'
  const person = await a.user()
  await requestCode(person)
  const [mail] = await eventually('the bounce', async () => {
    const { items } = await list('?state=bounced')
    return items.length > 0 ? items : undefined
  })
  assert.match(mail.error, /550 no such person/)
  const bounces = async () =>
    must(await get(`${OPERATIONS}/people/${person.uid}`, operator)).mail_bounces
  assert.equal(await bounces(), 1)
  const page = async () => textOf((await console.open(`/operator/people/${person.uid}`)).body)
  assert.doesNotMatch(await page(), /mails bounced/)
  await sql`
    insert into mails (uid, message_id, recipient, recipient_hash, kind, state)
    select gen_random_uuid(), gen_random_uuid(), recipient, recipient_hash, kind, 'bounced'
    from mails, generate_series(1, 2)
    where state = 'bounced'`
  assert.equal(await bounces(), 3)
  assert.match(await page(), /3 mails bounced/)
  assert.match(textOf((await console.open('/operator/mail?state=bounced')).body), /3 mails bounced/)
})

test('mails are kept for 30 days', async (t) => {
  const { a, list, requestCode, sql, core } = await startOutbox(t)
  const person = await a.user()
  await requestCode(person)
  await eventually('the mail', async () => (await list('?state=sent')).items[0])
  const sweep = () => core.sql.begin((tx) => sweepMails(tx, 30))
  const age = (days: number) =>
    sql`update mails set created_at = now() - ${days} * interval '1 day'`
  await age(29.9)
  await sweep()
  assert.equal((await list()).total, 1)
  await age(30.1)
  await sweep()
  assert.equal((await list()).total, 0)
})

test('the record of mails is exported and deleted with the account', async (t) => {
  const { a, list, requestCode, sql, core } = await startOutbox(t)
  const person = await a.user()
  await requestCode(person)
  await eventually('the mail', async () => (await list('?state=sent')).items[0])
  const account = (await findPersonByLogin(sql, person.username))!
  const { tables } = await exportPerson({ core }, account)
  assert.deepEqual(
    tables.mails!.map(({ kind, job_data, recipient_hash }) => [kind, job_data, recipient_hash]),
    [['accounts.mail-code', undefined, undefined]],
  )
  assert.ok((await deletePerson({ core }, account, false)).ok)
  assert.equal((await list()).total, 0)
})
