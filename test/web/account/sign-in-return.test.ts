import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, PASSWORD } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

const linkTo = (next: string) => `href="/login?next=${encodeURIComponent(next)}"`
const loginPage = (next: string) => `/login?next=${encodeURIComponent(next)}`

test('signing in leads back to the page, or to the dashboard or library without one', async (t) => {
  const { a, published, visitor } = await sharedStore(t)
  const listing = await published()
  for (const path of [listing.path, '/search?q=low%20tide&tone=cozy', '/'])
    assert.ok((await visitor().open(path)).body.includes(linkTo(path)), path)
  for (const path of ['/login', '/password/forgot', '/nobody/nothing'])
    assert.match((await visitor().open(path)).body, /href="\/login"/, path)
  const developer = await a.verifiedDeveloper()
  const player = await a.verified()
  for (const [person, location] of [
    [developer, '/dashboard'],
    [player, '/library'],
  ] as const) {
    const login = { login: person.username, password: PASSWORD }
    assert.equal((await visitor().send('/login', login)).headers.location, location)
    const back = await visitor().send(loginPage(listing.path), login)
    assert.equal(back.headers.location, listing.path)
  }
})

test('a download that requires an account says so, and the sign-in page says why', async (t) => {
  const { a, published, visitor, signedIn, put, patch } = await sharedStore(t)
  const listing = await published({ name: 'Kettle & Cloud' })
  const download = `/download/${listing.file_uid}`
  assert.match((await visitor().open(listing.path)).body, /Sign in to download/)
  const player = signedIn(await a.verified())
  assert.doesNotMatch((await player.open(listing.path)).body, /Sign in to download/)
  const reasons = {
    [download]: 'Sign in to download Kettle &amp; Cloud.',
    [`/games/${listing.uid}/bug`]: 'Sign in to report a problem with Kettle &amp; Cloud.',
    '/dashboard': 'Sign in to publish and manage your projects.',
    '/download/x': 'Sign in to download this file.',
  }
  for (const [next, reason] of Object.entries(reasons))
    assert.ok((await visitor().open(loginPage(next))).body.includes(reason), next)
  assert.doesNotMatch((await visitor().open('/login')).body, /class="notice"/)
  const url = `/api/v1/private/games/${listing.uid}`
  const confirmed = { enabled: true, confirm_no_license: true }
  must(await put(`${url}/anonymous-downloads`, confirmed, listing.owner))
  assert.doesNotMatch((await visitor().open(listing.path)).body, /Sign in to download/)
  must(await patch(url, { visibility: 'draft' }, listing.owner))
  const hidden = (await visitor().open(loginPage(download))).body
  assert.doesNotMatch(hidden, /Kettle/, 'a hidden listing is not named')
  assert.match(hidden, /Sign in to download this file\./)
})

test('publishing leads to the page and mentions downloads without an account', async (t) => {
  const { published, signedIn, patch } = await sharedStore(t)
  const listing = await published()
  const base = `/dashboard/${listing.uid}`
  const owner = signedIn(listing.owner)
  must(await patch(`/api/v1/private/games/${listing.uid}`, { visibility: 'draft' }, listing.owner))
  const settings = (await owner.open(`${base}/settings`)).body
  assert.match(settings, /settings#anonymous">Allow downloads without an account</)
  assert.match(settings, />\s*Private\b/)
  assert.doesNotMatch(settings, /Owner only|without a parent/)
  const sent = await owner.send(`${base}/visibility`, { visibility: 'public' })
  assert.deepEqual([sent.status, sent.headers.location], [303, listing.path])
  assert.match((await owner.open(listing.path)).body, /Published\. Everyone can open the page now/)
  const again = await owner.send(`${base}/visibility`, { visibility: 'public' })
  assert.match(again.headers.location!, /\/settings$/, 'it was public already')
})
