import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { makePublic } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../web/chromium.ts'
import { moderationTeam } from './fixtures.ts'

test('a visitor reports, a moderator decides, and the publisher sees why', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startApp(t)
  const { moderator } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, name: 'Pill Harbor' })
  await app.a.images(listing)
  await makePublic(app.sql, listing.uid)
  const chromium = await startChromium(t)
  const { page: visitor } = await openTab(chromium, app.url)
  await visitor.goto(`${app.url}/${owner.username}/${listing.vanity_name}`)
  await visitor.getByRole('link', { name: 'Report', exact: true }).click()
  assert.deepEqual(await axeViolations(visitor), [])
  await visitor.getByLabel('What is wrong?').selectOption('spam')
  await visitor.getByLabel('Description').fill('The page sells pills')
  await visitor.getByRole('button', { name: 'Send report' }).click()
  await visitor.getByRole('alert').waitFor()
  assert.deepEqual(await axeViolations(visitor), [])
  await visitor.getByLabel('I believe in good faith').check()
  await visitor.getByRole('button', { name: 'Send report' }).click()
  await visitor.getByText('We received your report').waitFor()
  assert.deepEqual(await axeViolations(visitor), [])
  const state = visitor.url()

  const { page, problems } = await openTab(chromium, app.url, { token: moderator.token })
  await page.goto(`${app.url}/operator/moderation`)
  assert.deepEqual(await axeViolations(page), [])
  await page.getByRole('link', { name: 'Listing “Pill Harbor”' }).click()
  await page.getByRole('button', { name: 'Assign to me' }).click()
  await page.getByText(`Assigned to ${moderator.username}`).waitFor()
  await page.getByText('As it was when it was reported').click()
  assert.deepEqual(await axeViolations(page), [])
  await page.getByLabel('Action').selectOption('take_down')
  await page.getByLabel('Ground').selectOption('rule-spam')
  await page.getByLabel('Facts').fill('The page sells pills')
  await page.getByLabel('Message to the person concerned').fill('Your page is no game.')
  await page.getByRole('button', { name: 'Decide' }).click()
  await page.getByText('No open reports').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  assert.deepEqual(problems, [])

  const { page: publisher } = await openTab(chromium, app.url, { token: owner.token })
  await publisher.goto(`${app.url}/dashboard`)
  await publisher.getByText('Your page is no game.').waitFor()
  await publisher.getByRole('link', { name: 'See the statement of reasons' }).click()
  await publisher.getByText('Store rule: spam or deception').waitFor()
  assert.deepEqual(await axeViolations(publisher), [])
  await visitor.goto(state)
  await visitor.getByText('We looked at your report and acted on it.').waitFor()
})
