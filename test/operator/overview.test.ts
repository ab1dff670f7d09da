import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createServer } from 'node:tls'
import { readCertificateEnd } from '../../src/core/security/outbound.ts'
import { isDiskLow } from '../../src/core/storage/free-disk.ts'
import { checkStore } from '../../src/operator/console/jobs.ts'
import { newerVersions } from '../../src/operator/console/newer-versions.ts'
import { admin } from '../support/admin-run.ts'
import { temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { makeCertificate } from '../support/certificate.ts'
import { OPERATIONS, sharedConsole, startConsole } from './fixtures.ts'

const startShared = sharedConsole()

const GIB = 1024 ** 3
const DAY_MS = 86_400_000
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

test('the overview counts what waits for a decision and links to it', async (t) => {
  const { a, operator, console, get, post, sql, set, settings, published } = await startConsole(t)
  const data = async () => must(await get(`${OPERATIONS}/overview`, operator))
  const none = { reports: 0, appeals: 0, releases: 0, publishers: 0, orders: 0 }
  assert.deepEqual((await data()).waiting, none)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner, name: 'Lantern Harbour' })
  await sql`insert into held_releases (game_uid, state) values (${listing.uid}, 'waiting')`
  const reported = await published({ name: 'Tide Bell' })
  await set({ publishing: 'approval' })
  must(
    await post(
      '/api/v1/private/account/publishing',
      { text: 'Please' },
      await a.verifiedDeveloper(),
    ),
  )
  for (const kind of ['spam', 'other'])
    must(
      await post(
        '/api/v1/public/reports',
        { target_type: 'listing', target_id: reported.uid, kind, text: 'Spam', good_faith: true },
        await a.verified(),
      ),
    )
  const hidden = await post(
    '/api/v1/private/moderation/actions',
    {
      target_type: 'listing',
      target_id: listing.uid,
      action: 'hide',
      ground: 'rule-spam',
      facts: 'Spam',
    },
    operator,
  )
  const appeal = `/api/v1/public/statements/${must(hidden).statement_uid}/appeal`
  must(await post(appeal, { text: 'It is a game' }, owner))
  await sql`
    insert into mails (uid, message_id, recipient, recipient_hash, kind, state, created_at)
    select gen_random_uuid(), gen_random_uuid(), 'a…@b', '', 'accounts.mail-code', 'bounced',
      now() - days * interval '1 day'
    from unnest(array[1, 6.9, 7.1]) as days`
  const { waiting, mail_bounces } = await data()
  assert.deepEqual(waiting, { ...none, reports: 1, appeals: 1, releases: 1, publishers: 1 })
  assert.equal(mail_bounces, 2)
  const { body } = await console.open('/operator')
  const text = textOf(body)
  assert.match(text, /1 target was reported and waits for a decision/)
  assert.match(text, /1 first release waits for a review/)
  assert.match(text, /1 person asks for the right to publish/)
  assert.match(text, /2 mails bounced in the last 7 days/)
  assert.match(text, /1 appeal waits for a decision/)
  for (const url of [
    '/operator/moderation',
    '/operator/moderation/appeals',
    '/operator/approvals',
    '/operator/mail?state=bounced',
    '/operator/people',
    '/operator/listings?state=public',
  ])
    assert.ok(body.includes(`<a href="${url}"`), url)
  const reports = await admin(settings, 'reports', 'list')
  assert.match(
    reports.stdout,
    new RegExp(`^listing  ${reported.uid}  2 reports  other,spam  Tide Bell$`),
  )
})

test('the overview says when mail is not delivered, and never that everything works', async (t) => {
  const { operator, console, get, put, sql } = await startShared(t)
  const page = async () => textOf((await console.open('/operator')).body)
  const mail = async () => must(await get(`${OPERATIONS}/overview`, operator)).mail
  assert.deepEqual(await mail(), { delivery: 'outbox', failing: 0, error: null })
  assert.match(await page(), /Nobody receives mails, because no mail server is set up/)
  assert.doesNotMatch(await page(), /Everything works/)
  must(await put(`${OPERATIONS}/mail-server`, { smtp_url: 'smtp://127.0.0.1:9' }, operator))
  assert.deepEqual(await mail(), { delivery: 'smtp', failing: 0, error: null })
  assert.doesNotMatch(await page(), /mail server/)
  const add = (state: string, days: number, error: string) => sql`
    insert into mails (
      uid, message_id, recipient, recipient_hash, kind, state, error, created_at, changed_at
    )
    select gen_random_uuid(), gen_random_uuid(), 'a…@b', '', 'accounts.mail-code', ${state},
      ${error}, at, at
    from (select now() - ${days} * interval '1 day' as at) times`
  await add('sent', 1, '')
  await add('failed', 7.1, 'an old problem')
  assert.doesNotMatch(await page(), /could not be delivered/)
  await add('failed', 6.9, 'greylisted')
  assert.match(await page(), /1 mail of the last 7 days could not be delivered.*greylisted/)
  await add('failed', 0, '535 <wrong> password')
  assert.deepEqual(await mail(), { delivery: 'smtp', failing: 2, error: '535 <wrong> password' })
  const text = await page()
  assert.match(text, /2 mails of the last 7 days.*535 &lt;wrong&gt; password/)
  assert.doesNotMatch(text, /Everything works/)
})

test('a disk is nearly full below 5 % or 2 GiB, whichever is more', async (t) => {
  const low = (free_bytes: number, total_bytes: number) => isDiskLow({ free_bytes, total_bytes })
  assert.deepEqual([low(2 * GIB - 1, 20 * GIB), low(2 * GIB, 20 * GIB)], [true, false])
  assert.deepEqual([low(5 * GIB - 1, 100 * GIB), low(5 * GIB, 100 * GIB)], [true, false])
  const { operator, get, console } = await startShared(t)
  const { disk } = must(await get(`${OPERATIONS}/overview`, operator))
  assert.ok(disk.total_bytes > disk.free_bytes && disk.free_bytes > 0)
  assert.match(textOf((await console.open('/operator')).body), / of [\d.]+ [KMGT]i?B free/)
})

