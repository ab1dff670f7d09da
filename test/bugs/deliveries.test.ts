import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startChat } from '../../sim/chat.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { createOutbound } from '../../src/core/security/outbound.ts'
import { eventually, outbox } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { picture } from '../support/images.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, report, startBugApp, ZERO } from './fixtures.ts'
import { makeDeliveriesDue, opensslHmac, unsigned } from './hooks.ts'
import { startReceiver } from './receivers.ts'

type BugApp = Awaited<ReturnType<typeof startBugApp>>

const startOnce = sharedInFile(startBugApp)

/** One service for the tests of a file, which attempts no deliveries of earlier tests. */
async function startShared(t: TestContext): Promise<BugApp> {
  const app = await startOnce(t)
  await app.sql`delete from bug_deliveries`
  await app.sql`delete from bug_receivers`
  return app
}
type Game = Awaited<ReturnType<BugApp['buggyGame']>>

/** Files numbered bug reports one after another. */
async function fileBugs({ ticket, player }: BugApp, game: Game, count: number, from = 1) {
  const someone = await player()
  for (let i = from; i < from + count; i++)
    await ticket(game, report({ message: `Bug ${i}` }), someone)
}

const messages = (receiver: { received: { json: any }[] }) =>
  receiver.received.map(({ json }) => json.message)
const replay = ({ post }: BugApp, game: Game, uid: string, who = game.owner) =>
  post(`${GAMES}/${game.uid}/bug-reporter/deliveries/${uid}/replay`, undefined, who)

test('every report is delivered in order and unchanged despite failures', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t, (response, _hook, nth) =>
    response.writeHead(nth <= 2 ? 500 : 200).end(),
  )
  const game = await app.buggyGame({ webhook_urls: [receiver.url], daily_cap: 100 })
  await fileBugs(app, game, 3)
  const [first] = await eventually('the first failure', async () => {
    const all = (await app.deliveries(game)).reverse()
    return all[0].attempts === 1 && all
  })
  assert.deepEqual(
    [first.status, first.response_status, first.error],
    ['pending', 500, 'It answered 500'],
  )
  const wait = Date.parse(first.next_attempt_at) - Date.parse(first.last_attempt_at)
  assert.ok(wait > 0 && wait <= 120_000, `first retry after ${wait} ms`)
  const { webhooks } = await app.reporter(game)
  assert.deepEqual(
    [webhooks[0].state, webhooks[0].pending, webhooks[0].last_error],
    ['failing', 3, 'It answered 500'],
  )
  await makeDeliveriesDue(app.sql)
  await eventually('the second failure', () => receiver.received.length === 2)
  await eventually('the stored second attempt', async () =>
    (await app.deliveries(game)).some(({ attempts }) => attempts === 2),
  )
  await fileBugs(app, game, 1, 4)
  await makeDeliveriesDue(app.sql)
  const settled = await app.settled(game)
  assert.deepEqual(messages(receiver), ['Bug 1', 'Bug 1', 'Bug 1', 'Bug 2', 'Bug 3', 'Bug 4'])
  assert.equal(new Set(receiver.received.slice(0, 3).map(({ body }) => body)).size, 1)
  assert.equal(
    new Set(receiver.received.slice(0, 3).map(({ headers }) => headers['x-delivery-id'])).size,
    1,
  )
  assert.deepEqual(settled.map(({ status, attempts }) => [status, attempts]).reverse(), [
    ['delivered', 3],
    ['delivered', 1],
    ['delivered', 1],
    ['delivered', 1],
  ])
  assert.equal((await app.reporter(game)).webhooks[0].state, 'ok')
})

test('a receiver that hangs or is unreachable delays no other receiver', async (t) => {
  const app = await startShared(t)
  const hanging = await startReceiver(t, () => {})
  const [fine, other] = [await startReceiver(t), await startReceiver(t)]
  const game = await app.buggyGame({
    webhook_urls: [...hanging.urls(3), 'http://127.0.0.1:9', fine.url],
    daily_cap: 100,
  })
  const second = await app.buggyGame({ webhook_urls: [other.url], daily_cap: 100 })
  await fileBugs(app, game, 5)
  await fileBugs(app, second, 5)
  await eventually('both', () => fine.received.length === 5 && other.received.length === 5)
  assert.deepEqual(messages(fine), ['Bug 1', 'Bug 2', 'Bug 3', 'Bug 4', 'Bug 5'])
  assert.ok((await app.deliveries(game, 'pending')).length === 20)
})

