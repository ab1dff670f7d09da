import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportLines } from '../../src/catalog/export/export.ts'
import type { Answer } from '../support/app.ts'
import { flood, stage } from './fixtures.ts'

const EXPORT = '/api/v1/public/export'
const refused = ({ status, body }: Answer) => [status, body.error?.code]
const lines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

test('the export has one line of JSON for each indexable listing, with its fields and the cursor to go on from', async (t) => {
  const { get, listing, sql, url } = await stage(t)
  const parent = await listing({ name: 'Parent' })
  const game = await listing({
    ...{
      name: 'Line\u2028break "quoted" \u{1f680}',
      description: 'Two\nlines',
      parent_uid: parent.uid,
      price_cents: 500,
      os: ['web', 'linux'],
    },
    ...{
      band: 'healthy',
      tone: ['dark'],
      content_warnings: ['gore'],
      ai_uses: ['art'],
      license_kind: 'cc0',
      authorship_credit: 'Us',
    },
  })
  await sql`insert into community_tags (game_uid, tag, votes) values (${game.uid}, 'loved', 3)`
  const { headers, body } = await get(EXPORT)
  assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8')
  assert.equal(body.endsWith('\n'), true)
  const [, line] = lines(body)
  const { published_at, updated_at, ...rest } = line
  assert.ok(Date.parse(published_at) && Date.parse(updated_at))
  const image = `${url}/media/images/${'a'.repeat(64)}.png`
  assert.deepEqual(rest, {
    ...{
      uid: game.uid,
      vanity_name: game.vanity_name,
      name: 'Line\u2028break "quoted" \u{1f680}',
      tagline: rest.tagline,
      description: 'Two\nlines',
    },
    ...{
      asset_type: 'game',
      status: 'released',
      session_bucket: '15m',
      net: 'offline',
      players_min: 1,
      players_max: 1,
    },
    ...{
      authorship: null,
      authorship_credit: 'Us',
      price_cents: 500,
      currency: 'USD',
      cover: image,
      thumbnail: image,
    },
    ...{
      developer: { uid: game.owner_uid, username: game.username },
      username: game.username,
      creator_avatar: '',
    },
    ...{
      platforms: ['linux', 'web'],
      health: 'healthy',
      has_browser_build: true,
      has_downloads: true,
    },
    ...{
      genres: ['rpg'],
      tags: ['one', 'two', 'three'],
      community_tags: ['loved'],
      tone: ['dark'],
      inputs: ['gamepad'],
      content_warnings: ['gore'],
    },
    ...{
      engines: ['engine-x'],
      ai_uses: ['art'],
      license_kind: 'cc0',
      demo_url: '',
      anonymous_downloads: false,
    },
    ...{ parent: { uid: parent.uid, vanity_name: parent.vanity_name, name: 'Parent' } },
    ...{ url: `${url}/${game.username}/${game.vanity_name}`, cursor: String(game.asset_id) },
  })
})

test('nothing is exported that machines may not read of, nor named as a parent', async (t) => {
  const { get, listing, set, sql } = await stage(t)
  const game = await listing()
  const mod = await listing({ asset_type: 'mod', parent_uid: game.uid })
  const shown = async () => lines((await get(EXPORT)).body)
  assert.equal((await shown()).length, 2)
  for (const fields of [
    { visibility: 'draft' },
    { visibility: 'owner' },
    { visibility: 'invisible' },
    { adult: true },
    { indexable: false },
  ]) {
    await set(game.uid, fields)
    const left = await shown()
    assert.deepEqual(
      left.map(({ uid }) => uid),
      [mod.uid],
      JSON.stringify(fields),
    )
    // Not to be indexed is still for everyone to see.
    assert.equal(left[0].parent === null, !('indexable' in fields), JSON.stringify(fields))
    await set(game.uid, { visibility: 'public', adult: false, indexable: true })
  }
  await sql`update users set email_verified_at = null where uid = ${game.owner_uid}`
  assert.equal((await shown()).length, 1)
})

