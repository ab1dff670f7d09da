import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { errorsOf, formsOf } from '../browser.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

const systems = [
  { os: 'linux', arch: 'x86_64' },
  { os: 'macos', arch: 'universal' },
  { os: 'windows', arch: 'x86_64' },
]
const browser_build = { os: 'web', arch: 'wasm32' }

/** stable has 1.2.1 on four systems; the browser has no earlier build. */
async function startReleases(t: TestContext) {
  const app = await startDashboard(t)
  const { a, listing, read, owner, at } = app
  for (const system of systems) await a.cleanBuild(listing, { version: '1.1.0', ...system })
  const builds: Record<string, string> = {}
  for (const system of [...systems, browser_build]) {
    const { build_id } = await a.cleanBuild(listing, { version: '1.2.1', ...system })
    builds[system.os] = build_id
  }
  const heads = async () => {
    const { channels } = await read('/channels')
    const stable = channels.find(({ channel }: { channel: string }) => channel === 'stable')
    return Object.fromEntries(
      stable.heads.map(({ os, version }: { os: string; version: string }) => [os, version]),
    )
  }
  const card = async (channel = 'stable') => cardOf((await owner.open(at('builds'))).body, channel)
  const promote = (fields: Record<string, string>) =>
    owner.send(at('channels/promote'), {
      promote_channel: 'stable',
      expires_in_hours: '0',
      ...fields,
    })
  return { ...app, builds, heads, card, promote }
}

const cardOf = (body: string, channel: string) =>
  [...body.matchAll(/<article class="channel">.*?<\/article>/gs)]
    .map(String)
    .find((card) => card.includes(`<span class="label label-ink">${channel}</span>`)) ?? ''

const textOf = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,;])/g, '$1')
    .trim()

const toastOf = (body: string) => textOf(body.match(/<p class="toast".*?<\/p>/s)?.[0] ?? '')
const headlineOf = (card: string) => textOf(card.match(/<h3>.*?<\/h3>/s)?.[0] ?? '')
const promoteFormOf = (body: string) =>
  body.match(/<form[^>]*channels\/promote.*?<\/form>/s)?.[0] ?? ''

test('a rollback names what happens to each system, before and after it', async (t) => {
  const { owner, at, heads, card } = await startReleases(t)
  const before = await card()
  assert.equal(headlineOf(before), 'stable 1.2.1')
  const changes = [
    'Linux 1.2.1 → 1.1.0',
    'macOS 1.2.1 → 1.1.0',
    'Windows 1.2.1 → 1.1.0',
    'Browser stays at 1.2.1, there is no earlier build',
  ]
  for (const change of changes) assert.ok(textOf(before).includes(change), change)
  const { body } = await owner.submit(at('channels/stable/rollback?app='))
  assert.deepEqual(await heads(), {
    linux: '1.1.0',
    macos: '1.1.0',
    windows: '1.1.0',
    web: '1.2.1',
  })
  for (const change of changes) assert.ok(toastOf(body).includes(change), toastOf(body))
  assert.ok(!body.includes('stable is back at 1.2.1'))
  assert.equal(headlineOf(cardOf(body, 'stable')), 'stable 1.1.0 and 1.2.1')
})

test('a channel with nothing to roll back to says so on a disabled button', async (t) => {
  const { owner, at, card } = await startReleases(t)
  assert.match(await card(), /channels\/stable\/rollback\?app=#channels"/)
  await owner.submit(at('channels/stable/rollback?app='))
  const after = await card()
  assert.doesNotMatch(after, /channels\/stable\/rollback/)
  assert.match(after, /<button[^>]* disabled[^>]*>\s*Roll back…/)
  assert.match(after, /There is no earlier build to roll back to\./)
  const refused = await owner.send(at('channels/stable/rollback?app='))
  assert.equal(refused.status, 409)
  const section = refused.body.match(/<section class="subsection" id="channels">.*?<\/section>/s)
  assert.ok(errorsOf(String(section)).length, 'the error is in the section of the channels')
})

test('a version is promoted for all systems at once, and the message names them', async (t) => {
  const { owner, at, builds, heads, promote } = await startReleases(t)
  await owner.submit(at('channels/stable/rollback?app='))
  const form = promoteFormOf((await owner.open(at('builds'))).body)
  const all = [...form.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g)].find(
    ([, , label]) => label === '1.2.1, all systems',
  )?.[1]
  assert.ok(all, form)

  const single = await owner.submit(at('channels/promote'), {
    build_id: builds.linux!,
    promote_channel: 'stable',
    confirmed: 'yes',
  })
  assert.match(toastOf(single.body), /stable now delivers 1\.2\.1 for Linux and Browser/)
  assert.match(toastOf(single.body), /macOS stays at 1\.1\.0; Windows stays at 1\.1\.0/)

  const question = await promote({ build_id: all })
  assert.equal(question.status, 200)
  const text = textOf(question.body)
  for (const change of ['macOS 1.1.0 → 1.2.1', 'Windows 1.1.0 → 1.2.1', 'Linux stays at 1.2.1'])
    assert.ok(text.includes(change), change)
  assert.equal((await heads()).macos, '1.1.0', 'nothing moves before it is confirmed')
  const confirmation = formsOf(question.body).find(({ action }) => action.includes('promote'))!
  const { body } = await owner.submit(confirmation.action, confirmation.fields)
  assert.deepEqual(new Set(Object.values(await heads())), new Set(['1.2.1']))
  assert.match(toastOf(body), /delivers 1\.2\.1 for Linux, macOS, Browser,? and Windows/)
})

