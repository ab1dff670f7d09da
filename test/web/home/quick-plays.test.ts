import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCatalog } from '../../catalog/fixtures.ts'

/** The User-Agent of a browser on each system. */
const agents = {
  windows: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  macos: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15',
  linux: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  android: 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile',
  ios: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
}

test('quick plays have a download for the system of the visitor', async (t) => {
  const { get, sql, createListing } = await startCatalog(t)
  const names: Record<string, string> = {}
  for (const os of ['windows', 'macos', 'linux', 'android'])
    names[os] = (await createListing({ os: [os], band: 'healthy' })).name
  // Without a cover, no listing is shown large instead of on a shelf.
  await sql`delete from listing_images where slot = 'cover'`
  const all = Object.values(names).sort()
  const openHome = async (user_agent: string) => {
    const { body, headers } = await get('/', { headers: { 'user-agent': user_agent } })
    const sections = body.split('<section ') as string[]
    const namesOn = (kind: string) => {
      const section = sections.find((text) => text.includes(`id="shelf-${kind}"`)) ?? ''
      return [...section.matchAll(/>(Game \d+)</g)].map((match) => match[1]!).sort()
    }
    return { body, headers, namesOn }
  }
  for (const [os, name] of Object.entries(names)) {
    const { body, headers, namesOn } = await openHome(agents[os as keyof typeof agents])
    assert.deepEqual(namesOn('tonight'), [name], os)
    assert.ok(body.includes(`session_bucket=15m&amp;os=${os}"`), os)
    const others = all.filter((other) => other !== name)
    assert.deepEqual(namesOn('new'), others, 'other shelves are for everyone')
    assert.match(headers.vary!, /\bUser-Agent\b/)
  }
  const phone = await openHome(agents.ios)
  assert.deepEqual(phone.namesOn('tonight'), [], 'no listing has a download for iOS')
  assert.deepEqual(phone.namesOn('new'), all)
  const unknown = await openHome('curl/8.5.0')
  assert.deepEqual(unknown.namesOn('tonight'), all)
  assert.ok(unknown.body.includes('session_bucket=15m"'))
})
