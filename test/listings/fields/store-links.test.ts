import assert from 'node:assert/strict'
import test from 'node:test'
import {
  checkStoreLinks,
  type StorePlatform,
  storeLink,
  storePlatforms,
  stores,
} from '../../../src/listings/fields/store-links.ts'
import { fc } from '../../support/property.ts'
import { letters, refused, unlessRefused } from '../refused.ts'

const check = (platform: string, url: unknown) => () => checkStoreLinks([{ platform, url }])
const refusedUrl = (platform: string, url: unknown) =>
  refused('INVALID_STORE_LINK', 'store_links[0].url', check(platform, url))
const hostsOf = (platform: StorePlatform) =>
  stores.find((store) => store.platform === platform)!.hosts

test('there are eleven stores, each labeled with the name of its host', () => {
  assert.deepEqual(
    storePlatforms,
    Array.from({ length: 11 }, (_, n) => `store_${String(n + 1).padStart(2, '0')}`),
  )
  for (const { label, hosts } of stores) assert.equal(label, hosts[0])
})

test('every store accepts a link on each of its hosts, and no link of another store', () => {
  for (const { platform, label, hosts } of stores) {
    for (const host of hosts) {
      const url = `https://${host.replace('*', 'someone')}/page?x=1`
      assert.deepEqual(check(platform, url)(), [{ platform, label, url }])
      for (const other of storePlatforms.filter((name) => name !== platform)) refusedUrl(other, url)
    }
  }
})

test('the hosts are those of the stores', () => {
  const firstHosts = stores.map(({ platform }) => hostsOf(platform)[0])
  assert.deepEqual(firstHosts, [
    'store.steampowered.com',
    'gog.com',
    'store.epicgames.com',
    'itch.io',
    'humblebundle.com',
    'xbox.com',
    'store.playstation.com',
    'nintendo.com',
    'apps.apple.com',
    'play.google.com',
    'gamejolt.com',
  ])
  assert.ok(
    check('store_06', 'https://apps.microsoft.com/x')() &&
      check('store_06', 'https://microsoft.com/x')(),
  )
  for (const host of [
    'www.nintendo.co.uk',
    'nintendo.de',
    'www.nintendo.co.jp',
    'www.nintendo.com',
  ])
    assert.ok(check('store_08', `https://${host}/x`)())
})

test('only the fourth store accepts subdomains, at any depth', () => {
  for (const host of ['itch.io', 'me.itch.io', 'a.b.itch.io', 'www.itch.io'])
    assert.ok(check('store_04', `https://${host}/game`)())
  for (const host of ['notitch.io', 'itch.io.evil.example', 'itch.com'])
    refusedUrl('store_04', `https://${host}/game`)
  for (const { platform, hosts } of stores.filter((store) => store.platform !== 'store_04'))
    refusedUrl(platform, `https://sub.${hosts[0]}/x`)
})

test('rejects a host that only looks like the store', () => {
  const hosts = [
    'evil-gog.com',
    'gog.com.evil.example',
    'gogXcom.example',
    'gоg.com',
    'xn--gg-xlc.com',
    'gog.com.',
    'gog.co',
    'wwwgog.com',
    'www.www.gog.com',
    'evil.example/gog.com',
    'evil.example#gog.com',
  ]
  for (const host of hosts) refusedUrl('store_02', `https://${host}`)
  for (const url of [
    'https://gog.com@evil.example/',
    'https://evil.example?gog.com',
    'https://evil.example\\@gog.com',
    'https://gog.com:x@evil.example/',
  ])
    refusedUrl('store_02', url)
  for (const host of [
    'nintendo.co',
    'nintendo.tk',
    'nintendo.com.evil.example',
    'nintendo.evil',
    'shop.nintendo.de',
  ])
    refusedUrl('store_08', `https://${host}/x`)
})

test('accepts capitals in the host and stores it in lowercase', () => {
  assert.equal(check('store_02', 'HTTPS://WWW.GOG.COM/Game')()[0]?.url, 'https://www.gog.com/Game')
})

