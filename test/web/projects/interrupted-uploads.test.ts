import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryFolder } from '../../support/app.ts'
import { must, PASSWORD } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { zip } from '../../uploads/zips.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { sendInChunks, startDashboard } from '../dashboard-fixtures.ts'

test('an upload that is refused leaves no build behind', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startDashboard(t)
  const { listing } = app
  const { page } = await openTab(await startChromium(t), app.url, { token: listing.owner.token })
  const versions = async () =>
    must(await app.get(`/api/v1/private/games/${listing.uid}/builds`, listing.owner)).builds.map(
      ({ version }: { version: string }) => version,
    )
  const upload = async (version: string, name: string, bytes: Uint8Array) => {
    await page.getByLabel('Version', { exact: true }).fill(version)
    await page
      .locator('#build-file')
      .setInputFiles({ name, mimeType: 'application/zip', buffer: Buffer.from(bytes) })
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
  }
  await page.goto(`/dashboard/${listing.vanity_name}/builds`)
  await upload('1.0', 'notes.zip', Buffer.from('not a zip at all'))
  await page.getByText('notes.zip is not a zip file. Choose a .zip file.').waitFor()
  assert.deepEqual(await versions(), [])

  // The service finds what the browser cannot: a zip whose directory is cut off.
  const whole = zip([{ name: 'game/play', body: 'a game' }])
  await upload('1.1', 'cut.zip', whole.subarray(0, whole.length - 30))
  await page.locator('.upload-error').filter({ hasText: /\S/ }).waitFor()
  await eventually('the build to be gone', async () => (await versions()).length === 0)
  await page.reload()
  assert.equal(await page.locator('.upload-offer').count(), 0)

  // A build that was registered before stays.
  const build = { version: '1.2', os: 'windows', arch: 'x86_64', channel: 'stable' }
  must(await app.post(`/api/v1/private/games/${listing.uid}/builds`, build, listing.owner))
  await upload('1.2', 'cut.zip', whole.subarray(0, whole.length - 30))
  await page.locator('.upload-error').filter({ hasText: /\S/ }).waitFor()
  assert.deepEqual(await versions(), ['1.2'])
})

test('an interrupted upload is offered for resuming with its fields', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startDashboard(t)
  const { listing } = app
  const { page } = await openTab(await startChromium(t), app.url, { token: listing.owner.token })
  const path = join(temporaryFolder(t), 'game.zip')
  writeFileSync(path, zip([{ name: 'data', body: randomBytes(20 * 1024), method: 0 }]))
  const builds = `/dashboard/${listing.vanity_name}/builds`
  const interrupt = async (version: string) => {
    await page.goto(builds)
    await sendInChunks(page, 16 * 1024)
    await page.getByLabel('Version', { exact: true }).fill(version)
    await page.getByLabel('System').selectOption('linux')
    await page.getByText('Title, changelog, engine version').click()
    await page.getByLabel('Changelog').fill('New levels\nFewer crashes')
    await page.locator('#build-file').setInputFiles(path)
    let chunks = 0
    await page.route('**/files', async (route) => {
      if (++chunks < 2) return route.continue()
      await page.locator('.upload-stop').click()
      return route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByText('Paused. Press Upload to resume.').waitFor()
    // The handler may still be waiting for its click.
    await page.unrouteAll({ behavior: 'wait' })
    await page.goto(builds)
  }
  const offer = page.locator('.upload-offer')

  await interrupt('2.0')
  await offer.waitFor()
  assert.equal(
    await offer.locator('.offer-text').textContent(),
    'The upload of game.zip (version 2.0, Linux) stopped at 79%.',
  )
  assert.deepEqual(await axeViolations(page), [])
  await offer.getByRole('button', { name: 'Resume' }).click()
  assert.equal(await page.getByLabel('Version', { exact: true }).inputValue(), '2.0')
  assert.equal(await page.getByLabel('System').inputValue(), 'linux')
  assert.equal(await page.getByLabel('Changelog').inputValue(), 'New levels\nFewer crashes')
  let chunks = 0
  await sendInChunks(page, 16 * 1024)
  await page.route('**/files', (route) => {
    chunks++
    return route.continue()
  })
  await page.locator('#build-file').setInputFiles(path)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.waitForURL(/\/builds\/[0-9a-f-]{36}$/)
  // One that learns the offset, and the rest.
  assert.equal(chunks, 2)
  await page.unroute('**/files')
  await page.goto(builds)
  assert.equal(await offer.count(), 0)

  await interrupt('2.1')
  const reloaded = page.waitForEvent('load')
  await offer.getByRole('button', { name: 'Discard' }).click()
  await reloaded
  await eventually('the build to be gone', async () => {
    const { builds } = must(
      await app.get(`/api/v1/private/games/${listing.uid}/builds`, listing.owner),
    )
    return builds.length === 1 && builds[0].version === '2.0'
  })
  assert.equal(await offer.count(), 0)
})

test('an upload for stable in an old session asks for a proof, and goes on after it', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startDashboard(t)
  const { listing } = app
  const { token } = listing.owner
  const { page, problems } = await openTab(await startChromium(t), app.url, { token })
  await app.sql`
    update sessions set created_at = now() - interval '11 minutes'
    where user_uid = ${listing.owner.uid}`
  await page.goto(`/dashboard/${listing.vanity_name}/builds`)
  await page.getByLabel('Version', { exact: true }).fill('1.0')
  const buffer = zip([{ name: 'game/play', body: 'a game' }])
  await page
    .locator('#build-file')
    .setInputFiles({ name: 'game.zip', mimeType: 'application/zip', buffer })
  const upload = page.getByRole('button', { name: 'Upload', exact: true })
  await upload.click()
  const notice = page.locator('.upload-confirm')
  await notice.waitFor({ state: 'visible' })
  assert.deepEqual(await axeViolations(page), [])
  const opened = page.context().waitForEvent('page')
  await notice.getByRole('link', { name: 'Confirm that it is you' }).click()
  const confirm = await opened
  await confirm.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await confirm.getByRole('button', { name: 'Confirm', exact: true }).click()
  await confirm.waitForURL(/\/builds$/)
  await upload.click()
  await page.waitForURL(/\/builds\/[0-9a-f-]{36}$/)
  assert.deepEqual(problems, [])
})
