import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startChat } from '../../sim/chat.ts'
import { deliverReportsJob, sweepReportDeliveries } from '../../src/moderation/webhook/jobs.ts'
import { checkTimedSignature, opensslHmac, unsigned } from '../bugs/hooks.ts'
import { startReceiver } from '../bugs/receivers.ts'
import { programsOf } from '../docs/code-blocks.ts'
import { OPERATIONS, SETTINGS, startConsole } from '../operator/fixtures.ts'
import { eventually, runJob, startApp, temporaryFolder } from '../support/app.ts'
import { makePublic, must, newAddress, PASSWORD, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'

const WEBHOOK = `${OPERATIONS}/reports-webhook`
const DELIVERIES = `${WEBHOOK}/deliveries`
const KEY = `${WEBHOOK}/signing-key`
const PAGE = '/operator/settings/reports-webhook'
const hiddenValue = (page: string, name: string) =>
  page
    .match(new RegExp(`type="hidden" name="${name}" value="([^"]*)"`))![1]!
    .replaceAll('&quot;', '"')

/** A store with a public listing that strangers report, and an operator. */
async function startHooked(t: TestContext, env: Record<string, string> = {}) {
  const app = await startConsole(t, { PROXY_HOPS: '1', ...env })
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, name: 'Pill "Harbor" ☃' })
  await makePublic(app.sql, listing.uid)
  /** Files a report of a stranger; returns its id. */
  const file = async (more = {}): Promise<string> => {
    const body = {
      target_type: 'listing',
      target_id: listing.uid,
      kind: 'spam',
      text: 'The page sells pills, says eve@example.com',
      contact_email: 'eve@example.com',
      good_faith: true,
      ...more,
    }
    const headers = newAddress()
    const contact_email = `${randomUUID()}@example.com`
    const sent = { ...body, ...(body.contact_email && { contact_email }) }
    return must(await app.post('/api/v1/public/reports', sent, { headers })).report_id
  }
  const deliveries = async (query = '') =>
    must(await app.get(`${DELIVERIES}${query}`, app.operator)).items
  const settled = () =>
    eventually('all deliveries', async () => {
      const items = await deliveries('?page_size=100')
      return items.every(({ status }: { status: string }) => status !== 'pending') && items
    })
  const key = async () => must(await app.get(KEY, app.operator)).signing_key as string
  /** Makes what waits due now, and its first attempt that many hours older. */
  const makeDue = (hours = 0) => app.sql`
    update report_deliveries set
      next_attempt_at = now(),
      first_attempt_at = first_attempt_at - make_interval(hours => ${hours})
    where status = 'pending'`
  return { ...app, owner, listing, file, deliveries, settled, key, makeDue }
}

test('a new report is sent once, signed, without the reporter and their text', async (t) => {
  const app = await startHooked(t)
  const { listing, file, settled, key, set, url } = app
  const receiver = await startReceiver(t)
  await file()
  await set({ reports_webhook_url: receiver.url })
  const report_id = await file({ kind: 'hate' })
  const [delivery] = await settled()
  assert.equal(receiver.received.length, 1, 'reports before the setting are not sent')
  const [hook] = receiver.received
  assert.equal(hook!.headers['x-delivery-id'], delivery.uid)
  const { created_at, signature, ...json } = hook!.json
  assert.deepEqual(json, {
    event: 'report.created',
    report_id,
    target_type: 'listing',
    target_id: listing.uid,
    target_title: 'Pill "Harbor" ☃',
    kind: 'hate',
    state: 'open',
    url: `${url}/operator/moderation/listing/${listing.uid}`,
  })
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
  assert.equal(signature, opensslHmac(await key(), unsigned(hook!.body).text, 'hex'))
  const sent_at = checkTimedSignature(hook!, await key())
  assert.ok(Math.abs(sent_at * 1000 - Date.now()) < 60_000)
  assert.doesNotMatch(hook!.body, /example\.com|sells pills/)
  assert.deepEqual(
    [delivery.status, delivery.attempts, delivery.response_status, delivery.report_id],
    ['delivered', 1, 200, report_id],
  )
})

