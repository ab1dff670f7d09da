import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assetTypes } from '../../src/listings/fields/fields.ts'
import { stores } from '../../src/listings/fields/store-links.ts'
import { currencyCodes } from '../../src/listings/prices/currencies.ts'
import { eventually, startApp } from '../support/app.ts'
import { addAdmin, must, type Person, refused } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { sharedInFile } from '../support/shared.ts'
import { type App, GAMES, PAGES } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

async function withPeople(app: App) {
  const listing = await app.a.listing()
  const [admin, invited, stranger] = [
    await app.a.developer(),
    await app.a.developer(),
    await app.a.developer(),
  ]
  for (const { username } of [admin, invited])
    must(await app.post(`${GAMES}/${listing.uid}/admins`, { username }, listing.owner))
  must(await app.post(`/api/v1/private/invites/${listing.uid}/accept`, undefined, admin))
  return {
    ...listing,
    people: {
      owner: listing.owner,
      admin,
      invited,
      stranger,
      'signed out': { token: undefined } as unknown as Person,
    },
  }
}

const setVisibility = ({ sql }: App, uid: string, visibility: string) =>
  sql`
    update listings
    set visibility = ${visibility}, public_since = now(), published_at = now()
    where uid = ${uid}`

test('each visibility opens the page to its readers, and is a plain 404 to others', async (t) => {
  const app = await sharedApp(t)
  const { uid, vanity_name, people } = await withPeople(app)
  const opens: Record<string, string[]> = {
    draft: ['owner', 'admin'],
    owner: ['owner'],
    invisible: ['owner', 'admin', 'invited', 'stranger', 'signed out'],
    public: ['owner', 'admin', 'invited', 'stranger', 'signed out'],
  }
  for (const [visibility, allowed] of Object.entries(opens)) {
    await setVisibility(app, uid, visibility)
    for (const [name, who] of Object.entries(people)) {
      const missing = await app.get(`${PAGES}/${randomUUID()}`, who)
      for (const path of [
        `${PAGES}/${uid}`,
        `${PAGES}/${vanity_name}`,
        `${PAGES}/${uid}/relations`,
        `${PAGES}/${uid}/children`,
        `/api/v1/public/user/${people.owner.username}/games/${vanity_name}`,
      ]) {
        const answer = await app.get(path, who)
        if (allowed.includes(name))
          assert.equal(answer.status, 200, `${name} at ${path} while ${visibility}`)
        else assert.deepEqual(answer, missing, `${name} at ${path} while ${visibility}`)
      }
    }
  }
})

test('owner and accepted admins can edit in every visibility; others get 404', async (t) => {
  const app = await sharedApp(t)
  const { uid, people } = await withPeople(app)
  for (const visibility of ['draft', 'owner', 'invisible', 'public']) {
    await setVisibility(app, uid, visibility)
    for (const [name, who] of Object.entries(people)) {
      const answers = [
        await app.get(`${GAMES}/${uid}`, who),
        await app.patch(`${GAMES}/${uid}`, { tagline: `by ${name}` }, who),
        await app.put(`${GAMES}/${uid}/taxonomy`, { net: 'local' }, who),
        await app.get(`${GAMES}/${uid}/lint`, who),
      ]
      const missing = [
        await app.get(`${GAMES}/${randomUUID()}`, who),
        await app.patch(`${GAMES}/${randomUUID()}`, { tagline: 'x' }, who),
        await app.put(`${GAMES}/${randomUUID()}/taxonomy`, { net: 'local' }, who),
        await app.get(`${GAMES}/${randomUUID()}/lint`, who),
      ]
      if (name === 'owner' || name === 'admin')
        for (const answer of answers)
          assert.equal(answer.status, 200, `${name} while ${visibility}`)
      else assert.deepEqual(answers, missing, `${name} while ${visibility}`)
    }
  }
})