test('a receiver that sends Retry-After is retried at that time', async (t) => {
  const chat = await startChat()
  cleanup(t, () => chat.close())
  const app = await startBugApp(t, { CHAT_WEBHOOK_PREFIXES: chat.prefix })
  const busy = await startReceiver(t, (response) =>
    response.writeHead(503, { 'retry-after': '3000' }).end(),
  )
  const game = await app.buggyGame({ webhook_urls: [busy.url, chat.webhook()], daily_cap: 100 })
  chat.failNext({ status: 429, retry_after: 1 }, { status: 429, retry_after: 0.3 })
  await fileBugs(app, game, 2)
  await eventually('the chat to accept messages again', () => chat.received.length === 2)
  assert.deepEqual(
    chat.received.map(({ embeds }) => embeds[0]!.description),
    ['Bug 1', 'Bug 2'],
  )
  const [waiting] = (await app.deliveries(game, 'pending')).filter(({ attempts }) => attempts === 1)
  const wait = (Date.parse(waiting.next_attempt_at) - Date.parse(waiting.last_attempt_at)) / 1000
  assert.ok(Math.abs(wait - 3000) < 5, `${wait} seconds`)
})

test('a chat webhook whose 429 names the wait in its body is retried at that time', async (t) => {
  const chat = await startChat()
  cleanup(t, () => chat.close())
  const app = await startBugApp(t, { CHAT_WEBHOOK_PREFIXES: chat.prefix })
  const game = await app.buggyGame({ webhook_urls: [chat.webhook()] })
  chat.failNext({ status: 429, retry_after: 1999.5, without_header: true })
  await fileBugs(app, game, 1)
  const [waiting] = await eventually('the first failure', async () => {
    const pending = await app.deliveries(game, 'pending')
    return pending[0]?.attempts === 1 && pending
  })
  const wait = (Date.parse(waiting.next_attempt_at) - Date.parse(waiting.last_attempt_at)) / 1000
  assert.ok(Math.abs(wait - 2000) < 5, `${wait} seconds`)
})

test('disables a URL that fails for ten hours, and its deliveries can be replayed', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t, (response) => response.writeHead(502).end())
  const game = await app.buggyGame({
    webhook_urls: [`${receiver.url}/secret-path`],
    daily_cap: 100,
  })
  await fileBugs(app, game, 2)
  const attempts = async (count: number) =>
    eventually(
      `attempt ${count}`,
      async () =>
        (await app.deliveries(game)).some(({ attempts }) => attempts >= count) || undefined,
    )
  for (let failures = 1; failures <= 4; failures++) {
    await attempts(failures)
    await makeDeliveriesDue(app.sql, failures === 4 ? 0 : failures === 3 ? 11 : 0)
  }
  const failed = await app.settled(game)
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['failed', 'failed'],
  )
  const { webhooks } = await app.reporter(game)
  assert.deepEqual([webhooks[0].state, webhooks[0].pending], ['disabled', 0])
  const mail = await eventually('the mail', () =>
    outbox(app.data_dir).find(
      ({ to, subject }) => to === game.owner.email && /disabled/.test(subject),
    ),
  )
  assert.match(mail.text, /502/)
  assert.doesNotMatch(mail.text, /secret-path/)

  await fileBugs(app, game, 1, 3)
  const [missed, ...before] = await app.deliveries(game)
  assert.deepEqual(
    [missed.status, missed.attempts, missed.error, before.length],
    ['failed', 0, 'The URL was disabled', 2],
    'a delivery to a disabled URL was attempted',
  )
  receiver.answer = (response) => response.writeHead(200).end()
  receiver.received.length = 0
  const oldest = failed.at(-1)
  assert.equal((await replay(app, game, oldest.uid)).status, 202)
  await app.settled(game)
  assert.deepEqual(messages(receiver), ['Bug 1'])
  assert.equal(
    (await app.reporter(game)).webhooks[0].state,
    'ok',
    'a URL that accepts a delivery is still disabled',
  )
  await fileBugs(app, game, 1, 4)
  await app.settled(game)
  assert.equal((await replay(app, game, missed.uid)).status, 202)
  await app.settled(game)
  assert.deepEqual(messages(receiver), ['Bug 1', 'Bug 4', 'Bug 3'])
  const mails = outbox(app.data_dir).filter(({ to }) => to === game.owner.email)
  assert.equal(mails.filter(({ subject }) => /disabled/.test(subject)).length, 1)
})

