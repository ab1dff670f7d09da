import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startExtstore } from '../../sim/extstore.ts'
import { DEMO_APP, DEMO_KEY, populate } from '../../sim/extstore-world.ts'
import { sections } from '../../src/web/dashboard/project-page.ts'
import { eventually, outbox, startApp, temporaryFolder } from '../support/app.ts'
import { codeIn, makePublic, must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { picture } from '../support/images.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import { EICAR, zip } from '../uploads/zips.ts'
import { axeViolations, openTab, startChromium } from './chromium.ts'
import { narrowRules, sendInChunks } from './dashboard-fixtures.ts'
import { startStillChromium } from './still-chromium.ts'

const sharedApp = sharedInFile(startApp)

test('a new developer registers, creates a project and publishes it', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharedApp(t)
  const { page, problems } = await openTab(await startChromium(t), app.url)
  const folder = temporaryFolder(t)
  const file = (name: string, bytes: Uint8Array) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }

  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Username').fill('paper-hand')
  await page.getByLabel('Email').fill('paper-hand@example.com')
  await page.getByLabel('Password').fill('a long pass phrase')
  await page.getByRole('button', { name: 'Create account' }).click()
  const mail = await eventually('the code', () =>
    outbox(app.data_dir).find(({ to }) => to === 'paper-hand@example.com'),
  )
  await page.getByLabel('Six-digit code').fill(codeIn(mail.text))
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.waitForURL('**/dashboard')
  await page.getByLabel(/I accept the developer terms/).check()
  await page.getByRole('button', { name: 'Turn on developer mode' }).click()
  await page.getByRole('link', { name: 'Create your first project' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Paper Harbour')
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.waitForURL('**/dashboard/paper-harbour/page')
  assert.match((await page.locator('.check-count').textContent())!, /issues to fix/)

  // Fix the issues by the links of the listing check.
  await page.getByRole('link', { name: 'Add at least 3 tags' }).click()
  await page.locator('#f-tags').fill('boats\nPaper Folding\nsea')
  await page.getByLabel('Puzzle').check()
  await page.getByLabel(/Session length/).selectOption('15m')
  await page.getByLabel(/^Multiplayer needed to publish/).selectOption('offline')
  await page.getByLabel(/Minimum players/).fill('1')
  await page.getByLabel(/Maximum players/).fill('2')
  await page.getByLabel('Gamepad').check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Changes saved', { exact: true }).waitFor()

  // An invalid image is refused beside its field; valid ones are added.
  await page.getByRole('link', { name: 'Images and trailers', exact: true }).click()
  // The script of the page waits for the choice of a file.
  await page.waitForURL('**/images')
  await page.waitForLoadState('load')
  await page.locator('#file-cover').setInputFiles(file('small.png', await picture(300, 300)))
  await page.locator('#cover .error-text').filter({ hasText: /1024/ }).waitFor()
  for (const [slot, [width, height, count]] of Object.entries({
    cover: [1024, 576, 1],
    thumbnail: [960, 540, 1],
    gallery: [1280, 720, 4],
  })) {
    const files = []
    for (let i = 0; i < count!; i++)
      files.push(file(`${slot}-${i}.png`, await picture(width!, height!)))
    const loaded = page.waitForEvent('load')
    await page.locator(`#file-${slot}`).setInputFiles(files)
    await loaded
  }
  assert.equal(await page.locator('.gallery .shot').count(), 4)
  const order = () =>
    page
      .locator('.gallery .shot')
      .evaluateAll((items) =>
        items.map((item) => (item as unknown as { dataset: { uid: string } }).dataset.uid),
      )
  const before = await order()
  await page.locator('.gallery .shot').first().getByRole('button', { name: 'Later' }).click()
  await page.getByText('Image moved', { exact: true }).waitFor()
  assert.deepEqual(await order(), [before[1], before[0], before[2], before[3]])

  // The scanner refuses the first zip and accepts the second, which takes several chunks.
  await page.getByRole('link', { name: 'Builds', exact: true }).click()
  await page.getByLabel('Version', { exact: true }).fill('0.9.0')
  await page.getByLabel('System').selectOption('linux')
  await page
    .locator('#build-file')
    .setInputFiles(file('bad.zip', zip([{ name: 'play', body: EICAR }])))
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page
    .locator('.upload-error')
    .filter({ hasText: /scanner refused/ })
    .waitFor()
  await page.getByLabel('Version', { exact: true }).fill('1.0.0')
  const large = zip([
    { name: 'game/play', body: 'a game' },
    { name: 'game/data', body: randomBytes(18 * 1024 * 1024), method: 0 },
  ])
  await page.locator('#build-file').setInputFiles(file('good.zip', large))
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.waitForURL(/\/builds\/[0-9a-f-]{36}$/)
  await page.getByText('scan clean').first().waitFor()

  assert.match((await page.locator('.check-count').textContent())!, /Ready to publish/)
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Published. Everyone can open the page now.').waitFor()
  const listing = must(await app.get('/api/v1/public/games/paper-harbour'))
  assert.deepEqual(
    [listing.visibility, listing.files.length, listing.tags],
    ['public', 1, ['boats', 'paper-folding', 'sea']],
  )
  assert.deepEqual(problems, [])
})

test('a paused upload resumes in the same session', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharedApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { page } = await openTab(await startChromium(t), app.url, { token: listing.owner.token })
  const path = join(temporaryFolder(t), 'game.zip')
  writeFileSync(path, zip([{ name: 'data', body: randomBytes(40 * 1024), method: 0 }]))
  await page.goto(`/dashboard/${listing.vanity_name}/builds`)
  await page.getByLabel('Version', { exact: true }).fill('1.0')
  await page.locator('#build-file').setInputFiles(path)
  await sendInChunks(page, 16 * 1024)
  let chunks = 0
  await page.route('**/files', async (route) => {
    // The connection drops in the second chunk, and the developer pauses the upload.
    if (++chunks === 2) {
      await page.locator('.upload-stop').click()
      return route.abort('connectionreset')
    }
    return route.continue()
  })
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByText('Paused. Press Upload to resume.').waitFor()
  const sessions = () => app.sql`select uid from upload_sessions where game_uid = ${listing.uid}`
  const [first] = await sessions()
  await page.reload()
  await sendInChunks(page, 16 * 1024)
  await page.getByLabel('Version', { exact: true }).fill('1.0')
  await page.locator('#build-file').setInputFiles(path)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.waitForURL(/\/builds\/[0-9a-f-]{36}$/)
  assert.ok(first)
  assert.ok((await sessions()).length <= 1)
  // 41 kB in chunks of 16: the first, the lost one, one that learns the offset, two for the rest.
  assert.equal(chunks, 5)
})

