import assert from 'node:assert/strict'
import test from 'node:test'
import { defaultSettings } from '../../src/core/settings/table.ts'
import * as prices from '../../src/listings/editions/prices.ts'
import {
  checkAnonymous,
  checkBundle,
  checkEditionAgainstAnonymous,
  checkPriceChange,
  type Edition,
  editionKinds,
  listingPrice,
} from '../../src/listings/editions/prices.ts'
import { listingRules } from '../../src/listings/listing/store-rules.ts'
import { fc } from '../support/property.ts'
import { letters, refused, wide } from './refused.ts'

/** The rules of a service with the default configuration. */
const defaultRules = listingRules(defaultSettings)
const checkPrice = (value: unknown, rules = defaultRules) => prices.checkPrice(value, rules)
const checkEdition = (body: unknown, current: Edition | null) =>
  prices.checkEdition(body, current, defaultRules)
const checkEditionFits = (edition: Edition, others: readonly Pick<Edition, 'slug'>[]) =>
  prices.checkEditionFits(edition, others, defaultRules)

const minimal = { slug: 'deluxe', name: 'Deluxe', price_cents: 1999 }
const edition: Edition = {
  ...minimal,
  description: '',
  kind: 'standard',
  active: true,
  sort_order: 0,
  bundle_asset_uids: [],
}
const priced = (price_cents: number, active = true) => ({ price_cents, active })
const notEdition = (field: string, body: unknown, current: Edition | null = null) =>
  refused('INVALID_EDITION', field, () => checkEdition(body, current))

test('a price is 0, or 99 to 50000 whole cents', () => {
  for (const price of [0, 99, 100, 49_999, 50_000]) assert.equal(checkPrice(price), price)
  for (const price of [-1, 1, 98, 50_001, 99.5, '999', null, undefined, Number.NaN]) {
    const refusal = refused('PRICE_OUT_OF_RANGE', 'price_cents', () => checkPrice(price))
    assert.deepEqual([refusal.code, refusal.status], [4050, 422])
  }
})

test('the price range is configurable', () => {
  const rules = listingRules({
    ...defaultSettings,
    min_price_cents: 10,
    max_price_cents: 20,
    editions_max: 2,
  })
  assert.deepEqual(
    [checkPrice(0, rules), checkPrice(10, rules), checkPrice(20, rules)],
    [0, 10, 20],
  )
  for (const price of [9, 21])
    assert.match(
      refused('PRICE_OUT_OF_RANGE', 'price_cents', () => checkPrice(price, rules)).message,
      /10 to 20/,
    )
})

test('a listing costs as much as its cheapest active edition, or else its own price', () => {
  assert.equal(listingPrice(500, []), 500)
  assert.equal(listingPrice(500, [priced(100, false)]), 500)
  assert.equal(listingPrice(500, [priced(2000), priced(900), priced(100, false)]), 900)
  assert.equal(listingPrice(0, [priced(99)]), 99)
})

test('rejects a direct price change of a listing with an active edition', () => {
  const facts = {
    price_cents: 500,
    editions: [priced(900), priced(2000), priced(100, false)],
    anonymous: false,
  }
  const refusal = refused('PRICE_FROM_EDITIONS', 'price_cents', () => checkPriceChange(500, facts))
  assert.deepEqual([refusal.code, refusal.status], [4164, 409])
  refused('PRICE_FROM_EDITIONS', 'price_cents', () => checkPriceChange(0, facts))
  checkPriceChange(900, facts)
  checkPriceChange(700, { ...facts, editions: [priced(900, false)] })
})

test('rejects any price but free while anonymous downloads are on', () => {
  const facts = { price_cents: 0, editions: [priced(900, false)], anonymous: true }
  checkPriceChange(0, facts)
  const refusal = refused('PRICE_REQUIRES_SIGN_IN', 'price_cents', () =>
    checkPriceChange(99, facts),
  )
  assert.deepEqual([refusal.code, refusal.status], [4114, 409])
  checkPriceChange(99, { ...facts, anonymous: false })
})

