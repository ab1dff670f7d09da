import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { PASSWORD } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'

test('a person adds a passkey, signs in with it, and recovers with a code', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  // Browsers have no passkeys for sites that are an address.
  const { a, url, sql } = await startApp(t, { HOST: 'localhost' })
  const person = await a.user()
  const browser = await startChromium(t)
  const { page, context, problems } = await openTab(browser, url, { token: person.token })
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })

  await page.goto(`${url}/account/security`)
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Test device')
  assert.deepEqual(await axeViolations(page), [])
  await page.getByRole('button', { name: 'Create the passkey' }).click()
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  const codes = await page.locator('.recovery-codes code').allInnerTexts()
  assert.equal(codes.length, 10)
  await page.getByRole('link', { name: 'I have saved them' }).click()
  await page.getByText('Test device').first().waitFor()
  assert.deepEqual(await axeViolations(page), [])

  const signOut = async () => {
    await context.clearCookies()
    await page.goto(`${url}/login?next=/settings`)
  }
  await signOut()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${url}/settings`)

  await sql`update sessions set created_at = now() - interval '1 hour', proved_at = null`
  await page.goto(`${url}/account/security/passkeys/new`)
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.waitForURL(`${url}/account/security/passkeys/new`)

  const signInWithPassword = async () => {
    await signOut()
    await page.getByLabel('Username or email').fill(person.username)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).last().click()
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
  }
  await signInWithPassword()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${url}/settings`)

  await signInWithPassword()
  await page.getByLabel('Code').fill(codes[0]!)
  await page.getByRole('button', { name: 'Sign in', exact: true }).last().click()
  await page.waitForURL(`${url}/settings`)

  await page.goto(`${url}/account/security`)
  await page.locator('summary', { hasText: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('The passkey is removed').waitFor()
  assert.deepEqual(problems, [])
})