test('a store link is https, without user info, on the default port', () => {
  for (const url of [
    'http://gog.com/x',
    'gog.com/x',
    '//gog.com/x',
    'https://me@gog.com/x',
    'https://me:pw@gog.com/x',
    'https://gog.com:8443/x',
    'https://gog.com:80/x',
    '',
    null,
    undefined,
    5,
  ]) {
    refusedUrl('store_02', url)
  }
  assert.equal(check('store_02', 'https://gog.com:443/x')()[0]?.url, 'https://gog.com/x')
})

test('removes the fragment of a link', () => {
  for (const [sent, stored] of [
    ['https://gog.com/x#top', 'https://gog.com/x'],
    ['https://gog.com/x?a=b#c#d', 'https://gog.com/x?a=b'],
    ['https://gog.com/x#', 'https://gog.com/x'],
    ['https://gog.com#@evil.example', 'https://gog.com'],
  ] as const) {
    assert.equal(check('store_02', sent)()[0]?.url, stored)
  }
})

test('a store link has at most 255 characters, not counting the fragment', () => {
  const of = (length: number) => `https://gog.com/${letters(length - 16)}`
  assert.equal(check('store_02', of(255))()[0]?.url.length, 255)
  assert.equal(check('store_02', `${of(255)}#${letters(50)}`)()[0]?.url.length, 255)
  const refusal = refusedUrl('store_02', of(256))
  assert.deepEqual([refusal.code, refusal.status], [4238, 422])
})

test('links stay in order, one per store, and an empty list clears them', () => {
  const all = stores
    .map(({ platform, hosts }) => ({ platform, url: `https://${hosts[0]}/x` }))
    .reverse()
  assert.deepEqual(
    checkStoreLinks(all).map(({ platform }) => platform),
    storePlatforms.toReversed(),
  )
  assert.deepEqual(checkStoreLinks([]), [])
  refused('INVALID_STORE_LINK', 'store_links[11].platform', () =>
    checkStoreLinks([...all, { platform: 'store_02', url: 'https://www.gog.com/y' }]),
  )
})

test('links can be saved again as they are returned', () => {
  const links = checkStoreLinks([
    { platform: 'store_04', url: 'https://me.itch.io' },
    { platform: 'store_11', url: 'https://gamejolt.com/games/x/1' },
  ])
  assert.deepEqual(checkStoreLinks(links), links)
  assert.equal(links[0]?.url, 'https://me.itch.io')
})

test('rejects an unknown store and anything but a list of links', () => {
  for (const platform of ['store_12', 'store_00', 'gog', '', undefined, 'toString']) {
    refused('INVALID_STORE_LINK', 'store_links[0].platform', () =>
      checkStoreLinks([{ platform, url: 'https://gog.com/x' }]),
    )
  }
  for (const value of [null, {}, 'x', undefined])
    refused('INVALID_STORE_LINK', 'store_links', () => checkStoreLinks(value))
  for (const value of [null, 'https://gog.com', []])
    refused('INVALID_STORE_LINK', 'store_links[0]', () => checkStoreLinks([value]))
})

test('property: no link is accepted on a host outside the table', () => {
  const listed = stores.flatMap(({ hosts }) => hosts.map((host) => host.replace('*.', '')))
  const part = fc.constantFrom(
    '',
    '.',
    '-',
    'evil',
    'evil.',
    '.evil.example',
    'www.',
    '.com',
    '@',
    ':443',
    ':1',
    '/',
    '\\',
    '%2e',
    '。',
    'ｇ',
    'а',
    '\u00ad',
    'xn--',
  )
  const host = fc
    .tuple(part, part, fc.constantFrom(...listed), part, part)
    .map((parts) => parts.join(''))
  const mangled = fc
    .tuple(fc.constantFrom(...listed), fc.nat(20), part)
    .map(([name, i, extra]) => name.slice(0, i) + extra + name.slice(i))
  fc.assert(
    fc.property(fc.constantFrom(...storePlatforms), fc.oneof(host, mangled), (platform, name) => {
      const link = unlessRefused(() => storeLink(platform, `https://${name}/x`))
      if (!link) return
      const { hostname, port, protocol } = new URL(link.url)
      const named =
        hostsOf(platform).includes(hostname) ||
        (platform === 'store_04' && hostname.endsWith('.itch.io'))
      assert.ok(named && port === '' && protocol === 'https:', link.url)
    }),
    { numRuns: 3000 },
  )
})
