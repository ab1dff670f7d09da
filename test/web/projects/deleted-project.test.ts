import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCopy, makePublic, must, PASSWORD } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

test('deleting a project with players takes its name and the password, and can be undone', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startDashboard(t, { name: 'Lantern Harbor' })
  const { sql, url, listing, at, read } = app
  await makePublic(sql, listing.uid)
  await addCopy(sql, listing.uid, (await app.a.verified()).uid, 'free')
  await sql`update sessions set created_at = now() - interval '11 minutes'`
  const before = await read()
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  const section = page.locator('#delete')
  const confirm = async (name: string, password?: string) => {
    await section.getByLabel('Name of the project').fill(name)
    if (password !== undefined) await section.getByLabel('Password').fill(password)
    await section.getByRole('button', { name: 'Delete Lantern Harbor' }).click()
  }

  await page.goto(at('settings'))
  await section.getByText('Delete…').click()
  await confirm('Lantern', PASSWORD)
  await section.getByRole('alert').getByText('This is not the name of the project.').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await confirm('lantern  harbor ', 'not the password')
  await section.getByRole('alert').getByText('This password is wrong.').waitFor()
  await read()
  await confirm('Lantern Harbor', PASSWORD)

  await page.getByText(/Lantern Harbor was deleted\. You can restore it until/).waitFor()
  const deleted = page.getByRole('region', { name: 'Deleted' })
  assert.match(await deleted.innerText(), /Deleted on \w+ \d+, \d+, gone for good on \w+ \d+, \d+/)
  assert.deepEqual(await axeViolations(page), [])
  assert.equal((await app.get(`/api/v1/public/games/${listing.uid}`)).status, 404)
  await deleted.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Restored as it was').waitFor()
  assert.deepEqual(await read(), before)

  // The password was typed a moment ago, so it is not asked again.
  await page.goto(at('settings'))
  await section.getByText('Delete…').click()
  assert.equal(await section.getByLabel('Password').count(), 0)
  await confirm('Lantern Harbor')
  await deleted.waitFor()
  assert.deepEqual(problems, [])
})

test('a form without the name or a recent sign-in deletes nothing', async (t) => {
  const app = await startDashboard(t, { name: 'Lantern Harbor' })
  const { sql, listing, at, owner, read } = app
  await addCopy(sql, listing.uid, (await app.a.verified()).uid, 'free')
  const send = (fields: Record<string, string>) => owner.send(at('delete'), fields)
  for (const minutes of [9, 11]) {
    await sql`update sessions set created_at = now() - ${minutes} * interval '1 minute'`
    assert.equal((await send({})).status, 400)
    assert.equal((await send({ confirm_name: 'Lantern' })).status, 400)
    must(await app.get('/api/v1/private/account', listing.owner))
  }
  assert.equal((await send({ confirm_name: 'Lantern Harbor' })).status, 400)
  assert.equal((await send({ confirm_name: 'Lantern Harbor', password: 'wrong' })).status, 401)
  await read()
  await sql`update sessions set created_at = now() - interval '9 minutes'`
  assert.equal((await send({ confirm_name: 'Lantern Harbor' })).status, 303)
  assert.equal((await app.get(`/api/v1/private/games/${listing.uid}`, listing.owner)).status, 404)
})