test('a deleted chat webhook is disabled at its first 404, others are retried', async (t) => {
  const chat = await startChat()
  cleanup(t, () => chat.close())
  const app = await startBugApp(t, { CHAT_WEBHOOK_PREFIXES: chat.prefix })
  const missing = await startReceiver(t, (response) => response.writeHead(404).end())
  const webhook = chat.webhook()
  const game = await app.buggyGame({ webhook_urls: [webhook, missing.url], daily_cap: 100 })
  chat.failNext({ status: 500 })
  await fileBugs(app, game, 2)
  await eventually('the first failure', async () => {
    const { webhooks } = await app.reporter(game)
    return webhooks[0].state === 'failing' && webhooks[1].state === 'failing'
  })
  chat.remove(webhook)
  await makeDeliveriesDue(app.sql)
  const { webhooks } = await eventually('the end of the webhook', async () => {
    const reporter = await app.reporter(game)
    return reporter.webhooks[0].state === 'disabled' && reporter
  })
  const error = 'It answered 404; the webhook was deleted in the chat service'
  assert.deepEqual([webhooks[0].pending, webhooks[0].last_error], [0, error])
  assert.deepEqual([webhooks[1].state, webhooks[1].pending], ['failing', 2])
  const failed = await app.deliveries(game, 'failed')
  assert.deepEqual(
    failed.map(({ url, attempts, response_status }) => [url, attempts, response_status]),
    [
      [webhook, 0, null],
      [webhook, 2, 404],
    ],
  )
  const mail = await eventually('the mail', () =>
    outbox(app.data_dir).find(({ to, subject }) => {
      return to === game.owner.email && /disabled/.test(subject)
    }),
  )
  assert.match(mail.text, /no longer exists, so it was disabled/)
  // Saved with a webhook that exists, reports are delivered again.
  const created = chat.webhook()
  await app.configure(game, { webhook_urls: [created] })
  await fileBugs(app, game, 1, 3)
  await eventually('the next report', () => chat.received.length === 1)
})

test('only saving the webhooks enables a disabled URL again', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t)
  const game = await app.buggyGame({ webhook_urls: [receiver.url], daily_cap: 100 })
  await app.sql`update bug_receivers set disabled_at = now()`
  await app.configure(game, { daily_cap: 50 })
  assert.equal(
    (await app.reporter(game)).webhooks[0].state,
    'disabled',
    'changing another setting enabled the URL',
  )
  await app.configure(game, { webhook_urls: [receiver.url] })
  assert.equal((await app.reporter(game)).webhooks[0].state, 'ok')
  await fileBugs(app, game, 1)
  await app.settled(game)
  assert.deepEqual(messages(receiver), ['Bug 1'])
})

test('a report that a receiver rejects delays the next reports only briefly', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t, (response, { json }) =>
    response.writeHead(json.message === 'Bug 2' ? 400 : 200).end(),
  )
  const game = await app.buggyGame({ webhook_urls: [receiver.url], daily_cap: 100 })
  await fileBugs(app, game, 4)
  for (let attempt = 1; attempt <= 2; attempt++) {
    await eventually(`attempt ${attempt}`, async () =>
      (await app.deliveries(game)).some(
        ({ response_status, attempts }) => response_status === 400 && attempts === attempt,
      ),
    )
    await makeDeliveriesDue(app.sql)
  }
  await eventually('the other reports', () => receiver.received.length === 6)
  assert.deepEqual(messages(receiver), ['Bug 1', 'Bug 2', 'Bug 2', 'Bug 2', 'Bug 3', 'Bug 4'])
  await eventually(
    'one pending delivery',
    async () => (await app.deliveries(game, 'pending')).length === 1,
  )
  assert.equal((await app.reporter(game)).webhooks[0].state, 'ok')
  await fileBugs(app, game, 1, 5)
  await eventually('the new report', () => receiver.received.length === 7)
  await eventually(
    'the stored delivery',
    async () => (await app.deliveries(game, 'delivered')).length === 4,
  )
  await makeDeliveriesDue(app.sql, 11)
  const [failed] = await eventually('the failed delivery', async () => {
    const failures = await app.deliveries(game, 'failed')
    return failures.length === 1 && failures
  })
  assert.deepEqual([failed.attempts, failed.response_status], [4, 400])
  assert.equal((await app.reporter(game)).webhooks[0].state, 'ok', 'the URL counts as failing')
})