test('only the owner deletes a listing and manages admins, and an admin can leave', async (t) => {
  const app = await sharedApp(t)
  const { uid, people } = await withPeople(app)
  const { owner, admin, invited, stranger } = people
  const admins = `${GAMES}/${uid}/admins`
  assert.deepEqual(
    must(await app.get(admins, admin)).admins.map(({ username, accepted }: any) => [
      username,
      accepted,
    ]),
    [
      [admin.username, true],
      [invited.username, false],
    ],
  )
  assert.deepEqual(
    refused(await app.post(admins, { username: stranger.username }, admin)),
    [403, 4034],
  )
  assert.deepEqual(refused(await app.del(`${admins}/${invited.uid}`, admin)), [403, 4034])
  assert.deepEqual(refused(await app.del(`${GAMES}/${uid}`, admin)), [403, 4034])
  assert.deepEqual(refused(await app.del(`${GAMES}/${uid}`, stranger)), [404, 4040])
  assert.deepEqual(
    refused(await app.post(admins, { username: 'nobody-at-all' }, owner)),
    [404, 4040],
  )
  assert.deepEqual(
    refused(await app.post(admins, { username: owner.username }, owner)),
    [409, 4090],
  )
  must(await app.del(`${admins}/${admin.uid}`, admin))
  assert.deepEqual(
    refused(await app.get(`${GAMES}/${uid}`, admin)),
    [404, 4040],
    'a former admin can still read the listing',
  )
  must(await app.del(`${admins}/${invited.uid}`, owner))
  assert.deepEqual(must(await app.get(admins, owner)).admins, [])
  must(await app.del(`${GAMES}/${uid}`, owner))
  assert.deepEqual(refused(await app.get(`${PAGES}/${uid}`, owner)), [404, 4040])
})

test('an invite is listed until it is declined, or accepted with developer mode', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await app.a.listing({ name: 'Invited to this' })
  const [player, other] = [await app.a.user(), await app.a.developer()]
  for (const { username } of [player, other])
    must(await app.post(`${GAMES}/${uid}/admins`, { username: username.toUpperCase() }, owner))
  assert.deepEqual(
    must(await app.get('/api/v1/private/invites', player)).invites.map(
      ({ uid: invite, game_uid, name, invited_by }: any) => [invite, game_uid, name, invited_by],
    ),
    [[uid, uid, 'Invited to this', owner.username]],
  )
  assert.deepEqual(
    refused(await app.post(`/api/v1/private/invites/${uid}/accept`, undefined, player)),
    [403, 4105],
  )
  must(
    await app.post(
      '/api/v1/private/account/developer',
      { enabled: true, accept_terms: true },
      player,
    ),
  )
  assert.deepEqual(
    must(await app.post(`/api/v1/private/invites/${uid}/accept`, undefined, player)),
    { game_uid: uid },
  )
  assert.deepEqual(must(await app.get('/api/v1/private/invites', player)).invites, [])
  assert.deepEqual(
    refused(await app.post(`/api/v1/private/invites/${uid}/accept`, undefined, player)),
    [404, 4040],
    'the invite was accepted twice',
  )
  assert.deepEqual(
    refused(await app.post('/api/v1/private/account/developer', { enabled: false }, player)),
    [409, 4107],
    'an admin could turn developer mode off',
  )
  must(await app.post(`/api/v1/private/invites/${uid}/decline`, undefined, other))
  assert.deepEqual(refused(await app.get(`${GAMES}/${uid}`, other)), [404, 4040])
  assert.deepEqual(
    refused(await app.post(`/api/v1/private/invites/${randomUUID()}/decline`, undefined, other)),
    [404, 4040],
  )
})

test('removing an admin revokes their key for the project', async (t) => {
  const app = await sharedApp(t)
  const { uid, people } = await withPeople(app)
  const { key } = await app.a.key('agent', people.admin, ['mcp:read'], { game_uid: uid })
  assert.equal((await app.get(`${GAMES}/${uid}`, { token: key })).status, 200)
  must(await app.del(`${GAMES}/${uid}/admins/${people.admin.uid}`, people.owner))
  assert.deepEqual(refused(await app.get(`${GAMES}/${uid}`, { token: key })), [401, 4010])
})

test('own listings are those that the caller owns or administers, and no others', async (t) => {
  const app = await sharedApp(t)
  const { uid, people } = await withPeople(app)
  await app.a.listing()
  const ownListings = async (who: Person) =>
    must(await app.get(GAMES, who)).items.map(({ uid, role }: any) => [uid, role])
  assert.deepEqual(await ownListings(people.owner), [[uid, 'owner']])
  assert.deepEqual(await ownListings(people.admin), [[uid, 'admin']])
  assert.deepEqual(await ownListings(people.invited), [])
})

