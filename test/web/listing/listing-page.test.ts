import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCopy, must } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

const agents = {
  windows: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
  linux: 'Mozilla/5.0 (X11; Linux x86_64)',
  arm_linux: 'Mozilla/5.0 (X11; Linux aarch64)',
  mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)',
  phone: 'Mozilla/5.0 (Linux; Android 14)',
  none: 'curl/8',
}

const PRIMARY = /<a class="button button-primary button-download" href="\/download\/([\w-]+)"/g
const primaryOf = (body: string) => [...body.matchAll(PRIMARY)].map(([, uid]) => uid)

test('the first button downloads the build for the system of the visitor', async (t) => {
  const { a, published, visitor, signedIn } = await sharedStore(t)
  const listing = await published()
  const build = async (os: string, arch: string) =>
    (await a.cleanBuild(listing, { version: '1.2.3', os, arch })).file_uid
  const windows = await build('windows', 'x86_64')
  const arm_linux = await build('linux', 'arm64')
  const mac_arm = await build('macos', 'arm64')
  const mac = await build('macos', 'x86_64')
  const open = async (agent: keyof typeof agents, who = visitor()) =>
    who.open(listing.path, { 'user-agent': agents[agent] })
  const expected = { windows, linux: listing.file_uid, arm_linux, mac } as const
  for (const [agent, uid] of Object.entries(expected)) {
    const name = agent as keyof typeof expected
    for (const who of [visitor(), signedIn(listing.owner)]) {
      const { body, headers } = await open(name, who)
      assert.deepEqual(primaryOf(body), [uid], agent)
      assert.match(headers.vary!, /\bUser-Agent\b/)
      assert.match(body, /Other systems/)
      for (const other of [windows, listing.file_uid, arm_linux, mac, mac_arm])
        assert.match(body, new RegExp(`href="/download/${other}"`), 'every build is on the page')
    }
  }
  const signed_out = (await open('windows')).body
  assert.match(signed_out, /Sign in to download for Windows\s*<small>/)
  const { body } = await open('windows', signedIn(listing.owner))
  assert.match(body, /Download for Windows\s*<small><span class="mono">1\.2\.3<\/span> · \d/)
  assert.ok(
    body.indexOf('Checksum and origin') > body.indexOf('Other systems'),
    'checksums are last',
  )
  const phone = (await open('phone')).body
  assert.deepEqual(primaryOf(phone), [])
  assert.match(phone, /There is no build for Android yet/)
  assert.match(phone, new RegExp(`href="/download/${windows}"`))
  assert.equal(primaryOf((await open('none')).body).length, 1, 'an unknown system gets one')
})

test('a build for any system is the first button for a system without its own', async (t) => {
  const { a, published, visitor } = await sharedStore(t)
  const listing = await published()
  const { file_uid } = await a.cleanBuild(listing, { version: '1.2.3', os: '', arch: '' })
  const open = async (agent: keyof typeof agents) =>
    (await visitor().open(listing.path, { 'user-agent': agents[agent] })).body
  assert.deepEqual(primaryOf(await open('windows')), [file_uid])
  assert.deepEqual(primaryOf(await open('linux')), [listing.file_uid])
})

test('rating, players, session length and the last update are under the title', async (t) => {
  const { a, published, visitor, put, sql } = await sharedStore(t)
  const listing = await published()
  const facts = async () =>
    (await visitor().open(listing.path)).body.match(/<ul class="quick-facts">(.*?)<\/ul>/s)![1]!
  assert.doesNotMatch(await facts(), /of 5/)
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'free')
  const review = { enjoyed: true, quality: 4, text: 'It floats.' }
  must(await put(`/api/v1/private/games/${listing.uid}/review`, review, player))
  const reviewed = await facts()
  assert.match(reviewed, /<a href="#reviews">4\.0 of 5 \(1 review\)<\/a>/)
  assert.match(reviewed, /1 to 2 players/)
  assert.match(reviewed, /Session length: <\/span>About 15 minutes/)
  assert.match(reviewed, /Updated <time/)
})

