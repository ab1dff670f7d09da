import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '../../support/system-packages.ts'
import { sha256, zip } from '../../uploads/zips.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

const zipOf = (...names: string[]) => zip(names.map((name) => ({ name, body: name })))

test('without script, an upload says which names are one on other disks', async (t) => {
  const { owner, at, sendFile } = await startDashboard(t)
  const notice = async (version: string, bytes: Buffer) => {
    const fields = { version, os: 'linux', arch: 'x86_64', channel: 'stable' }
    const registered = await owner.send(at('builds/register'), fields)
    const page = registered.headers.location!.split('#')[0]!
    const build_id = page.split('/').at(-1)!
    const form = { build_id, checksum: sha256(bytes) }
    const answer = await sendFile(`${page}/file`, form, bytes, 'game.zip')
    assert.equal(answer.status, 303)
    return decodeURIComponent(answer.headers['set-cookie']!.match(/svc_notice=([^;]*)/)![1]!)
  }
  assert.equal(await notice('1.0', zipOf('a', 'b')), 'Uploaded. The file is being scanned.')
  assert.match(
    await notice('1.1', zipOf('Data/a.txt', 'data/A.txt')),
    /scanned\. "Data\/a\.txt" and "data\/A\.txt" are the same name on Windows and macOS/,
  )
  // The longest notice fits its cookie, and no character is cut in half.
  const folder = '𐐀'.repeat(100)
  const long = await notice('1.2', zipOf(`${folder}/A`, `${folder}/a`))
  assert.match(long, /"…(𐐀){57}\/A" and "…(𐐀){57}\/a"/)
  assert.ok(encodeURIComponent(long).length <= 2000)
})

test('with script, an upload stays on its page to say which names collide', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startDashboard(t)
  const { listing } = app
  const { page } = await openTab(await startChromium(t), app.url, { token: listing.owner.token })
  const builds = `/dashboard/${listing.vanity_name}/builds`
  const upload = async (version: string, buffer: Buffer) => {
    await page.goto(builds)
    await page.getByLabel('Version', { exact: true }).fill(version)
    await page
      .locator('#build-file')
      .setInputFiles({ name: 'game.zip', mimeType: 'application/zip', buffer })
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
  }
  await upload('1.0', zipOf('Data/a.txt', 'data/A.txt', 'b', 'B'))
  const notice = page.locator('.upload-collisions')
  await notice.waitFor({ state: 'visible' })
  assert.deepEqual(
    (await notice.locator('li').allTextContents()).map((text) => text.match(/^.*?" are/)![0]),
    ['"Data/a.txt" and "data/A.txt" are', '"b" and "B" are'],
  )
  assert.deepEqual(await axeViolations(page), [])
  await notice.getByRole('link', { name: 'Open the build' }).click()
  await page.waitForURL(/\/builds\/[0-9a-f-]{36}$/)
  await upload('1.1', zipOf('a', 'b'))
  await page.waitForURL(/\/builds\/[0-9a-f-]{36}$/)
})