test('children are public, newest first, by kind, with adult ones by setting', async (t) => {
  const app = await sharedApp(t)
  const { a, get, put, sql } = app
  const game = await a.listing()
  await setVisibility(app, game.uid, 'public')
  const child = async (asset_type: string, owner: Person | undefined, visibility: string) => {
    const made = await a.listing({ asset_type, owner })
    await setVisibility(app, made.uid, visibility)
    await sql`update listings set parent_uid = ${game.uid} where uid = ${made.uid}`
    return made
  }
  assert.deepEqual(
    [
      must(await get(`${PAGES}/${game.uid}`)).has_mods,
      must(await get(`${PAGES}/${game.uid}`)).has_tools,
    ],
    [false, false],
  )
  const mod = await child('mod', game.owner, 'public')
  const plugin = await child('plugin', undefined, 'public')
  const tool = await child('tool', undefined, 'public')
  const adult = await child('mod', undefined, 'public')
  await sql`update listings set adult = true where uid = ${adult.uid}`
  await child('mod', game.owner, 'draft')
  await child('mod', game.owner, 'invisible')
  const page = must(await get(`${PAGES}/${game.uid}`))
  assert.deepEqual([page.has_mods, page.has_tools], [true, true])
  const kinds = async (query: string, who = {}) =>
    must(await get(`${PAGES}/${game.vanity_name}/children${query}`, who))
  assert.deepEqual(
    (await kinds('')).items.map(({ uid, same_creator }: any) => [uid, same_creator]),
    [
      [tool.uid, false],
      [plugin.uid, false],
      [mod.uid, true],
    ],
  )
  assert.equal((await kinds('')).total, 3)
  assert.deepEqual(
    (await kinds('?kind=mods')).items.map(({ uid }: any) => uid),
    [plugin.uid, mod.uid],
  )
  assert.deepEqual(
    (await kinds('?kind=tools')).items.map(({ uid }: any) => uid),
    [tool.uid],
  )
  assert.deepEqual((await kinds('?kind=')).total, 3)
  assert.deepEqual(refused(await get(`${PAGES}/${game.uid}/children?kind=songs`)), [400, 4000])
  const adult_viewer = await a.user()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, adult_viewer))
  assert.equal((await kinds('', adult_viewer)).total, 4)
})

test('has_mods and has_tools count adult children for viewers who see them', async (t) => {
  const app = await sharedApp(t)
  const { a, get, put, sql } = app
  const game = await a.listing()
  await setVisibility(app, game.uid, 'public')
  const grown_up = game.owner
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, grown_up))
  const player = await a.user()
  const counts = async (url: string, who = {}) => {
    const { has_mods, has_tools } = must(await get(url, who))
    return [has_mods, has_tools]
  }
  const page = `${PAGES}/${game.uid}`
  const children = [
    ['mod', [true, false]],
    ['tool', [true, true]],
  ] as const
  for (const [asset_type, expected] of children) {
    const child = await a.listing({ asset_type })
    await sql`update listings set adult = true, parent_uid = ${game.uid} where uid = ${child.uid}`
    const before = await counts(page, grown_up)
    await setVisibility(app, child.uid, 'invisible')
    assert.deepEqual(await counts(page, grown_up), before, 'a hidden child does not count')
    await setVisibility(app, child.uid, 'public')
    // Each viewer is answered twice, so that both answers may come from the cache.
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(await counts(page), [false, false], 'signed out')
      assert.deepEqual(await counts(page, player), [false, false], 'without the setting')
      assert.deepEqual(await counts(page, grown_up), expected, asset_type)
    }
    assert.deepEqual(await counts(`${GAMES}/${game.uid}`, grown_up), expected)
  }
  await sql`update listings set adult = false where parent_uid = ${game.uid}`
  for (const who of [{}, player, grown_up])
    assert.deepEqual(await counts(page, who), [true, true], 'other children count for everyone')
})

test('adult children count for those who run them, without the setting', async (t) => {
  const app = await sharedApp(t)
  const { a, get, sql } = app
  const game = await a.listing()
  await setVisibility(app, game.uid, 'public')
  const [mod, tool] = [
    await a.listing({ asset_type: 'mod' }),
    await a.listing({ asset_type: 'tool' }),
  ]
  for (const child of [mod, tool]) {
    await sql`update listings set adult = true, parent_uid = ${game.uid} where uid = ${child.uid}`
    await setVisibility(app, child.uid, 'public')
  }
  const admin = await a.user()
  await addAdmin(sql, tool.uid, admin.uid)
  const page = `${PAGES}/${game.uid}`
  const viewers = [
    [{}, [false, false], []],
    [game.owner, [false, false], []],
    [mod.owner, [true, false], [mod.uid]],
    [tool.owner, [false, true], [tool.uid]],
    [admin, [false, true], [tool.uid]],
  ] as const
  for (let times = 0; times < 2; times++)
    for (const [who, expected, children] of viewers) {
      const { has_mods, has_tools } = must(await get(page, who))
      assert.deepEqual([has_mods, has_tools], expected)
      const { items, total } = must(await get(`${page}/children`, who))
      assert.deepEqual(
        [items.map(({ uid }: { uid: string }) => uid), total],
        [children, children.length],
      )
    }
  await sql`update listings set owner_uid = ${game.owner.uid} where uid = ${mod.uid}`
  const own = must(await get(`${GAMES}/${game.uid}`, game.owner))
  assert.deepEqual([own.has_mods, own.has_tools], [true, false])
})