test('a pending delivery uses the URL and key from when it was created', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t, (response) => response.writeHead(500).end())
  const game = await app.buggyGame({ webhook_urls: [receiver.url], daily_cap: 100 })
  await fileBugs(app, game, 1)
  await eventually('a failure', async () => (await app.deliveries(game))[0]?.attempts === 1)
  await app.configure(game, { webhook_urls: [] })
  must(await app.post(`${GAMES}/${game.uid}/bug-reporter/signing-key`, undefined, game.owner))
  receiver.answer = (response) => response.writeHead(200).end()
  await makeDeliveriesDue(app.sql)
  await app.settled(game)
  const { text, signature } = unsigned(receiver.received.at(-1)!.body)
  assert.equal(signature, opensslHmac(game.signing_key, text, 'hex'))
  await fileBugs(app, game, 1, 2)
  assert.equal((await app.deliveries(game)).length, 1)
})

test('a report goes to the webhooks that are set when its upload ends', async (t) => {
  const app = await startShared(t)
  const [early, late] = [await startReceiver(t), await startReceiver(t)]
  const game = await app.buggyGame({ daily_cap: 100 })
  const someone = await app.player()
  const token = await app.tokenOf(game.uid, someone)
  /** Sends a report whose last bytes follow after the webhooks have changed. */
  async function during(webhook_urls: string[], message: string) {
    const sent = report({ message }, { screenshot: await picture(64, 64) })
    const answer = await app.sendSlowly(game.uid, token, sent, () =>
      app.configure(game, { webhook_urls }),
    )
    assert.equal(answer.statusCode, 201)
    answer.resume()
    await app.settled(game)
  }
  await during([early.url], 'Bug 1')
  await during([late.url], 'Bug 2')
  await during([], 'Bug 3')
  assert.deepEqual([messages(early), messages(late)], [['Bug 1'], ['Bug 2']])
})

test('a 2xx response counts as delivered, however long, compressed or slow its body', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t, (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).write(Buffer.alloc(2 * 1024 * 1024)),
  )
  const game = await app.buggyGame({ webhook_urls: [receiver.url] })
  await fileBugs(app, game, 1)
  const [delivery] = await app.settled(game)
  assert.deepEqual(
    [delivery.status, delivery.attempts, receiver.received.length],
    ['delivered', 1, 1],
  )
})

test('a redirect counts as a failure and is not followed', async (t) => {
  const app = await startShared(t)
  const inner = await startReceiver(t)
  const outer = await startReceiver(t, (response) =>
    response.writeHead(307, { location: `${inner.url}/internal` }).end(),
  )
  const game = await app.buggyGame({ webhook_urls: [outer.url] })
  await fileBugs(app, game, 1)
  const [delivery] = await eventually('the attempt', async () => {
    const all = await app.deliveries(game)
    return all[0]?.attempts === 1 && all
  })
  assert.equal(delivery.response_status, 307)
  assert.match(delivery.error, /redirects are not followed/)
  assert.equal(inner.received.length, 0)
})