test('failed deliveries are retried with the same id, and shown when they are given up', async (t) => {
  const app = await startHooked(t)
  const { file, deliveries, makeDue, set, console, get, post, operator, sql } = app
  const receiver = await startReceiver(t, (response, _hook, nth) => {
    // The first answer is lost after the request arrived.
    if (nth === 1) response.destroy()
    else response.writeHead(500).end()
  })
  await set({ reports_webhook_url: receiver.url })
  await file()
  const [first] = await eventually('the first attempt', async () => {
    const items = await deliveries()
    return items[0]?.attempts === 1 && items
  })
  assert.equal(first.status, 'pending')
  const wait = Date.parse(first.next_attempt_at) - Date.parse(first.last_attempt_at)
  assert.ok(wait > 55_000 && wait < 75_000, `the first retry comes after ${wait} ms`)
  await runJob(app, deliverReportsJob)
  assert.equal(receiver.received.length, 1, 'a retry waits for its time')
  for (const hours of [0, 0, 10]) {
    await makeDue(hours)
    await runJob(app, deliverReportsJob)
  }
  const [failed] = await deliveries('?status=failed')
  assert.deepEqual([failed.attempts, failed.error], [4, 'It answered 500'])
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-delivery-id'])).size, 1)
  assert.equal(must(await get(`${OPERATIONS}/overview`, operator)).failed_report_deliveries, 1)
  const overview = await console.open('/operator')
  assert.match(overview.body, /href="\/operator\/settings\/reports-webhook">1 report<\/a>/)
  const page = await console.open(PAGE)
  assert.match(page.body, /It answered 500/)

  receiver.answer = (response) => response.writeHead(204).end()
  const again = await console.submit(`${PAGE}/deliveries/${failed.uid}/replay`)
  assert.match(again.body, /Delivery queued/)
  await eventually('the replay', async () => (await deliveries())[0].status === 'delivered')
  assert.equal(receiver.received.at(-1)!.headers['x-delivery-id'], failed.uid)
  const missing = await post(`${DELIVERIES}/${randomUUID()}/replay`, undefined, operator)
  assert.deepEqual(refused(missing), [404, 4040])

  await sql`update report_deliveries set finished_at = now() - interval '29 days'`
  await runJob(app, sweepReportDeliveries)
  assert.equal((await deliveries()).length, 1)
  await sql`update report_deliveries set finished_at = now() - interval '31 days'`
  await runJob(app, sweepReportDeliveries)
  assert.equal((await deliveries()).length, 0)
})

test('two processes send each report once; one that died is replaced after its lease', async (t) => {
  const app = await startHooked(t)
  const { file, settled, set, sql, deliveries, makeDue } = app
  const other = await startApp(t, {
    ...app.settings,
    SLIPWAY_ROLES: 'worker',
  })
  const receiver = await startReceiver(t)
  await set({ reports_webhook_url: receiver.url })
  await eventually(
    'the setting in the other process',
    () => other.core.settings.current.reports_webhook_url === receiver.url,
  )
  const count = 12
  for (let i = 0; i < count; i++) {
    await file()
    await Promise.all([runJob(app, deliverReportsJob), runJob(other, deliverReportsJob)])
  }
  await settled()
  const ids = () => receiver.received.map(({ headers }) => headers['x-delivery-id'])
  assert.deepEqual([ids().length, new Set(ids()).size], [count, count])

  // What a process leaves behind that is killed between the answer and its record.
  await sql`
    update report_deliveries set
      status = 'pending', attempts = 0, next_attempt_at = now() + interval '60 seconds'
    where uid = ${ids()[0]!}`
  await runJob(app, deliverReportsJob)
  assert.equal(ids().length, count, 'not before the lease ends')
  await makeDue()
  await Promise.all([runJob(app, deliverReportsJob), runJob(other, deliverReportsJob)])
  assert.equal(ids().length, count + 1)
  assert.equal(ids().at(-1), ids()[0], 'the receiver can tell that it is the same')
  const states = (await deliveries('?page_size=100')).map(({ status }: any) => status)
  assert.deepEqual(new Set(states), new Set(['delivered']))
})

test('the key is made at its first use, sealed, and shown and replaced with a fresh proof', async (t) => {
  const app = await startHooked(t)
  const { get, post, operator, key, file, settled, set, sql, console, a } = app
  const receiver = await startReceiver(t)
  const first = await key()
  assert.match(first, /^[0-9a-f]{64}$/)
  assert.equal(await key(), first)
  const [row] = await sql`select sealed from store_secrets where field = 'reports_signing_key'`
  assert.ok(!Buffer.from(row!.sealed).toString('latin1').includes(first))
  const second = must(await post(KEY, undefined, operator)).signing_key
  assert.notEqual(second, first)
  await set({ reports_webhook_url: receiver.url })
  await file()
  await settled()
  const { text, signature } = unsigned(receiver.received[0]!.body)
  assert.equal(signature, opensslHmac(second, text, 'hex'))
  const [entry] = must(await get(`${OPERATIONS}/audit`, operator)).items
  assert.equal(entry.action, 'moderation.replace-signing-key')

  const { key: program } = await a.key('agent', operator, ['operator:write'])
  for (const answer of [
    await get(KEY, { token: program }),
    await post(KEY, undefined, { token: program }),
  ])
    assert.deepEqual(refused(answer), [403, 4033])
  const stranger = await a.verified()
  assert.deepEqual(refused(await get(KEY, stranger)), [403, 4030])

  await sql`update sessions set created_at = now() - interval '11 minutes', proved_at = null`
  assert.deepEqual(refused(await get(KEY, operator)), [403, 4032])
  assert.deepEqual(refused(await post(KEY, undefined, operator)), [403, 4032])
  const page = await console.open(PAGE)
  assert.ok(!page.body.includes(second))
  const prompt = await console.send(`${PAGE}/signing-key/reveal`)
  assert.equal(prompt.status, 403)
  const pending_form = hiddenValue(prompt.body, 'pending_form')
  await console.send('/account/confirm', { pending_form, password: PASSWORD })
  const revealed = await console.send(`${PAGE}/signing-key/reveal`)
  assert.ok(revealed.body.includes(second))
  const replaced = await console.send(`${PAGE}/signing-key`)
  assert.ok(replaced.body.includes(await key()))
  assert.notEqual(await key(), second)
})