test('a developer previews and runs an import, then turns on player sign-in', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const store = await startExtstore()
  cleanup(t, () => store.stop())
  populate(store.world)
  const app = await startApp(t, {
    EXTSTORE_API_URL: store.url,
    EXTSTORE_PUBLIC_API_URL: store.url,
    EXTSTORE_STORE_URL: store.url,
    EXTSTORE_IMAGE_HOSTS: new URL(store.url).host,
  })
  const owner = await app.a.verifiedDeveloper()
  const { page, problems } = await openTab(await startChromium(t), app.url, { token: owner.token })
  await page.goto('/dashboard/import')
  await page.getByLabel('App').fill(String(DEMO_APP))
  await page.getByLabel(/Publisher Web API key/).fill('F'.repeat(32))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.notice-bad').waitFor()
  await page.getByLabel(/Publisher Web API key/).fill(DEMO_KEY)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('heading', { name: 'Import preview' }).waitFor()
  // The screenshots are shown, although pages load no images of other hosts.
  const pictures = page.getByRole('img', { name: /^Screenshot \d+$/ })
  await pictures.first().waitFor()
  const widths = await pictures.evaluateAll((images) =>
    (images as unknown as { naturalWidth: number }[]).map(({ naturalWidth }) => naturalWidth),
  )
  assert.ok(widths.length >= 4 && widths.every((width) => width === 320), String(widths))
  assert.equal(must(await app.get('/api/v1/private/games', owner)).total, 0)
  assert.deepEqual(await axeViolations(page), [])
  assert.equal(
    await page.getByLabel(/Publisher Web API key/).inputValue(),
    '',
    'the key is not sent back',
  )
  await page.getByLabel(/Publisher Web API key/).fill(DEMO_KEY)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.waitForURL(/\/dashboard\/[\w-]+\/page$/)
  await page.getByRole('link', { name: 'Steam' }).click()
  await page.locator('#f-web_api_key').fill(DEMO_KEY)
  await page.getByRole('button', { name: 'Turn on sign-in' }).click()
  await page.getByText('Sign-in is on').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  const key = page.getByRole('region', { name: 'Auth key' })
  assert.match((await key.textContent())!, /••••/)
  await key.getByRole('button', { name: 'Reveal' }).click()
  const revealed = (await page
    .getByRole('region', { name: 'Auth key' })
    .locator('code')
    .textContent())!
  assert.equal(revealed.length, 128)
  await page.getByRole('region', { name: 'Auth key' }).getByText('Replace…').click()
  await page.getByText('every session token is revoked').waitFor()
  await page.getByRole('button', { name: 'Replace: Auth key' }).click()
  const replaced = (await page
    .getByRole('region', { name: 'Auth key' })
    .locator('code')
    .textContent())!
  assert.ok(replaced.length === 128 && replaced !== revealed)
  assert.deepEqual(problems, [])
})