test('page by page or from any line on, every listing comes once and in one order', async (t) => {
  const { get, crowd } = await stage(t)
  await crowd(600)
  const whole = lines((await get(EXPORT)).body)
  assert.equal(whole.length, 600)
  for (const limit of [1, 249, 250, 251, 599, 600, 601]) {
    const paged: any[] = []
    for (let cursor = '0', more = limit > 1; ; cursor = paged.at(-1).cursor) {
      const page = lines((await get(`${EXPORT}?limit=${limit}&cursor=${cursor}`)).body)
      paged.push(...page)
      if (!more || page.length < limit) break
    }
    assert.deepEqual(paged, whole.slice(0, paged.length), `pages of ${limit}`)
    assert.equal(paged.length, limit === 1 ? 1 : 600)
  }
  assert.deepEqual(
    lines((await get(`${EXPORT}?cursor=${whole[399].cursor}`)).body),
    whole.slice(400),
  )
  assert.equal((await get(`${EXPORT}?cursor=999999999999999`)).body, '')
})

test('bad cursors and limits are 400 and name the field', async (t) => {
  const { get } = await stage(t)
  for (const query of [
    'cursor=x',
    'cursor=-1',
    'cursor=',
    `cursor=${'9'.repeat(16)}`,
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=1000000001',
  ]) {
    const answer = await get(`${EXPORT}?${query}`)
    assert.deepEqual(refused(answer), [400, 4000], query)
    assert.match(answer.body.error.message, new RegExp(query.split('=')[0]!))
  }
})

test('while listings are edited, hidden and published, those that stay come once, and nothing hidden before it is reached comes at all', async (t) => {
  const { core, crowd, sql } = await stage(t)
  const uids = await crowd(1000)
  const ordered = (await sql<{ uid: string }[]>`select uid from listings order by asset_id`).map(
    ({ uid }) => uid,
  )
  assert.equal(uids.length, 1000)
  const seen: string[] = []
  const gone = new Set<string>()
  const pieces = exportLines(core, 0, Number.POSITIVE_INFINITY)
  for await (const piece of pieces) {
    seen.push(...lines(piece).map(({ uid }) => uid))
    // Between two batches: everything is edited, some ahead are hidden, and some behind made new again.
    await sql`update listings set name = name || '!', updated_at = now(), published_at = now()`
    const ahead = ordered.slice(ordered.indexOf(seen.at(-1)!) + 1).filter((_, n) => n % 7 === 0)
    for (const uid of ahead) gone.add(uid)
    await sql`update listings set visibility = 'draft' where uid = any(${ahead}::uuid[])`
    await sql`update listings set visibility = 'public' where uid = any(${seen}::uuid[])`
  }
  assert.equal(new Set(seen).size, seen.length)
  const stayed = ordered.filter((uid) => !gone.has(uid))
  assert.ok(
    seen.length === stayed.length && seen.every((uid, n) => uid === stayed[n]),
    'in the order they were made',
  )
  assert.ok(gone.size > 100)
})

test('an export that breaks off says so, and a database that is away at the start is 503', async (t) => {
  const { core, crowd, url, get } = await stage(t)
  await crowd(600)
  const slow = core.slow
  let calls = 0
  const failing = (from: number) =>
    new Proxy(slow, {
      apply(target, self, args) {
        if (String(args[0]).includes('anonymous_downloads') && ++calls >= from)
          throw Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
        return Reflect.apply(target as any, self, args)
      },
    })
  core.slow = failing(2)
  await assert.rejects(fetch(`${url}${EXPORT}`).then((answer) => answer.text()))
  calls = 0
  core.slow = failing(1)
  assert.deepEqual(refused(await get(EXPORT)), [503, 5031])
  core.slow = slow
  assert.equal(lines((await get(EXPORT)).body).length, 600)
})

test('an address has 60 exports a minute', async (t) => {
  const { get } = await stage(t)
  assert.deepEqual(await flood(get, 61, () => `${EXPORT}?limit=1`), { 200: 60, 429: 1 })
})
