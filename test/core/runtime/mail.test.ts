import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createMail, type Message } from '../../../src/core/mail/mail.ts'
import { fc } from '../../support/property.ts'
import { startSmtp } from './smtp.ts'

function folder(t: TestContext) {
  const data_dir = mkdtempSync(join(tmpdir(), 'mail-'))
  t.after(() => rmSync(data_dir, { recursive: true }))
  return data_dir
}

const mail_from = 'Slipway <no-reply@slipway.test>'
const sender = () => mail_from
const message = (changes: Partial<Message> = {}): Message => ({
  id: randomUUID(),
  to: 'ada@example.com',
  subject: 'Your code',
  text: 'It is 123456.\n',
  created_at: new Date('2026-02-03T04:05:06.789Z'),
  ...changes,
})

test('without a mail server a mail is written as a file with exactly four fields', async (t) => {
  const data_dir = folder(t)
  const sent = message()
  await createMail({ sender, data_dir }).send(sent)
  assert.deepEqual(readdirSync(join(data_dir, 'outbox')), [`${sent.id}.json`])
  const path = join(data_dir, 'outbox', `${sent.id}.json`)
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {
    to: sent.to,
    subject: sent.subject,
    text: sent.text,
    created_at: '2026-02-03T04:05:06.789Z',
  })
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('sending the same mail repeatedly or concurrently writes one file', async (t) => {
  const data_dir = folder(t)
  const mail = createMail({ sender, data_dir })
  const sent = message({ created_at: '2026-02-03T04:05:06.789Z' })
  await Promise.all(Array.from({ length: 8 }, () => mail.send(sent)))
  await mail.send({ ...sent, id: sent.id.toUpperCase() })
  assert.deepEqual(readdirSync(join(data_dir, 'outbox')), [`${sent.id}.json`])
  await mail.send(message())
  assert.equal(readdirSync(join(data_dir, 'outbox')).length, 2)
})

const invalidMessages: Record<string, Partial<Message>[]> = {
  'an id that is no uuid': ['', '../escape', 'x', `${randomUUID()}/..`, `${randomUUID()}\n`].map(
    (id) => ({ id }),
  ),
  'a recipient that is not one plain address': [
    ...[
      '',
      'ada',
      '@example.com',
      'ada@',
      'ada@example.com, eve@example.com',
      'ada@example.com;eve@example.com',
      'ada@example.com eve@example.com',
    ],
    ...[
      'Ada <ada@example.com>',
      'ada@example.com>',
      '"eve@evil.test x"@example.com',
      'a@b@example.com',
      'ada@example.com\r\nBcc: eve@example.com',
    ],
    ...[
      'ada@example.com\n',
      '\rada@example.com',
      'a\0@example.com',
      'group:ada@example.com',
      `${'a'.repeat(65)}@example.com`,
    ],
  ].map((to) => ({ to })),
  'a subject of more than one line': [
    'a\r\nBcc: eve@example.com',
    'a\nb',
    'a\rb',
    '\n',
    'a\0',
    'a\tb',
  ].map((subject) => ({ subject })),
  'a time that is none': [{ created_at: 'yesterday' }, { created_at: new Date(Number.NaN) }],
}

for (const [problem, changes] of Object.entries(invalidMessages))
  test(`${problem} is rejected before anything is written or sent`, async (t) => {
    const data_dir = folder(t)
    const { url, connections } = await startSmtp(t)
    for (const mail of [
      createMail({ sender, data_dir }),
      createMail({ smtp_url: url, sender, data_dir }),
    ])
      for (const change of changes)
        await assert.rejects(mail.send(message(change)), TypeError, JSON.stringify(change))
    assert.deepEqual([existsSync(join(data_dir, 'outbox')), connections()], [false, 0])
  })

test('accepts common forms of email addresses', async (t) => {
  const data_dir = folder(t)
  const mail = createMail({ sender, data_dir })
  const good = [
    'ada@example.com',
    "o'neil+games@mail.example.co.uk",
    'jörg@bücher.example',
    `${'a'.repeat(64)}@example.com`,
  ]
  for (const to of good) await mail.send(message({ to }))
  assert.equal(readdirSync(join(data_dir, 'outbox')).length, good.length)
})

test('with a mail server a mail is sent there, with the same message id on a retry', async (t) => {
  const data_dir = folder(t)
  const { url, received } = await startSmtp(t)
  const mail = createMail({ smtp_url: url, sender, data_dir })
  const sent = message()
  await mail.send(sent)
  await mail.send(sent)
  await mail.send(message())
  const [first, second, third] = received
  assert.deepEqual(
    [first?.from, first?.to],
    ['MAIL FROM:<no-reply@slipway.test>', ['RCPT TO:<ada@example.com>']],
  )
  const { headers } = first!
  assert.deepEqual(
    [headers.get('from'), headers.get('to'), headers.get('subject')],
    [mail_from, 'ada@example.com', 'Your code'],
  )
  assert.equal(headers.get('message-id'), `<${sent.id}@slipway.test>`)
  assert.equal(new Date(headers.get('date')!).toISOString(), '2026-02-03T04:05:06.000Z')
  assert.equal(first?.text.trimEnd(), 'It is 123456.')
  assert.equal(second?.headers.get('message-id'), headers.get('message-id'))
  assert.notEqual(third?.headers.get('message-id'), headers.get('message-id'))
  assert.equal(existsSync(join(data_dir, 'outbox')), false)
})

test('no text can end the message early, add a header or inject a command', async (t) => {
  const { url, received } = await startSmtp(t)
  const mail = createMail({ smtp_url: url, sender, data_dir: folder(t) })
  const text =
    'one\r\n.\r\nMAIL FROM:<eve@example.com>\r\nRCPT TO:<eve@example.com>\r\n..\r\n' +
    'Bcc: eve@example.com\r\n\r\nFrom: ünïcode ☃'
  await mail.send(message({ text, subject: '☃ =?utf-8?q?x?= Bcc: eve@example.com' }))
  assert.equal(received.length, 1)
  assert.equal(received[0]!.text.replaceAll('\r', '').trimEnd(), text.replaceAll('\r', ''))
  assert.deepEqual([received[0]!.to.length, received[0]!.headers.has('bcc')], [1, false])
  assert.match(received[0]!.raw, /^[\x00-\x7f]*$/)
})

test('property: an accepted mail reaches exactly one recipient', async (t) => {
  const { url, received } = await startSmtp(t)
  const mail = createMail({ smtp_url: url, sender, data_dir: folder(t) })
  const word = fc.string({
    unit: fc.constantFrom('a', '@', ',', ';', '<', '>', ' ', '\r\n', '"', ':', '.'),
    minLength: 1,
    maxLength: 6,
  })
  const address = fc.oneof(
    word,
    word.map((name) => `${name}@example.com`),
  )
  await fc.assert(
    fc.asyncProperty(address, fc.string(), async (to, subject) => {
      received.length = 0
      const taken = await mail.send(message({ to, subject })).then(
        () => true,
        () => false,
      )
      assert.equal(received.length, taken ? 1 : 0)
      // The mail library quotes a local part of dots; the recipient is the same.
      if (taken)
        assert.deepEqual(
          [
            received[0]!.to.map((line) => line.replaceAll('"', '')),
            received[0]!.headers.has('bcc'),
          ],
          [[`RCPT TO:<${to}>`], false],
        )
    }),
    { numRuns: 60 },
  )
})

test('fails when the server rejects or is unreachable, and hides the password', async (t) => {
  const data_dir = folder(t)
  const { url, port, logins, received } = await startSmtp(t, { refuse: true })
  const hidesPassword = (error: Error) => {
    assert.doesNotMatch(
      JSON.stringify(error) + error.message + error.stack,
      /hush|aHVzaA|AHVzZXIAaHVzaA/,
    )
    return true
  }
  await assert.rejects(
    createMail({ smtp_url: url, sender, data_dir }).send(message()),
    hidesPassword,
  )
  const with_login = createMail({
    smtp_url: `smtp://user:hush@127.0.0.1:${port}`,
    sender,
    data_dir,
  })
  await assert.rejects(with_login.send(message()), hidesPassword)
  assert.deepEqual(logins, [`AUTH PLAIN ${Buffer.from('\0user\0hush').toString('base64')}`])
  assert.equal(received.length, 0)

  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const free = (gone.address() as AddressInfo).port
  gone.close()
  await once(gone, 'close')
  await assert.rejects(
    createMail({ smtp_url: `smtp://user:hush@127.0.0.1:${free}`, sender, data_dir }).send(
      message(),
    ),
    hidesPassword,
  )
})

test('an invalid sender address stops the start', () => {
  for (const wrong_from of [
    '',
    'Slipway',
    'Slipway <no-reply>',
    'a@b.test\r\nBcc: eve@example.com',
  ])
    assert.throws(
      () =>
        createMail({
          smtp_url: 'smtp://127.0.0.1',
          sender: () => wrong_from,
          data_dir: '/nonexistent',
        }),
      /MAIL_FROM/,
    )
  for (const good_from of ['no-reply@slipway.test', mail_from])
    createMail({ smtp_url: 'smtp://127.0.0.1', sender: () => good_from, data_dir: '/nonexistent' })
})
