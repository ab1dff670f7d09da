import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY_MS } from '../../../src/core/runtime/units.ts'
import { csvText } from '../../../src/web/dashboard/insights/csv.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { signedIn, startDashboard } from '../dashboard-fixtures.ts'

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS)

async function startStatistics(t: TestContext) {
  const app = await startDashboard(t, { name: 'Night Boat' })
  const { a, sql, listing, post, get } = app
  const { build_id } = await a.cleanBuild(listing, { version: '=1+1' })
  const download = {
    game_uid: listing.uid,
    build_uid: build_id,
    channel: 'stable',
    source: 'website',
    access: 'anonymous',
    client: 'browser',
    outcome: 'ok',
    country: 'DE',
  }
  const downloads = [0, 0, 6, 7, 29, 30, 89, 90, 363, 365].map((days) => ({
    ...download,
    at: dayBefore(days),
  }))
  await sql`insert into download_attempts ${sql(downloads)}`
  const headers = { 'x-app-id': listing.uid, 'x-build-id': build_id }
  const events = [{ event: 'boot_ok', device_uid: 'a-device' }]
  must(await post('/api/v1/public/events', { events }, { headers }))
  const analytics = `/api/v1/private/games/${listing.uid}/event-analytics`
  await eventually(
    'the events are counted',
    async () => must(await get(analytics, listing.owner)).active_devices.length > 0,
  )
  return app
}

test('a chart shows the range that is chosen, and all of it as CSV', async (t) => {
  const { owner, at } = await startStatistics(t)
  const totals = { 7: 3, 14: 4, 30: 5, 90: 7 }
  for (const [days, total] of Object.entries(totals)) {
    const { body } = await owner.open(at(`downloads?days=${days}`))
    assert.match(body, new RegExp(`days=${days}" aria-current="true"`))
    assert.match(body, new RegExp(`aria-label="Downloads, by day. Downloads: ${total}\\.`))
    const [, path] = (body as string).match(/class="csv" href="([^"]*daily[^"]*)"/)!
    const file = await owner.open(path!)
    assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8')
    assert.match(file.headers['content-disposition']!, /attachment; filename="[\w-]+-daily\.csv"/)
    const [head, ...rows] = (file.body as string).trimEnd().split('\r\n')
    assert.equal(head, 'Day,Downloads')
    assert.equal(rows.length, Number(days))
    assert.equal(
      rows.reduce((sum, row) => sum + Number(row.split(',')[1]), 0),
      total,
    )
  }
  const year = await owner.open(at('downloads?days=365'))
  assert.match(year.body, /days=365" aria-current="true">\s*Last 12 months/)
  assert.match(year.body, /aria-label="Downloads, by week\. Downloads: 9\./)
  const { body: weeks } = await owner.open(at('downloads/csv/daily?days=365'))
  const [head, ...rows] = (weeks as string).trimEnd().split('\r\n')
  assert.equal(head, 'Week from,Downloads')
  assert.equal(rows.length, 52)
  assert.equal(rows[0], `${dayBefore(363).toISOString().slice(0, 10)},1`)
  assert.equal(rows.at(-1), `${dayBefore(6).toISOString().slice(0, 10)},3`)
  const unknown = await owner.open(at('downloads?days=9999'))
  assert.match(unknown.body, /days=30" aria-current="true"/)
})

test('health offers the ranges that its events are kept for', async (t) => {
  const { owner, at, core } = await startStatistics(t)
  const rangesOf = async (path: string) => {
    const { body } = await owner.open(at(path))
    const [, nav] = (body as string).match(/<nav class="ranges"(.*?)<\/nav>/s)!
    return [...nav!.matchAll(/days=(\d+)"( aria-current)?/g)].map(
      ([, days, current]) => `${days}${current ? ' chosen' : ''}`,
    )
  }
  assert.equal(core.config.event_retention_days, 90)
  assert.deepEqual(await rangesOf('health?days=90'), ['7', '14', '30', '90 chosen'])
  assert.deepEqual(await rangesOf('health?days=365'), ['7', '14', '30 chosen', '90'])
  const { body } = await owner.open(at('health?days=90'))
  assert.match(body, /aria-label="Sessions, by day/)
  const rowsOf = async (chart: string) =>
    ((await owner.open(at(`health/csv/${chart}?days=90`))).body as string).trimEnd().split('\r\n')
      .length - 1
  assert.equal(await rowsOf('launches'), 90)
  assert.equal(await rowsOf('active-devices'), 30, 'known for fewer days')
})

test('every chart of health and downloads links to its CSV', async (t) => {
  const { owner, at } = await startStatistics(t)
  const names: string[] = []
  for (const section of ['downloads', 'health']) {
    const { body } = await owner.open(at(section))
    for (const [, path] of (body as string).matchAll(/class="csv" href="([^"]*)"/g)) {
      const { status, headers } = await owner.open(path!)
      assert.deepEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8'], path)
      names.push(path!.match(/csv\/([\w-]+)/)![1]!)
    }
  }
  const downloads = ['daily', 'countries', 'sources', 'clients', 'access', 'outcomes']
  const health = ['active-devices', 'launches', 'sessions', 'new-devices']
  assert.deepEqual(names, [...downloads, ...health])
  const countries = await owner.open(at('downloads/csv/countries'))
  assert.equal(countries.body, 'Countries,Downloads\r\nGermany,5\r\n')
  const devices = await owner.open(at('health/csv/active-devices?days=7'))
  assert.match(devices.body, /^Day,'=1\+1\r\n/)
})

test('only editors of a project can read its charts, and unknown charts are missing', async (t) => {
  const { a, url, owner, at } = await startDashboard(t)
  const stranger = signedIn({ url }, await a.verifiedDeveloper())
  assert.equal((await owner.open(at('downloads/csv/daily'))).status, 200)
  assert.equal((await stranger.open(at('downloads/csv/daily'))).status, 404)
  assert.equal((await owner.open(at('downloads/csv/constructor'))).status, 404)
})

test('CSV quotes what needs it and runs no formulas', () => {
  assert.equal(
    csvText([
      ['a,b', 'say "hi"', '=1+1', '-1+1'],
      ['x\ny', 2, -1, '-2.50'],
    ]),
    '"a,b","say ""hi""",\'=1+1,\'-1+1\r\n"x\ny",2,-1,-2.50\r\n',
  )
})