test('a mod names its game above its own name', async (t) => {
  const { published, visitor } = await sharedStore(t)
  const game = await published({ name: 'Tide Runner' })
  const mod = await published(
    { owner: game.owner, name: 'Tide Mod', asset_type: 'mod' },
    { parent: { game: game.uid } },
  )
  const { body } = await visitor().open(mod.path)
  const link = body.indexOf(`Mod for <a href="/games/${game.uid}">Tide Runner</a>`)
  assert.ok(link > 0 && link < body.indexOf('<h1>Tide Mod</h1>'))
})

test('a listing offers its address and, where others may show it, its embed code', async (t) => {
  const { published, visitor, signedIn, patch, url, a } = await sharedStore(t)
  const listing = await published({ name: 'Tide & <Bell>' })
  const api = `/api/v1/private/games/${listing.uid}`
  const { body } = await visitor().open(listing.path)
  assert.match(body, new RegExp(`<code>${url}${listing.path}</code>`))
  const code = `&lt;iframe src=&quot;${url}${listing.path}/embed&quot;`
  assert.ok(body.includes(code))
  assert.ok(body.includes('title=&quot;Tide &amp;amp; &amp;lt;Bell&amp;gt;&quot;'))
  must(await patch(api, { adult: true }, listing.owner))
  const adult = (await signedIn(listing.owner).open(listing.path)).body
  assert.ok(adult.includes(`<code>${url}${listing.path}</code>`))
  assert.ok(!adult.includes('&lt;iframe'), 'the widget of an adult listing is not shown anywhere')
  const draft = await a.listing({ owner: listing.owner })
  const path = `/${listing.owner.username}/${draft.vanity_name}`
  assert.doesNotMatch((await signedIn(listing.owner).open(path)).body, /class="share-text"/)
})

test('the link to report a problem says who can, before anything is typed', async (t) => {
  const { a, published, visitor, signedIn, sql } = await sharedStore(t)
  const listing = await published()
  const form = `/games/${listing.uid}/bug`
  assert.match((await visitor().open(listing.path)).body, new RegExp(`href="${form}"`))
  const player = await a.verified()
  assert.match((await signedIn(player).open(form)).body, /Only players who have/)
  await addCopy(sql, listing.uid, player.uid, 'free')
  assert.doesNotMatch((await signedIn(player).open(form)).body, /Only players who have/)
})

test('the download box stays in view while the page scrolls, but not on phones', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, url } = await sharedStore(t)
  const long = { description: 'One more paragraph about the tide.\n\n'.repeat(80) }
  const listing = await published({}, long)
  const browser = await startChromium(t)
  for (const [width, is_visible] of [
    [1280, true],
    [390, false],
  ] as const) {
    const { page, context, problems } = await openTab(browser, url, { width })
    await page.goto(url + listing.path)
    await page.evaluate('scrollTo(0, 1800)')
    const { y } = (await page.locator('.button-download').boundingBox())!
    assert.equal(y >= 0 && y < 900, is_visible, `${width}`)
    await page.getByText('Share or embed').click()
    assert.equal(await page.locator('.share-text').first().isVisible(), true)
    assert.deepEqual(problems, [])
    await context.close()
  }
})

test('the buttons of a copy stand below the download, apart from it', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { a, published, sql, url } = await sharedStore(t)
  const listing = await published()
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'free')
  const { page } = await openTab(await startChromium(t), url, { token: player.token, width: 390 })
  await page.goto(listing.path)
  const download = (await page.locator('.button-download').first().boundingBox())!
  const report = (await page.locator('a.button', { hasText: 'Report a bug' }).boundingBox())!
  assert.ok(report.y >= download.y + download.height + 8, `${report.y}, ${download.y}`)
})