test('store-rules returns the limits in effect', async (t) => {
  const standard = await sharedApp(t)
  assert.deepEqual(must(await standard.get('/api/v1/public/store-rules')), {
    currency: 'USD',
    currencies: currencyCodes,
    sale_percent_max: 95,
    sale_days_max: 60,
    min_price_cents: 99,
    max_price_cents: 50_000,
    free_allowed: true,
    sale_fee: { fixed_cents: 25, percent: 8 },
    editions_max: 8,
    refund_window_hours: 168,
    registration: 'open',
    publishing: 'open',
    review_first_release: false,
    paid_listings: true,
    adult_content: true,
    asset_types: [...assetTypes],
  })
  const own = await startApp(t, {
    MIN_PRICE_CENTS: '500',
    MAX_PRICE_CENTS: '900',
    EDITIONS_MAX: '1',
  })
  const { min_price_cents, max_price_cents, editions_max } = must(
    await own.get('/api/v1/public/store-rules'),
  )
  assert.deepEqual([min_price_cents, max_price_cents, editions_max], [500, 900, 1])
  const { uid, owner } = await own.a.listing()
  assert.deepEqual(
    refused(await own.patch(`${GAMES}/${uid}`, { price_cents: 499 }, owner)),
    [422, 4050],
  )
  must(await own.patch(`${GAMES}/${uid}`, { price_cents: 900 }, owner))
  const edition = { slug: 'one', name: 'One', price_cents: 500 }
  must(await own.post(`${GAMES}/${uid}/editions`, edition, owner))
  assert.equal(
    (await own.post(`${GAMES}/${uid}/editions`, { ...edition, slug: 'two' }, owner)).body.error
      .code,
    4156,
  )
})

test('a page is up to date in every process after each change of anything it shows', async (t) => {
  const app = await sharedApp(t)
  const second = await startApp(t, {
    DATABASE_URL: app.settings.DATABASE_URL,
    SLIPWAY_ROLES: 'api',
  })
  const { a, sql } = app
  const game = await a.listing({ name: 'Shown' })
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod', name: 'Mod' })
  await setVisibility(app, game.uid, 'public')
  const readFirst = async () => must(await app.get(`${PAGES}/${game.uid}`))
  const readSecond = async () => must(await second.get(`${PAGES}/${game.uid}`))
  const steps: [string, () => Promise<unknown>, (page: any) => unknown, unknown][] = [
    [
      'a name',
      () => sql`update listings set name = 'Renamed' where uid = ${game.uid}`,
      (page) => page.name,
      'Renamed',
    ],
    [
      'a link',
      () =>
        sql`
          insert into listing_store_links
          values (${game.uid}, 'store_02', ${`https://${stores[1]!.hosts[0]}/x`})`,
      (page) => page.store_links.length,
      1,
    ],
    [
      'a range',
      () =>
        sql`
          insert into listing_engine_ranges (game_uid, position, engine)
          values (${game.uid}, 0, 'x')`,
      (page) => page.engine_compat.length,
      1,
    ],
    [
      'an edition',
      () =>
        sql`
          insert into editions (uid, game_uid, slug, name, kind, price_cents)
          values (${randomUUID()}, ${game.uid}, 's', 'S', 'standard', 700)`,
      (page) => page.price_cents,
      700,
    ],
    [
      'an image',
      () =>
        sql`
          insert into listing_images (uid, game_uid, slot, sha256, type, width, height, size)
          values (
            ${randomUUID()}, ${game.uid}, 'cover', ${'a'.repeat(64)}, 'image/png', 1, 1, 1
          )`,
      (page) => page.cover.endsWith(`${'a'.repeat(64)}.png`),
      true,
    ],
    [
      'a child that is published',
      () =>
        sql`
          update listings set parent_uid = ${game.uid}, visibility = 'public'
          where uid = ${mod.uid}`,
      (page) => page.has_mods,
      true,
    ],
    [
      'a listing that depends on it',
      () => sql`insert into listing_dependencies values (${mod.uid}, 0, ${game.uid}, 'supports')`,
      (page) => page.relations.used_by[0]?.name,
      'Mod',
    ],
    [
      'the name of a listing that depends on it',
      () => sql`update listings set name = 'Modded' where uid = ${mod.uid}`,
      (page) => page.relations.used_by[0]?.name,
      'Modded',
    ],
    [
      'a dependent that is deleted',
      () => sql`delete from listings where uid = ${mod.uid}`,
      (page) => [page.has_mods, page.relations.used_by.length],
      [false, 0],
    ],
  ]
  for (const [label, change, select, expected] of steps) {
    await readFirst()
    await readSecond()
    await change()
    assert.deepEqual(select(await readFirst()), expected, label)
    assert.deepEqual(select(await readSecond()), expected, `${label}, in another process`)
  }
  await sql`update listings set visibility = 'draft' where uid = ${game.uid}`
  assert.deepEqual(
    [
      (await app.get(`${PAGES}/${game.uid}`)).status,
      (await second.get(`${PAGES}/${game.uid}`)).status,
    ],
    [404, 404],
  )
})

