import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { must } from '../support/builders.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { taxonomy } from '../web/fixtures.ts'
import { layoutProblems } from '../web/layouts.ts'
import { OPERATIONS, startConsole } from './fixtures.ts'

const GAMES = '/api/v1/private/games'

/** What axe and the layout say against these pages. */
async function problemsOf(page: Page, paths: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  for (const path of paths) problems.push(...(await layoutProblems(page, path)))
  return problems
}

test('invitation, approval and review in the browser, in both widths and themes', async (t) => {
  const store = await startConsole(t, {
    REGISTRATION: 'invitation',
    PUBLISHING: 'approval',
    REVIEW_FIRST_RELEASE: 'on',
  })
  const { a, url, operator, put, get, post } = store
  const invited = must(await post(`${OPERATIONS}/invitations`, { note: 'Friends' }, operator))
  const browser = await startChromium(t)
  const desk = await openTab(browser, url, { token: operator.token })
  await desk.page.goto('/operator/invitations')
  await desk.page.getByLabel('Note').fill('For Ada')
  await desk.page.getByRole('button', { name: 'Make invitation' }).click()
  const link = await desk.page.locator('copy-text code').innerText()

  const guest = await openTab(browser, url)
  await guest.page.goto(link)
  await guest.page.getByLabel('Username').fill('ada-lovelace')
  await guest.page.getByLabel('Email').fill('ada@example.com')
  await guest.page.getByLabel('Password', { exact: true }).fill('a long enough password')
  await guest.page.getByRole('button', { name: 'Create account' }).click()
  await guest.page.waitForURL(/settings\/verify/)

  const [{ uid, username } = { uid: '', username: '' }] = await store.sql<
    { uid: string; username: string }[]
  >`update users set email_verified_at = now(), developer_enabled_at = now()
    where username = 'ada-lovelace' returning uid, username`
  const { session } = must(
    await post('/api/v1/private/account/login', {
      login: username,
      password: 'a long enough password',
    }),
  )
  const owner = { uid, username, email: 'ada@example.com', token: session.token as string }
  const listing = await a.listing({ owner, name: 'Tide Bell' })
  await a.images(listing)
  await a.cleanBuild(listing)
  must(await put(`${GAMES}/${listing.uid}/taxonomy`, taxonomy, owner))

  await guest.page.goto('/dashboard')
  await guest.page.getByRole('link', { name: 'See how to get it' }).click()
  await guest.page.getByLabel('Your request').fill('I make games about tides.')
  await guest.page.getByRole('button', { name: 'Send request' }).click()
  await guest.page.getByText('You asked on').waitFor()

  await desk.page.goto('/operator/approvals')
  const request = desk.page.getByRole('article').filter({ hasText: username })
  await request.getByText('Decide').click()
  await request.getByRole('button', { name: 'Approve' }).click()
  await desk.page.getByText(`${username} may publish now`).waitFor()

  const project = `/dashboard/${listing.vanity_name}/overview`
  await guest.page.goto(project)
  await guest.page.getByRole('button', { name: 'Hand in for review' }).click()
  await guest.page.getByText('Your first release waits for a review').first().waitFor()

  const pages = [
    '/operator/invitations',
    '/operator/approvals',
    `/operator/approvals/releases/${listing.uid}`,
  ]
  assert.deepEqual(await problemsOf(desk.page, pages), [])
  assert.deepEqual(
    await problemsOf(guest.page, ['/settings/publishing', '/dashboard', project]),
    [],
  )
  const stranger = await openTab(browser, url)
  const signup = ['/signup', `/signup${new URL(invited.url).search}`]
  assert.deepEqual(await problemsOf(stranger.page, signup), [])

  await desk.page.goto('/operator/approvals')
  await desk.page.getByRole('link', { name: 'Tide Bell' }).click()
  await desk.page.getByRole('button', { name: 'Approve' }).click()
  await desk.page.getByText('Tide Bell is public now').waitFor()
  assert.equal((await get(`/api/v1/public/games/${listing.uid}`)).status, 200)
  assert.deepEqual([...desk.problems, ...guest.problems, ...stranger.problems], [])
})