test('the end of a certificate is read through the address guard', async (t) => {
  const files = makeCertificate(temporaryFolder(t), 'store.example')
  const key = readFileSync(files.key)
  const cert = readFileSync(files.cert)
  const server = createServer({ key, cert }, (socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const end = await readCertificateEnd(url, { trusted_origins: [url] })
  assert.ok(end.getTime() > Date.now())
  await assert.rejects(readCertificateEnd(url), { name: 'OutboundError', kind: 'blocked' })
})

test('the overview warns before the certificate ends', async (t) => {
  const { operator, console, get, sql } = await startConsole(t, {
    BASE_URL: 'https://store.example',
  })
  console.jar.set('__Host-svc_session', operator.token)
  assert.equal(must(await get(`${OPERATIONS}/overview`, operator)).certificate, null)
  const page = async (days: number) => {
    const expires_at = new Date(Date.now() + days * DAY_MS).toISOString()
    await sql`
      insert into store_checks (name, result)
      values ('certificate', ${sql.json({ expires_at })})
      on conflict (name) do update set result = excluded.result`
    return textOf((await console.open('/operator')).body)
  }
  assert.doesNotMatch(await page(14.1), /certificate/)
  assert.match(await page(13.9), /The certificate of the store ends in 13 days/)
  assert.match(await page(0.5), /ends within a day/)
  assert.match(await page(-0.5), /The certificate of the store has ended/)
})

test('newer versions of a changelog are shown by their headings', async (t) => {
  const changelog = [
    '# Changelog',
    '## Unreleased',
    '## 0.10.0 (2027-01-05)',
    '### Added',
    '## [v0.2.0] - 2026-12-01',
    '## 0.2.0-beta.1',
    '## 0.1.0',
    '## 0.0.9',
  ].join('\n')
  const headings = ['0.10.0 (2027-01-05)', '[v0.2.0] - 2026-12-01']
  assert.deepEqual(newerVersions(changelog, '0.1.0'), headings)
  assert.deepEqual(newerVersions(changelog, '0.10.0'), [])
  const UPDATE_URL = 'https://example.com/CHANGELOG.md'
  const { operator, console, get, core } = await startConsole(t, { UPDATE_URL })
  const update = async () => must(await get(`${OPERATIONS}/overview`, operator)).update
  assert.equal(await update(), null)
  const requests: string[] = []
  core.outbound = {
    async request({ url }) {
      requests.push(url)
      return { status: 200, headers: {}, body: Buffer.from(changelog), url, resent: false }
    },
  }
  const run = {
    core,
    data: {},
    id: '',
    attempt: 1,
    lost_runs: 0,
    signal: AbortSignal.timeout(60_000),
  }
  await checkStore.handle({ ...run, finish: () => assert.fail() })
  assert.deepEqual(requests, [UPDATE_URL])
  assert.deepEqual(await update(), { headings })
  const text = textOf((await console.open('/operator')).body)
  assert.match(text, /Newer versions are available: 0\.10\.0 \(2027-01-05\) \[v0\.2\.0\]/)
})

test('a store without UPDATE_URL asks nobody', async (t) => {
  const { operator, get, core } = await startConsole(t)
  core.outbound = { request: () => assert.fail('a request was sent') }
  const run = {
    core,
    data: {},
    id: '',
    attempt: 1,
    lost_runs: 0,
    signal: AbortSignal.timeout(60_000),
  }
  await checkStore.handle({ ...run, finish: () => assert.fail() })
  assert.equal(must(await get(`${OPERATIONS}/overview`, operator)).update, null)
})

test('the command line lists people, listings and mails, and decides on reports', async (t) => {
  const { a, operator, settings, get } = await startConsole(t)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner, name: 'Lantern Harbour' })
  const people = await admin(settings, 'people', 'list', owner.username)
  assert.equal(people.stdout, `${owner.uid}  ${owner.username}  ${owner.email}  1 listing`)
  const drafts = await admin(settings, 'listings', 'list', 'draft')
  assert.match(drafts.stdout, new RegExp(`^${listing.uid}  /\\S+  draft  Lantern Harbour$`))
  assert.equal((await admin(settings, 'listings', 'list', 'public')).stdout, 'no listings')
  assert.equal((await admin(settings, 'listings', 'list', 'odd')).code, 2)
  assert.equal((await admin(settings, 'mail', 'list', 'bounced')).stdout, 'no mails')
  const decide = (login: string, action: string, ground: string) =>
    admin(settings, 'reports', 'decide', login, 'person', owner.uid, action, ground, 'It', 'spams')
  const stranger = await decide(owner.username, 'warn', 'rule-spam')
  assert.deepEqual([stranger.code, stranger.stderr], [1, `${owner.username} is no operator\n`])
  assert.match((await decide(operator.username, 'warn', 'no-violation')).stderr, /ground/)
  assert.match((await decide(operator.username, 'fly', 'rule-spam')).stderr, /The action is /)
  const warned = await decide(operator.username, 'warn', 'rule-spam')
  assert.equal(warned.stdout, `warn: person ${owner.username}`, warned.stderr)
  const { items } = must(await get('/api/v1/private/moderation/actions', operator))
  assert.deepEqual(
    items.map(({ action, facts, moderator }: any) => [action, facts, moderator]),
    [['warn', 'It spams', operator.username]],
  )
})