test('rejects adding or activating an edition while anonymous downloads are on', () => {
  for (const is_new of [true, false]) {
    for (const active of [true, false]) {
      checkEditionAgainstAnonymous({ is_new, active }, false)
      const act = () => checkEditionAgainstAnonymous({ is_new, active }, true)
      if (is_new || active) refused('PRICE_REQUIRES_SIGN_IN', 'active', act)
      else act()
    }
  }
})

test('anonymous downloads need confirm_no_license: true to be turned on', () => {
  const free = { price_cents: 0, editions: [] }
  assert.equal(checkAnonymous({ enabled: true, confirm_no_license: true }, free), true)
  for (const confirm of [{}, { confirm_no_license: false }]) {
    const refusal = refused('ANONYMOUS_DOWNLOADS_NOT_CONFIRMED', 'confirm_no_license', () =>
      checkAnonymous({ enabled: true, ...confirm }, free),
    )
    assert.deepEqual([refusal.code, refusal.status], [4109, 400])
  }
})

test('anonymous downloads need a free project without an active edition', () => {
  const attempt =
    (facts: { price_cents: number; editions: { price_cents: number; active: boolean }[] }) => () =>
      checkAnonymous({ enabled: true, confirm_no_license: true }, facts)
  assert.equal(attempt({ price_cents: 0, editions: [priced(99, false)] })(), true)
  for (const facts of [
    { price_cents: 99, editions: [] },
    { price_cents: 0, editions: [priced(99)] },
  ]) {
    const refusal = refused('ANONYMOUS_DOWNLOADS_REQUIRE_FREE', 'enabled', attempt(facts))
    assert.deepEqual([refusal.code, refusal.status], [4113, 409])
  }
})

test('anonymous downloads can always be turned off', () => {
  assert.equal(
    checkAnonymous({ enabled: false }, { price_cents: 999, editions: [priced(99)] }),
    false,
  )
})

test('property: no sequence of accepted changes combines anonymous downloads with a price', () => {
  type State = {
    price_cents: number
    editions: { price_cents: number; active: boolean }[]
    anonymous: boolean
  }
  const moves: Record<string, (state: State, n: number) => State> = {
    price: (s, n) => {
      const price_cents = checkPrice([0, 99, 500][n % 3])
      checkPriceChange(price_cents, s)
      return {
        ...s,
        price_cents: s.editions.some(({ active }) => active) ? s.price_cents : price_cents,
      }
    },
    add: (s, n) => {
      checkEditionAgainstAnonymous({ is_new: true, active: n % 2 === 0 }, s.anonymous)
      return { ...s, editions: [...s.editions, priced(99 + n, n % 2 === 0)] }
    },
    toggle: (s, n) => {
      const chosen = s.editions[n % Math.max(1, s.editions.length)]
      if (!chosen) return s
      checkEditionAgainstAnonymous({ is_new: false, active: !chosen.active }, s.anonymous)
      return {
        ...s,
        editions: s.editions.map((edition) =>
          edition === chosen ? { ...edition, active: !edition.active } : edition,
        ),
      }
    },
    anonymous: (s, n) => ({
      ...s,
      anonymous: checkAnonymous({ enabled: n % 3 > 0, confirm_no_license: true }, s),
    }),
  }
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(moves)), fc.nat(20)), { maxLength: 20 }),
      (steps) => {
        let state: State = { price_cents: 0, editions: [], anonymous: false }
        for (const [move, n] of steps) {
          try {
            state = moves[move]!(state, n)
          } catch {
            // A rejected change leaves everything unchanged.
          }
          if (state.anonymous) assert.equal(listingPrice(state.price_cents, state.editions), 0)
        }
      },
    ),
  )
})

test('a new edition is standard, active and first by default', () => {
  assert.deepEqual(checkEdition(minimal, null), edition)
  const full = {
    slug: 'x',
    name: 'X',
    description: 'More\n',
    kind: 'beta_access',
    price_cents: 99,
    active: false,
    sort_order: 100,
  }
  assert.deepEqual(checkEdition(full, null), { ...full, bundle_asset_uids: [] })
})

test('a change to an edition leaves omitted fields unchanged', () => {
  assert.deepEqual(checkEdition({ price_cents: 99 }, edition), { ...edition, price_cents: 99 })
  assert.deepEqual(checkEdition({}, edition), edition)
  notEdition('price_cents', { price_cents: 5 }, edition)
})

