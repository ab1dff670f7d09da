import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { updatePopularityJob } from '../../../src/downloads/jobs.ts'
import { provenApproval } from '../../../src/library/approval.ts'
import { eventually, runJob } from '../../support/app.ts'
import { fc } from '../../support/property.ts'
import { emptySearch, startSearch } from './fixtures.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** By default without a worker, whose own run of the job could come in between. */
async function startWithDownloads(t: Parameters<typeof startSearch>[0], SLIPWAY_ROLES = 'api,web') {
  const app = await startSearch(t, { SLIPWAY_ROLES })
  const { sql, a, createListing, waitForIndex } = app
  const people = await Promise.all(Array.from({ length: 4 }, () => a.user()))

  /** A download some time ago, by one of the people or by nobody in particular. */
  const download = (game_uid: string, days_ago: number, parts: Record<string, unknown> = {}) =>
    sql`insert into download_attempts ${sql({
      game_uid,
      file_uid: randomUUID(),
      build_uid: randomUUID(),
      channel: 'stable',
      user_uid: null,
      source: 'website',
      access: 'anonymous',
      client: 'browser',
      outcome: 'ok',
      country: 'DE',
      at: new Date(Date.now() - days_ago * DAY),
      ...parts,
    })}`
  async function update() {
    await runJob(app, updatePopularityJob)
    await waitForIndex()
  }
  return { ...app, people, download, update, createListing }
}

test('popular orders by different people who downloaded lately', async (t) => {
  const { people, download, update, createListing, names } = await startWithDownloads(t)
  const named = (name: string) => createListing({ name })
  const many = await named('Many people')
  const eager = await named('One eager person')
  const past = await named('Past fame')
  const refused = await named('Refused')
  await named('Never downloaded')
  for (const { uid } of people.slice(0, 3)) await download(many, 1, { user_uid: uid })
  for (let i = 0; i < 10; i++) await download(eager, 1, { user_uid: people[0]!.uid })
  for (const { uid } of people) await download(past, 31, { user_uid: uid })
  for (const { uid } of people) await download(refused, 1, { user_uid: uid, outcome: 'scanning' })
  await update()
  const order = await names('sort=popular')
  assert.deepEqual(order.slice(0, 2), ['Many people', 'One eager person'])
  // Without downloads that count, the newest comes first.
  assert.deepEqual(order.slice(2), ['Never downloaded', 'Refused', 'Past fame'])

  // A newer download counts more than an older one, and the next run adds to the last.
  const older = await named('Older')
  const newer = await named('Newer')
  for (const { uid } of people.slice(0, 2)) {
    await download(older, 20, { user_uid: uid })
    await download(newer, 2, { user_uid: uid })
  }
  await update()
  const next = await names('sort=popular')
  assert.ok(next.indexOf('Newer') < next.indexOf('Older'))
  assert.equal(next[0], 'Many people')
  for (const { uid } of people) await download(older, 0, { user_uid: uid })
  await update()
  assert.equal((await names('sort=popular'))[0], 'Older')
})

test('a job updates the popularity', async (t) => {
  const { download, createListing, core, sql } = await startWithDownloads(t, 'api,web,worker')
  const uid = await createListing()
  await download(uid, 1)
  await core.jobs.send(sql, 'downloads.update-popularity')
  await eventually('the popularity', async () => {
    const [row] = await sql`select popularity from download_popularity where game_uid = ${uid}`
    return row
  })
})

test('visitors of one country and client count once an hour', async (t) => {
  const { download, update, createListing, names, sql } = await startWithDownloads(t)
  // The newer listing would come first if both were as popular.
  const wide = await createListing({ name: 'Wide' })
  const repeated = await createListing({ name: 'Repeated' })
  const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR - HOUR)
  for (let i = 0; i < 20; i++) await download(repeated, 0, { at: hour })
  for (const country of ['DE', 'FR']) await download(wide, 0, { at: hour, country })
  await update()
  assert.deepEqual(await names('sort=popular'), ['Wide', 'Repeated'])
  const rows = await sql`select popularity from download_popularity order by popularity desc`
  assert.deepEqual(rows.length, 2)
  assert.equal((rows[0]!.popularity - rows[1]!.popularity).toFixed(2), '1.00', 'twice as many')
})