test('a player claims a game, reviews it, reports a bug and is notified of the fix', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharedApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper(), name: 'Open Boat' })
  await app.a.cleanBuild(listing)
  await makePublic(app.sql, listing.uid)
  const browser = await startChromium(t)
  const player = await openTab(browser, app.url, {
    token: (await app.a.verified()).token,
    width: 390,
  })
  await player.page.goto(`/${listing.owner.username}/${listing.vanity_name}`)
  await player.page.getByRole('button', { name: 'Add to library' }).first().click()
  await player.page.goto(`/games/${listing.uid}/review`)
  await player.page.getByLabel('Yes', { exact: true }).check()
  await player.page.getByLabel('4 of 5').check()
  await player.page.getByLabel('Review optional').fill('It floats.')
  await player.page.getByRole('button', { name: 'Publish review' }).click()
  await player.page.getByText('It floats.').first().waitFor()
  await player.page.goto(`/games/${listing.uid}/bug`)
  await player.page.getByLabel('What happened?').fill('The oar is missing.')
  await player.page.getByRole('button', { name: 'Send report' }).click()
  await player.page.getByText('We notify you when the bug is fixed').waitFor()

  const developer = await openTab(browser, app.url, { token: listing.owner.token })
  await developer.page.goto(`/dashboard/${listing.vanity_name}/bugs`)
  await developer.page.getByRole('link', { name: 'The oar is missing.' }).click()
  await developer.page.getByLabel(/Fixed in version/).fill('1.0.1')
  await developer.page.getByRole('button', { name: 'Mark as fixed' }).click()
  await developer.page.getByText('Marked as fixed', { exact: true }).waitFor()
  await developer.page.goto(`/dashboard/${listing.vanity_name}/reviews`)
  await developer.page.getByText('Reply', { exact: true }).click()
  await developer.page.getByLabel(/Reply to/).fill('So do we.')
  await developer.page.getByRole('button', { name: 'Save reply' }).click()
  await developer.page.getByText('Reply saved', { exact: true }).waitFor()

  await player.page.goto('/library')
  await player.page.getByText(/Fixed in Open Boat 1\.0\.1/).waitFor()
  await player.page.getByRole('button', { name: 'Dismiss' }).click()
  await player.page.waitForLoadState()
  await player.page.goto('/library')
  assert.equal(await player.page.getByText(/Fixed in Open Boat/).count(), 0)
  assert.deepEqual([...player.problems, ...developer.problems], [])
})

test('no dashboard page has a serious accessibility violation or scrolls sideways', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharedApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  await app.a.images(listing)
  const { build_id } = await app.a.cleanBuild(listing)
  const headers = { 'x-app-id': listing.uid, 'x-build-id': build_id }
  must(
    await app.post(
      '/api/v1/public/events',
      { events: [{ event: 'boot_ok', device_uid: 'one' }] },
      { headers },
    ),
  )
  must(
    await app.post(
      '/api/v1/public/crashes',
      { user_message: 'it broke', os: 'linux' },
      { headers },
    ),
  )
  const groups = await eventually('a crash group', async () => {
    const { groups } = must(
      await app.get(`/api/v1/private/games/${listing.uid}/crash-groups`, listing.owner),
    )
    return groups.length > 0 && groups
  })
  const base = `/dashboard/${listing.vanity_name}`
  const paths = [
    '/dashboard',
    '/dashboard/new',
    '/dashboard/import',
    `${base}/settings/editions/new`,
    `${base}/builds/${build_id}`,
    `${base}/crashes/groups/${groups[0].uid}`,
    `${base}/crashes/${groups[0].sample_crash_id}`,
    ...sections.map(([slug]) => `${base}/${slug}`),
  ]
  const browser = await startStillChromium(t)
  const { page, problems } = await openTab(browser, app.url, { token: listing.owner.token })
  const check = async (path: string, width: number, rules: readonly string[] = []) => {
    assert.deepEqual(await axeViolations(page, rules), [], `${path} at ${width}`)
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    assert.ok(over <= 0, `${path} is ${over} px too wide at ${width}`)
  }
  for (const path of paths) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    const answer = await page.goto(path)
    assert.equal(answer!.status(), 200, path)
    await check(path, 1440)
    // The narrow, dark page has the same elements: only what depends on colors and sizes differs.
    await page.setViewportSize({ width: 390, height: 900 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await check(path, 390, narrowRules)
  }
  assert.deepEqual(problems, [])
})