test('every field of an edition has its limits', () => {
  const good: Record<string, unknown[]> = {
    slug: ['a', 'a-b', '2', letters(40)],
    name: ['x', wide(80)],
    description: ['', wide(2000), 'a\nb'],
    price_cents: [99, 50_000],
    active: [true, false],
    sort_order: [0, 100],
  }
  const bad: Record<string, unknown[]> = {
    slug: ['', 'A', 'a b', '-a', 'a-', 'a--b', letters(41), 5, null],
    name: ['', ' ', letters(81), wide(81), 'a\nb', 5, null],
    description: [letters(2001), 'a\0', 5],
    kind: ['', 'gold', null, 5],
    price_cents: [0, 98, 50_001, 99.5, '99', null],
    active: ['true', 1, null],
    sort_order: [-1, 101, 1.5, '1', null],
  }
  for (const [field, values] of Object.entries(good))
    for (const value of values)
      assert.equal(checkEdition({ ...minimal, [field]: value }, null)[field as 'slug'], value)
  for (const [field, values] of Object.entries(bad))
    for (const value of values) notEdition(field, { ...minimal, [field]: value })
  for (const field of ['slug', 'name', 'price_cents'])
    notEdition(field, { ...minimal, [field]: undefined })
  for (const body of [null, [], 'x']) notEdition('edition', body)
})

test('a bundle has 1 to 10 listings, and other kinds have none', () => {
  const uids = (count: number) => Array.from({ length: count }, (_, n) => `listing-${n}`)
  for (const count of [1, 10])
    assert.deepEqual(
      checkEdition({ ...minimal, kind: 'bundle', bundle_asset_uids: uids(count) }, null)
        .bundle_asset_uids,
      uids(count),
    )
  for (const list of [[], uids(11), 'x', undefined])
    notEdition('bundle_asset_uids', { ...minimal, kind: 'bundle', bundle_asset_uids: list })
  notEdition('bundle_asset_uids[1]', { ...minimal, kind: 'bundle', bundle_asset_uids: ['a', ''] })
  for (const kind of editionKinds.filter((name) => name !== 'bundle')) {
    assert.deepEqual(
      checkEdition({ ...minimal, kind, bundle_asset_uids: [] }, null).bundle_asset_uids,
      [],
    )
    notEdition('bundle_asset_uids', { ...minimal, kind, bundle_asset_uids: ['a'] })
  }
})

test('an edition keeps its listings while it is a bundle, and loses them otherwise', () => {
  const bundle: Edition = { ...edition, kind: 'bundle', bundle_asset_uids: ['a', 'b'] }
  assert.deepEqual(checkEdition({ name: 'New' }, bundle).bundle_asset_uids, ['a', 'b'])
  assert.deepEqual(checkEdition({ kind: 'deluxe' }, bundle).bundle_asset_uids, [])
  notEdition('bundle_asset_uids', { kind: 'bundle' }, edition)
})

test('a bundle contains other listings of the seller, each once', () => {
  const own = (uid: string) => ({ uid, of_seller: true })
  assert.deepEqual(checkBundle('me', [own('b'), own('a')]), ['b', 'a'])
  const at = (index: number) => `bundle_asset_uids[${index}]`
  refused('INVALID_EDITION', at(1), () => checkBundle('me', [own('a'), own('me')]))
  refused('INVALID_EDITION', at(1), () => checkBundle('me', [own('a'), own('a')]))
  const missing = refused('INVALID_EDITION', at(0), () => checkBundle('me', [null]))
  const foreign = refused('INVALID_EDITION', at(0), () =>
    checkBundle('me', [{ uid: 'a', of_seller: false }]),
  )
  assert.equal(foreign.message, missing.message)
})

test('a listing has at most 8 editions, each with its own slug', () => {
  const others = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ slug: `other-${n}` }))
  checkEditionFits(edition, others(7))
  const refusal = refused('TOO_MANY_EDITIONS', 'editions', () =>
    checkEditionFits(edition, others(8)),
  )
  assert.deepEqual([refusal.code, refusal.status], [4156, 422])
  refused('INVALID_EDITION', 'slug', () =>
    checkEditionFits(edition, [{ slug: 'other' }, { slug: 'deluxe' }]),
  )
})