test('sends nothing to a host name while it resolves to a private address', async (t) => {
  const app = await startBugApp(t)
  const receiver = await startReceiver(t)
  const { port } = new URL(receiver.url)
  const answers = [
    ['127.0.0.1'],
    ['93.184.215.14', '10.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
  ]
  let lookups = 0
  const lookup = async () => answers[lookups++ % answers.length]!.map((address) => ({ address }))
  app.core.outbound = createOutbound({ lookup })
  const game = await app.buggyGame({ webhook_urls: [`https://rebound.example:${port}/hook`] })
  await fileBugs(app, game, 1)
  for (let attempt = 1; attempt <= answers.length; attempt++) {
    const [delivery] = await eventually(`attempt ${attempt}`, async () => {
      const all = await app.deliveries(game)
      return all[0]?.attempts === attempt && all
    })
    assert.match(delivery.error, /not public/)
    await makeDeliveriesDue(app.sql)
  }
  assert.equal(receiver.received.length, 0)
})

test('the current URL rules apply to a webhook that was saved before them', async (t) => {
  const app = await startBugApp(t)
  const receiver = await startReceiver(t)
  const game = await app.buggyGame({ webhook_urls: [receiver.url] })
  app.core.config.webhook_loopback = false
  await fileBugs(app, game, 1)
  const [delivery] = await eventually('the attempt', async () => {
    const all = await app.deliveries(game)
    return all[0]?.attempts === 1 && all
  })
  assert.match(delivery.error, /https/)
  app.core.config.webhook_loopback = true
  await app.sql`update bug_receivers set url = ${`${app.url}/api/v1/private/account/logout`}`
  await makeDeliveriesDue(app.sql)
  const [own] = await eventually('another', async () => {
    const all = await app.deliveries(game)
    return all[0]?.attempts === 2 && all
  })
  assert.match(own.error, /belongs to the service itself/)
  assert.equal(receiver.received.length, 0)
})

test('a delivery can be sent again, but not from another game', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t)
  const game = await app.buggyGame({ webhook_urls: [receiver.url], daily_cap: 100 })
  const other = await app.buggyGame()
  await fileBugs(app, game, 2)
  const [second, first] = await app.settled(game)
  assert.equal((await replay(app, game, first.uid)).status, 202)
  await eventually('the repeat', () => receiver.received.length === 3)
  assert.equal(receiver.received[2]!.body, receiver.received[0]!.body)
  await app.settled(game)
  assert.deepEqual(refused(await replay(app, game, first.uid, other.owner)), [404, 4040])
  assert.deepEqual(refused(await replay(app, other, first.uid)), [404, 4040])
  for (const uid of [ZERO, 'x'])
    assert.deepEqual(refused(await replay(app, game, uid)), [404, 4040])
  receiver.answer = (response) => response.writeHead(500).end()
  must(await replay(app, game, second.uid))
  await eventually(
    'a failure',
    async () => (await app.deliveries(game, 'pending'))[0]?.attempts === 1,
  )
  receiver.answer = (response) => response.writeHead(200).end()
  must(await replay(app, game, second.uid))
  await app.settled(game)
})

test('the settings show the newest deliveries, and pages list all of them', async (t) => {
  const app = await startShared(t)
  const receiver = await startReceiver(t)
  const game = await app.buggyGame({ webhook_urls: receiver.urls(5), daily_cap: 100 })
  await fileBugs(app, game, 12)
  await app.settled(game)
  assert.equal((await app.reporter(game)).deliveries.length, 50)
  const page = must(
    await app.get(`${GAMES}/${game.uid}/bug-reporter/deliveries?page=2&page_size=40`, game.owner),
  )
  assert.deepEqual([page.items.length, page.total], [20, 60])
  assert.equal((await app.deliveries(game, 'failed')).length, 0)
})

test('a receiver whose job is lost gets a new one, and old deliveries are deleted', async (t) => {
  const app = await startBugApp(t, { SLIPWAY_ROLES: 'api' })
  const receiver = await startReceiver(t)
  const game = await app.buggyGame({ webhook_urls: [receiver.url], daily_cap: 100 })
  await fileBugs(app, game, 1)
  await app.sql`delete from pgboss.job where name in ('bugs.deliver', 'bugs.retry')`
  const stray = `bugs/${game.uid}/${uuidv7(Date.now() - 86_500_000)}`
  const young = `bugs/${game.uid}/${uuidv7()}`
  for (const key of [stray, young]) await app.core.storage.put(key, Buffer.from('x'))
  const jobs = ['bugs.mend', 'bugs.sweep', 'bugs.sweep-screenshots']
  for (const name of jobs) await app.core.jobs.send(app.sql, name)
  await app.core.jobs.start(app.core)
  await app.settled(game)
  assert.equal(receiver.received.length, 1)
  await eventually('the sweep', async () => !(await app.core.storage.stat(stray)))
  assert.ok(await app.core.storage.stat(young))

  await app.configure(game, { webhook_urls: [] })
  await app.sql`update bug_deliveries set finished_at = now() - interval '31 days'`
  await app.sql`update bug_counts set day = day - 2`
  await app.core.jobs.send(app.sql, 'bugs.sweep')
  await eventually('all rows to be deleted', async () => {
    const [remaining] = await app.sql`
      select
        (select count(*) from bug_deliveries)
        + (select count(*) from bug_receivers)
        + (select count(*) from bug_counts) as rows`
    return remaining!.rows === 0
  })
  assert.equal((await app.sql`select from bugs`).length, 1, 'the ticket was deleted')
})