const EDITS = loopCount({ short: 10, full: 30 })

test('concurrent readers never get a page older than one they have already seen', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await app.a.listing()
  await setVisibility(app, uid, 'public')
  let acknowledged = 0
  const writer = (async () => {
    for (let n = 1; n <= EDITS; n++) {
      must(await app.patch(`${GAMES}/${uid}`, { tagline: String(n) }, owner))
      acknowledged = n
    }
  })()
  const reader = async () => {
    while (acknowledged < EDITS) {
      const known = acknowledged
      const page = must(await app.get(`${PAGES}/${uid}`))
      assert.ok(
        Number(page.tagline || 0) >= known,
        `read ${page.tagline} after ${known} was acknowledged`,
      )
    }
  }
  await Promise.all([writer, ...Array.from({ length: 8 }, reader)])
})

test('pages from before the check leave the catalog after 30 days unless they pass', async (t) => {
  const days = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString()
  const app = await startApp(t, { LISTING_CHECK_SINCE: days(31) })
  const [old_page, new_page] = [await app.a.listing(), await app.a.listing()]
  await setVisibility(app, old_page.uid, 'public')
  await setVisibility(app, new_page.uid, 'public')
  await app.sql`update listings set public_since = ${days(40)} where uid = ${old_page.uid}`
  await app.core.jobs.send(app.sql, 'listings.end-grace')
  await eventually(
    'the old page to be hidden',
    async () => must(await app.get(`${PAGES}/${old_page.uid}`)).visibility === 'invisible',
  )
  assert.equal(must(await app.get(`${PAGES}/${new_page.uid}`)).visibility, 'public')
})

test('an adult listing has image addresses only for those who may see them', async (t) => {
  const { a, sql, get, put } = await sharedApp(t)
  const listing = await a.listing()
  const { uid, owner } = listing
  await a.images(listing)
  await sql`update listings set visibility = 'public', published_at = now() where uid = ${uid}`
  const url = `/api/v1/public/games/${uid}`
  const viewer = await a.user()
  const adult_viewer = await a.user()
  const admin = await a.user()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, adult_viewer))
  await sql`
    insert into listing_admins (game_uid, user_uid, accepted_at)
    values (${uid}, ${admin.uid}, now())`
  const imagesFor = async (who: object) => {
    const { cover, thumbnail, gallery, name, adult } = must(await get(url, who))
    assert.ok(name)
    return { adult, images: [Boolean(cover), Boolean(thumbnail), gallery.length] }
  }
  const everyone = [{}, viewer, adult_viewer, owner, admin]
  for (const who of everyone)
    assert.deepEqual(await imagesFor(who), { adult: false, images: [true, true, 4] })
  await sql`update listings set adult = true where uid = ${uid}`
  for (const who of [{}, viewer, {}])
    assert.deepEqual(await imagesFor(who), { adult: true, images: [false, false, 0] })
  for (const who of [adult_viewer, owner, admin])
    assert.deepEqual(await imagesFor(who), { adult: true, images: [true, true, 4] })
  assert.doesNotMatch(JSON.stringify((await get(url)).body), /\/media\//)
})
