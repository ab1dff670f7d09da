import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import type { CheckReport } from '../../../src/listings/listing/check.ts'
import { nextSteps, type ProjectState } from '../../../src/web/dashboard/overview/next-steps.ts'
import { readSummaries } from '../../../src/web/dashboard/overview/summaries.ts'
import { makePublic, must } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { narrowRules, signedIn, startDashboard } from '../dashboard-fixtures.ts'

/** The texts and targets of the steps on a page. */
const stepsOf = (body: string) =>
  [...body.matchAll(/<a class="next-step[^"]*" href="([^"]*)">.*?<span>(.*?)<\/span>/gs)].map(
    ([, href, text]) => [text, href],
  )

async function startProject(t: Parameters<typeof startDashboard>[0]) {
  const app = await startDashboard(t, { name: 'Night Boat' })
  const { a, sql, post, put, listing } = app
  const api = `/api/v1/private/games/${listing.uid}`
  await a.images(listing)
  const { build_id } = await a.cleanBuild(listing, { version: '1.0' })
  await makePublic(sql, listing.uid)
  const player = await a.verified()
  must(await post(`${api}/licences`, { username: player.username }, listing.owner))
  const review = { enjoyed: true, quality: 4, text: 'It floats well' }
  must(await put(`${api}/review`, review, player))
  const bug = { message: 'The oar is missing', os: 'linux' }
  must(await post(`${api}/bug-reports`, bug, player))
  const download = {
    game_uid: listing.uid,
    build_uid: build_id,
    channel: 'stable',
    source: 'website',
    access: 'anonymous',
    client: 'browser',
    outcome: 'ok',
  }
  await sql`insert into download_attempts ${sql([download, download])}`
  const outside = [
    { ...download, outcome: 'scanning' },
    { ...download, at: new Date(Date.now() - 40 * 86_400_000) },
  ]
  for (const row of outside) await sql`insert into download_attempts ${sql(row)}`
  return { ...app, build_id, download }
}

test('the overview shows figures of the last 30 days and what to do next', async (t) => {
  const { owner, at, sql, listing, build_id } = await startProject(t)
  const { body, status } = await owner.open(at('overview'))
  assert.equal(status, 200)
  assert.match(body, /<strong>2<\/strong> downloads/)
  assert.match(body, /aria-label="2 downloads in the last 30 days, at most 2 per day"/)
  assert.match(body, /<strong>1<\/strong> open bug</)
  assert.match(body, /<strong>0<\/strong> open crashes/)
  assert.match(body, /class="thumbnail"/)
  const steps = stepsOf(body)
  assert.deepEqual(
    steps.map(([text]) => text),
    [
      'Fix 6 issues of the public page',
      'Work on 1 open bug',
      'Reply to 1 review',
      'Send launch events from your game',
      'Improve the page: 2 suggestions',
    ],
  )
  for (const [text, href] of steps) assert.equal((await owner.open(href!)).status, 200, text)

  const group = {
    uid: uuidv7(),
    game_uid: listing.uid,
    group_key: Buffer.from('key'),
    kind: 'message',
    title: 'Crash',
    first_seen: new Date(),
    last_seen: new Date(),
    status: 'regressed',
  }
  await sql`insert into crash_groups ${sql(group)}`
  await sql`
    insert into build_health (build_uid, game_uid, band, devices)
    values (${build_id}, ${listing.uid}, 'problematic', 30)`
  const urgent = await owner.open(at('overview'))
  assert.deepEqual(
    stepsOf(urgent.body)
      .slice(0, 2)
      .map(([text]) => text),
    ['Find out why the stable build starts badly', 'Look at a crash that came back'],
  )
  assert.match(urgent.body, /label-bad[^>]*>.*?starts badly/s)
})

test('the address of a project leads to its overview', async (t) => {
  const { owner, listing } = await startDashboard(t)
  const { status, headers } = await owner.open(`/dashboard/${listing.vanity_name}`)
  assert.deepEqual([status, headers.location], [303, `/dashboard/${listing.vanity_name}/overview`])
})

test('the project list shows the figures of each project and of no other', async (t) => {
  const { owner, a, listing, sql, download, url } = await startProject(t)
  const quiet = await a.listing({ owner: listing.owner, name: 'Quiet Boat' })
  const stranger = await a.listing({ owner: await a.verifiedDeveloper(), name: 'Other Boat' })
  await sql`insert into download_attempts ${sql({ ...download, game_uid: stranger.uid })}`
  const { body } = await owner.open('/dashboard')
  const lines = new Map<string, string>()
  for (const line of (body as string).split('<li class="project">').slice(1))
    lines.set(line.match(/project-name"[^>]*>([^<]*)/)![1]!, line)
  assert.deepEqual([...lines.keys()].sort(), ['Night Boat', 'Quiet Boat'])
  assert.match(lines.get('Night Boat')!, /<strong>2<\/strong> downloads/)
  assert.match(lines.get('Night Boat')!, /<strong>1<\/strong> open bug</)
  assert.match(lines.get('Quiet Boat')!, /<strong>0<\/strong> downloads/)
  assert.ok(lines.get('Quiet Boat')!.includes(`/dashboard/${quiet.vanity_name}/overview`))
  const others = await signedIn({ url }, stranger.owner).open('/dashboard')
  assert.match(others.body, /<strong>1<\/strong> download</)
})

test('many projects are read with as many queries as one', async (t) => {
  const { a, core, listing } = await startDashboard(t)
  const others = [await a.listing({}), await a.listing({}), await a.listing({})]
  let statements = 0
  const sql = new Proxy(core.sql, {
    apply(target, self, args) {
      statements++
      return Reflect.apply(target, self, args)
    },
  })
  const count = async (listings: { uid: string }[]) => {
    statements = 0
    const projects = listings.map(({ uid }) => ({ uid, visibility: 'draft' as const }))
    assert.equal((await readSummaries({ ...core, sql }, projects)).size, listings.length)
    return statements
  }
  const single = await count([listing])
  assert.ok(single > 0)
  assert.equal(await count([listing, ...others]), single)
})

test('the listing check is one line once nothing is left to fix', async (t) => {
  const { owner, at, listing, sql, a, put } = await startDashboard(t, { name: 'Night Boat' })
  const open = await owner.open(at('overview'))
  assert.doesNotMatch(open.body, /check-folded/)
  assert.match(open.body, /issues to fix/)
  await a.images(listing)
  await a.cleanBuild(listing)
  const taxonomy = {
    tags: ['sea', 'boats', 'tides'],
    genres: ['rpg'],
    inputs: ['keyboard_mouse'],
    session_bucket: '15m',
    net: 'offline',
    players_min: 1,
    players_max: 1,
  }
  must(await put(`/api/v1/private/games/${listing.uid}/taxonomy`, taxonomy, listing.owner))
  const ready = (await owner.open(at('overview'))).body
  assert.match(ready, /<details class="check-folded">\s*<summary[^>]*>.*?Ready to publish/s)
  assert.match(ready, /<button class="button button-primary">Publish<\/button>/)
  await makePublic(sql, listing.uid)
  const published = (await owner.open(at('check'))).body
  assert.match(published, /<details class="check-folded">/)
  assert.doesNotMatch(published, /Publish<\/button>/)
})

const item = (id: string) => ({ id, field: id, message: id })
const passed: CheckReport = {
  ready: true,
  errors: [],
  warnings: [],
  passes: [item('clean_build')],
}
const calm: ProjectState = {
  visibility: 'public',
  check: passed,
  has_health_alarm: false,
  has_devices: true,
  is_storage_nearly_full: false,
  open_bugs: 0,
  open_crashes: 0,
  regressed_crashes: 0,
  unanswered_reviews: 0,
}
const failed: CheckReport = { ...passed, ready: false, errors: [item('tags')] }

test('next steps: a project without problems has none', () => {
  assert.deepEqual(nextSteps(calm), [])
})

test('next steps: only unreleased pages that pass the check are to be published', () => {
  const pathsOf = (state: Partial<ProjectState>) =>
    nextSteps({ ...calm, ...state }).map(({ path }) => path)
  assert.deepEqual(pathsOf({ visibility: 'draft' }), ['settings#visibility'])
  assert.deepEqual(pathsOf({ visibility: 'owner' }), ['settings#visibility'])
  assert.deepEqual(pathsOf({ visibility: 'invisible' }), [])
  assert.deepEqual(pathsOf({ visibility: 'draft', check: failed }), ['page#f-tags'])
})

test('next steps: failing checks are urgent on a public page only', () => {
  const isUrgent = (visibility: ProjectState['visibility']) =>
    nextSteps({ ...calm, visibility, check: failed })[0]!.is_urgent
  assert.equal(isUrgent('public'), true)
  assert.equal(isUrgent('draft'), false)
})

test('the overview and the project list are accessible and fit a phone', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, listing, at } = await startProject(t)
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  // The narrow page has the same elements: only what depends on sizes differs.
  const rules = { 1280: [], 390: narrowRules, 320: narrowRules }
  for (const path of ['/dashboard', at('overview')]) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(path)
    for (const width of [1280, 390, 320] as const) {
      await page.setViewportSize({ width, height: 900 })
      assert.deepEqual(await axeViolations(page, rules[width]), [], `${path} at ${width}`)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, `${path} at ${width}`)
    }
  }
  assert.deepEqual(problems, [])
})
