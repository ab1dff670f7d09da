import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepDownloadAttempts } from '../../src/downloads/jobs.ts'
import { runJob, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { addDownload, startDownloadApp } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('only the owner reads the download statistics of the last 30 days', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const url = `/api/v1/private/games/${app.game.uid}/download-analytics`
  const browser = { headers: { 'user-agent': 'Mozilla/5.0', referer: `${app.url}/x` } }
  must(await app.get(`${app.signed_out}?source=website`, browser))
  must(
    await app.get(`${app.signed_out}?source=website`, {
      headers: {
        'user-agent': 'GodotEngine/4.3',
        referer: 'https://elsewhere.example/page?secret',
      },
    }),
  )
  await app.changeListing(app.sql`anonymous_downloads = false`)
  await app.get(app.signed_out)
  must(await app.get(app.signed_in, await app.a.verified()))
  await app.sql`
    insert into download_attempts (game_uid, channel, source, access, client, outcome, at)
    values (${app.game.uid}, 'stable', 'api', 'anonymous', 'other', 'ok',
      now() - interval '31 days')`
  const { downloads } = must(await app.get(url, app.game.owner))
  const { daily, by_client, ...rest } = downloads
  assert.deepEqual(rest, {
    total: 3,
    unique_users: 1,
    anonymous: 2,
    licenses_granted: 1,
    by_source: [
      { source: 'api', count: 2 },
      { source: 'website', count: 1 },
    ],
    by_access: [
      { access: 'anonymous', count: 2 },
      { access: 'free', count: 1 },
    ],
    by_outcome: [
      { outcome: 'ok', count: 3 },
      { outcome: 'sign_in_required', count: 1 },
    ],
    by_country: [{ country: 'unknown', count: 3 }],
  })
  assert.equal(
    daily.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    3,
  )
  assert.deepEqual(
    by_client.map(({ client }: { client: string }) => client),
    ['browser', 'other', 'third_party_editor'],
  )
  assert.equal(
    (
      await app.sql`
        select from download_attempts
        where game_uid = ${app.game.uid}
          and (referrer_host like '%secret%' or referrer_host = 'elsewhere.example')`
    ).length,
    1,
  )
  assert.deepEqual(refused(await app.get(url, await app.a.developer())), [404, 4040])
})

test('download statistics reach back as many days as the request says, up to a year', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const url = `/api/v1/private/games/${app.game.uid}/download-analytics`
  for (const [hours, user] of [
    [1, 0],
    [30 * 24 - 1, 0],
    [30 * 24 + 1, 1],
    [365 * 24 - 1, 1],
    [365 * 24 + 1, 2],
  ])
    await app.sql`
      insert into download_attempts
        (game_uid, channel, source, access, client, outcome, user_uid, at)
      values (${app.game.uid}, 'stable', 'api', 'anonymous', 'other', 'ok',
        ${user ? app.game.owner.uid : null}, now() - ${hours!} * interval '1 hour')`
  const read = async (query: string) =>
    must(await app.get(`${url}${query}`, app.game.owner)).downloads
  const totalOf = async (query: string) => (await read(query)).total
  assert.equal(await totalOf(''), 2)
  assert.equal(await totalOf('?days=1'), 1)
  assert.equal(await totalOf('?days=30'), 2)
  assert.equal(await totalOf('?days=31'), 3)
  const year = await read('?days=365')
  assert.deepEqual([year.total, year.unique_users, year.anonymous], [4, 1, 2])
  assert.deepEqual(year.by_source, [{ source: 'api', count: 4 }])
  const daily = year.daily.map(({ count }: { count: number }) => count)
  assert.equal(
    daily.reduce((sum: number, count: number) => sum + count, 0),
    4,
  )
  for (const days of ['0', '366', '-1', '1.5', 'x'])
    assert.deepEqual(
      refused(await app.get(`${url}?days=${days}`, app.game.owner)),
      [400, 4000],
      days,
    )
})

test('records the country of a download, but not the address', async (t) => {
  const app = await startDownloadApp(t, { env: { PROXY_HOPS: '1' } })
  const from = async (address: string) => {
    must(await app.get(app.signed_out, { headers: { 'x-forwarded-for': address } }))
    const [row] = await app.sql`
      select country, download_attempts::text as text
      from download_attempts
      order by seq desc
      limit 1`
    assert.ok(!row!.text.includes(address), row!.text)
    return row!.country as string | null
  }
  assert.equal(await from('8.8.8.8'), 'US')
  assert.equal(await from('::ffff:8.8.8.8'), 'US')
  assert.equal(await from('2001:4860:4860::8888'), 'US')
  assert.equal(await from('193.0.6.139'), 'NL')
  for (const local of [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.1.1',
    '172.16.0.9',
    '100.64.0.1',
    'fd00::1',
    'fe80::1',
  ])
    assert.equal(await from(local), null, local)
  const { downloads } = must(
    await app.get(`/api/v1/private/games/${app.game.uid}/download-analytics`, app.game.owner),
  )
  assert.deepEqual(downloads.by_country, [
    { country: 'unknown', count: 8 },
    { country: 'US', count: 3 },
    { country: 'NL', count: 1 },
  ])
})

test('a missing country database does not prevent a download', async (t) => {
  const app = await startDownloadApp(t, {
    env: { PROXY_HOPS: '1', COUNTRY_DATABASE: '/nowhere/country.mmdb' },
  })
  must(await app.get(app.signed_out, { headers: { 'x-forwarded-for': '8.8.8.8' } }))
  assert.equal((await app.sql`select country from download_attempts`)[0]!.country, null)
})

test('attempts older than statistics can show are deleted in the night', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const ages = [365, 367, 400]
  for (const days of ages)
    await app.sql`
      insert into download_attempts (game_uid, channel, source, access, client, outcome, at)
      values (${app.game.uid}, 'stable', 'website', 'free', 'browser', 'ok',
        now() - ${days} * interval '1 day')`
  await runJob(app, sweepDownloadAttempts)
  await runJob(app, sweepDownloadAttempts)
  const rows = await app.sql`
    select (now()::date - at::date) as days
    from download_attempts
    where game_uid = ${app.game.uid} and at < now() - interval '30 days'`
  assert.deepEqual(
    rows.map(({ days }) => days),
    [365],
  )
})