test('only public addresses are accepted, and the address is checked at every attempt', async (t) => {
  const { patch, operator, core, set, file, deliveries, post, console, sql, ...app } =
    await startHooked(t)
  const own = `http://127.0.0.1:${new URL(app.url).port}/`
  for (const reports_webhook_url of [
    'hello',
    'ftp://hooks.example/',
    'http://hooks.example/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://user:password@hooks.example/',
    own,
    `https://hooks.example/${'x'.repeat(2000)}`,
  ]) {
    const answer = await patch(SETTINGS, { reports_webhook_url }, operator)
    assert.deepEqual(refused(answer), [400, 4000], reports_webhook_url)
  }
  must(await patch(SETTINGS, { reports_webhook_url: 'https://hooks.example/a?b=c' }, operator))
  // As if a process with other rules had stored it.
  await sql`update store_settings set value = ${sql.json(own)} where name = 'reports_webhook_url'`
  await core.settings.reload()
  await file()
  const [blocked] = await eventually('the attempt', async () => {
    const items = await deliveries()
    return items[0]?.attempts === 1 && items
  })
  assert.equal(blocked.response_status, null)
  const { delivered, error } = must(await post(`${WEBHOOK}/test`, undefined, operator))
  assert.deepEqual([delivered, error], [false, 'this port belongs to the service itself'])

  await set({ reports_webhook_url: null })
  assert.deepEqual(refused(await post(`${WEBHOOK}/test`, undefined, operator)), [409, 4090])
  await runJob({ core, sql }, deliverReportsJob)
  const [given_up] = await deliveries('?status=failed')
  assert.equal(given_up.uid, blocked.uid)
  const replay = await post(`${DELIVERIES}/${blocked.uid}/replay`, undefined, operator)
  assert.deepEqual(refused(replay), [409, 4090])
  assert.match((await console.open(PAGE)).body, /Empty/)
})

test('the console tests the webhook; a chat service gets an embed', async (t) => {
  const chat = await startChat()
  cleanup(t, () => chat.close())
  const app = await startHooked(t, { CHAT_WEBHOOK_PREFIXES: chat.prefix })
  const { console, set, file, settled } = app
  const receiver = await startReceiver(t)
  await set({ reports_webhook_url: receiver.url })
  const settings = await console.open('/operator/settings')
  assert.match(settings.body, new RegExp(`href="${PAGE}"`))
  assert.match((await console.submit(`${PAGE}/test`)).body, /The webhook took the test/)
  assert.equal(receiver.received[0]!.json.event, 'report.test')
  receiver.answer = (response) => response.writeHead(418).end()
  assert.match(
    (await console.submit(`${PAGE}/test`)).body,
    /did not take the test: It answered 418/,
  )
  assert.match((await console.open(PAGE)).body, /Nothing sent yet/)

  await set({ reports_webhook_url: chat.webhook() })
  await file()
  await settled()
  const [message] = chat.received
  assert.match(message!.embeds![0]!.title!, /New report: Pill "Harbor"/)
  assert.doesNotMatch(JSON.stringify(message), /example\.com|sells pills/)
})

test('the documented program verifies a report and refuses a changed one', async (t) => {
  const { set, file, settled, key } = await startHooked(t)
  const receiver = await startReceiver(t)
  await set({ reports_webhook_url: receiver.url })
  const report_id = await file()
  await settled()
  const { body } = receiver.received[0]!
  const [program] = programsOf('docs/moderation.md', 'js')
  const path = join(temporaryFolder(t), 'verify.mjs')
  writeFileSync(
    path,
    `${program}
import { readFileSync } from 'node:fs'
const report = verifyReport(readFileSync(0, 'utf8'), process.env.KEY)
process.stdout.write(report?.report_id ?? 'refused')`,
  )
  const run = (input: string, KEY: string) =>
    execFileSync(process.execPath, [path], {
      input,
      env: { ...process.env, KEY },
      encoding: 'utf8',
    })
  const signing_key = await key()
  assert.equal(run(body, signing_key), report_id)
  assert.equal(run(body.replace('spam', 'hate'), signing_key), 'refused')
  assert.equal(run(body, 'another key'), 'refused')
  assert.equal(run('{}', signing_key), 'refused')
})