test('a listing is forgotten when its downloads are older than 30 days', async (t) => {
  const { people, download, update, createListing, sql } = await startWithDownloads(t)
  const uid = await createListing({ name: 'Forgotten' })
  await download(uid, 29, { user_uid: people[0]!.uid })
  await update()
  const rows = () => sql`select popularity from download_popularity where game_uid = ${uid}`
  assert.equal((await rows()).length, 1)
  await sql`update download_popularity set newest_at = newest_at - interval '2 days'`
  await update()
  assert.equal((await rows()).length, 0)
})

test('top_rated trusts many reviews more than few, and rating filters by percentage', async (t) => {
  const { sql, a, createListing, names, search, waitForIndex } = await emptySearch(t)
  const people = await Promise.all(Array.from({ length: 10 }, () => a.user()))
  const review = async (game_uid: string, votes: boolean[]) => {
    for (const [i, enjoyed] of votes.entries()) {
      await sql`insert into licences ${sql({
        user_uid: people[i]!.uid,
        game_uid,
        source: 'free',
      })}`
      await sql`insert into reviews ${sql({
        uid: randomUUID(),
        user_uid: people[i]!.uid,
        game_uid,
        free_copy: true,
        enjoyed,
        quality: 4,
        would_play_with_friends: false,
        text: '',
      })}`
    }
  }
  const votes = (yes: number, no: number) => [
    ...Array.from({ length: yes }, () => true),
    ...Array.from({ length: no }, () => false),
  ]
  await review(await createListing({ name: 'Nine of ten' }), votes(9, 1))
  await review(await createListing({ name: 'Both of two' }), votes(2, 0))
  await review(await createListing({ name: 'Two of three' }), votes(2, 1))
  await review(await createListing({ name: 'None of three' }), votes(0, 3))
  await createListing({ name: 'No reviews' })
  await waitForIndex()
  const order = await names('sort=top_rated')
  assert.deepEqual(order.slice(0, 3), ['Nine of ten', 'Both of two', 'Two of three'])
  assert.deepEqual(await names('sort=top_rated&rating=90'), ['Nine of ten'])
  assert.deepEqual(await names('sort=top_rated&rating=60'), ['Nine of ten', 'Two of three'])
  assert.deepEqual(await names('rating=70&sort=top_rated'), ['Nine of ten'])
  assert.equal((await search('rating=100')).total, 5, 'an unknown value is ignored')
  const { facets } = await search('facets=rating')
  assert.deepEqual(
    Object.fromEntries(facets.rating.map(({ value, count }: never) => [value, count])),
    { 60: 2, 70: 1, 80: 1, 90: 1 },
  )
})

test('price filters free and paid listings', async (t) => {
  const { createListing, names, search, waitForIndex } = await emptySearch(t)
  await createListing({ name: 'Free' })
  await createListing({ name: 'Paid', price_cents: 500 })
  await waitForIndex()
  assert.deepEqual(await names('price=free'), ['Free'])
  assert.deepEqual(await names('price=paid'), ['Paid'])
  assert.equal((await search('price=free,paid')).total, 2)
  assert.equal((await search('price=cheap')).total, 2)
})

test('the proven approval is below the share, and grows with more reviews of the same share', () => {
  assert.equal(provenApproval(0, 0), 0)
  const votes = fc
    .integer({ min: 1, max: 1000 })
    .chain((count) =>
      fc.record({ count: fc.constant(count), enjoyed: fc.integer({ min: 0, max: count }) }),
    )
  fc.assert(
    fc.property(votes, ({ count, enjoyed }) => {
      const bound = provenApproval(enjoyed, count)
      assert.ok(bound >= -1e-12 && bound <= enjoyed / count + 1e-12)
      if (enjoyed > 0) assert.ok(provenApproval(enjoyed * 2, count * 2) > bound)
      if (enjoyed < count) assert.ok(provenApproval(enjoyed + 1, count) > bound)
    }),
  )
})