test('the promote form has no preset build and refuses to go without one', async (t) => {
  const { owner, at, heads, promote } = await startReleases(t)
  const form = promoteFormOf((await owner.open(at('builds'))).body)
  assert.match(form, /<option value=""[^>]*>Choose a build</)
  assert.equal(formsOf(form)[0]?.fields.build_id?.[0] ?? '', '')
  assert.match(form, /the channel offers no downloads/)
  const before = await heads()
  const refused = await promote({ build_id: '' })
  assert.equal(refused.status, 400)
  assert.match(promoteFormOf(refused.body), /id="f-build_id-error">Choose a build to promote\./)
  const unnamed = await promote({ build_id: '', promote_channel: '' })
  assert.match(promoteFormOf(unnamed.body), /id="f-build_id-error"/)
  assert.deepEqual(await heads(), before)
})

test('stable and builds that often fail to start are confirmed first', async (t) => {
  const { a, owner, at, listing, sql, heads, promote } = await startReleases(t)
  const beta = await a.cleanBuild(listing, { version: '1.3.0-beta', channel: 'beta' })
  const sound = await promote({ build_id: beta.build_id, promote_channel: 'nightly' })
  assert.equal(sound.status, 303, 'only stable is confirmed')
  const unrated = await promote({ build_id: beta.build_id })
  assert.equal(unrated.status, 200)
  const capital = await promote({ build_id: beta.build_id, promote_channel: 'Stable' })
  assert.equal(capital.status, 200)
  assert.doesNotMatch(unrated.body, /often fails to start/)
  await sql`
    insert into build_health (build_uid, game_uid, band, devices)
    values (${beta.build_id}, ${listing.uid}, 'problematic', 60)
    on conflict (build_uid) do update set band = excluded.band`
  for (const promote_channel of ['stable', 'dev']) {
    const question = await promote({ build_id: beta.build_id, promote_channel })
    assert.equal(question.status, 200)
    assert.match(question.body, /1\.3\.0-beta often fails to start/)
  }
  assert.equal((await heads()).linux, '1.2.1')
  assert.match(
    promoteFormOf((await owner.open(at('builds'))).body),
    /1\.3\.0-beta · [^<]*roblematic/,
  )
  const released = await promote({ build_id: beta.build_id, confirmed: 'yes' })
  assert.equal(released.status, 303)
  assert.equal((await heads()).linux, '1.3.0-beta')
})

test('the list of builds marks what each channel delivers', async (t) => {
  const { owner, at, builds, promote } = await startReleases(t)
  await promote({ build_id: builds.linux!, promote_channel: 'nightly' })
  const { body } = await owner.open(at('builds'))
  const marks = [...body.matchAll(/<li class="build">.*?<\/li>/gs)].map((line) => [
    line[0].match(/builds\/([\w-]+)"/)![1],
    [...line[0].matchAll(/Now in (\w+)/g)].map(([, channel]) => channel).join(),
  ])
  const expected: Record<string, string> = { [builds.linux!]: 'nightly,stable' }
  for (const os of ['macos', 'windows', 'web']) expected[builds[os]!] = 'stable'
  for (const [build, channels] of marks) assert.equal(channels, expected[build!] ?? '', build)
  assert.equal(marks.length, 7)
})

test('a build is staged, raised, pulled back and released from the page of channels', async (t) => {
  const { promote, card, heads, a, listing } = await startReleases(t)
  const { build_id } = await a.cleanBuild(listing, {
    version: '2.0.0',
    channel: 'dev',
    ...systems[0],
  })
  const question = await promote({ build_id, percent: '10' })
  assert.match(textOf(question.body), /10 % of the installs that slipway keeps current/)
  assert.equal((await heads()).linux, '1.2.1')
  const send = (percent: string) => promote({ build_id, percent, confirmed: 'yes' })
  await send('10')
  const staged = await card()
  assert.match(textOf(staged), /Linux x86_64: 10 % of the devices get 2\.0\.0/)
  assert.match(staged, /name="percent" value="10" min="1" max="100"/)
  await send('40')
  assert.match(textOf(await card()), /40 % of the devices get 2\.0\.0/)
  await send('0')
  assert.doesNotMatch(await card(), /class="staged"/)
  assert.match(textOf(await card()), /2\.0\.0 was pulled back/)
  const refused = await send('0')
  assert.match(textOf(refused.body), /does not deliver this build to a part of the devices/)
  await send('10')
  await send('100')
  assert.equal((await heads()).linux, '2.0.0')
  assert.doesNotMatch(await card(), /class="staged"/)
})
