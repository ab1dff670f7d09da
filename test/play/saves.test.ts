import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { DAY_MS, MIB } from '../../src/core/runtime/units.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { sweepSaves } from '../../src/play/saves/jobs.ts'
import { libraryFixtures } from '../library/fixtures.ts'
import { runJob, startApp } from '../support/app.ts'
import {
  must,
  PASSWORD,
  type Person,
  refused,
  storedKeys,
  suspendPerson,
} from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

const etagOf = (bytes: Uint8Array | string) =>
  `"${createHash('sha256').update(bytes).digest('hex')}"`

/** A public game with a player, and requests of them with the token of the game. */
async function startSaves(t: TestContext, env?: Record<string, string>) {
  const app = libraryFixtures(await (env ? startApp(t, env) : sharedApp(t)))
  const game = await app.game()
  const tokenOf = async (person: Person, uid = game.uid): Promise<string> =>
    must(await app.post(`/api/v1/private/games/${uid}/player-token`, undefined, person)).token
  const person = await app.player()
  const token = await tokenOf(person)
  const path = (slot?: string) =>
    `/api/v1/public/games/${game.uid}/saves${slot === undefined ? '' : `/${slot}`}`
  const write = (
    slot: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    by = token,
  ) => app.call('PUT', path(slot), { raw: body, token: by, headers })
  const read = (slot: string, headers: Record<string, string> = {}, by = token) =>
    app.get(path(slot), { token: by, headers })
  const list = async (by = token) => must(await app.get(path(), { token: by })).items
  const keys = () => storedKeys(app.core, `saves/${game.uid}/`)
  return { ...app, newGame: app.game, game, person, token, tokenOf, path, write, read, list, keys }
}

test('a save is written, read back, listed and deleted', async (t) => {
  const app = await startSaves(t)
  assert.deepEqual(await app.list(), [])
  const written = await app.write('slot-1', 'level 3')
  const { saved_at, ...save } = must(written)
  assert.deepEqual(save, { slot: 'slot-1', version: 1, etag: etagOf('level 3'), size: 7 })
  assert.ok(Math.abs(Date.parse(saved_at) - Date.now()) < DAY_MS)
  assert.equal(written.headers.etag, etagOf('level 3'))
  const answer = await app.read('slot-1')
  assert.equal(answer.status, 200)
  assert.equal(answer.body, 'level 3')
  assert.equal(answer.headers.etag, etagOf('level 3'))
  assert.equal(answer.headers['content-type'], 'application/octet-stream')
  assert.match(answer.headers['content-disposition']!, /^attachment/)
  assert.match(answer.headers['content-security-policy']!, /sandbox/)
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.deepEqual(await app.list(), [{ ...save, saved_at, versions: 1 }])
  const again = await app.read('slot-1', { 'if-none-match': etagOf('level 3') })
  assert.deepEqual([again.status, again.body], [304, ''])
  const part = await app.read('slot-1', { range: 'bytes=6-' })
  assert.deepEqual([part.status, part.body], [206, '3'])
  must(await app.del(app.path('slot-1'), { token: app.token }))
  assert.deepEqual(refused(await app.read('slot-1')), [404, 4040])
  assert.deepEqual(await app.keys(), [])
})

test('a browser may call the routes of saves from the origin of a game', async (t) => {
  const app = await startSaves(t)
  const answer = await app.call('OPTIONS', app.path('a'))
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.match(answer.headers['access-control-allow-methods']!, /GET.*PUT.*DELETE/)
  for (const header of ['Authorization', 'If-Match', 'If-None-Match', 'Content-Type'])
    assert.match(answer.headers['access-control-allow-headers']!, new RegExp(header))
})

test('the last five versions of a slot are kept and can be read', async (t) => {
  const app = await startSaves(t)
  for (let n = 1; n <= 5; n++) must(await app.write('a', `save ${n}`))
  assert.equal((await app.keys()).length, 5)
  must(await app.write('a', 'save 6'))
  must(await app.write('a', 'save 7'))
  const { items } = must(await app.get(`${app.path('a')}/versions`, { token: app.token }))
  assert.deepEqual(
    items.map(({ version, etag }: { version: number; etag: string }) => [version, etag]),
    [7, 6, 5, 4, 3].map((n) => [n, etagOf(`save ${n}`)]),
  )
  const version = (n: number | string) =>
    app.get(`${app.path('a')}/versions/${n}`, { token: app.token })
  assert.equal((await version(3)).body, 'save 3')
  assert.deepEqual(refused(await version(2)), [404, 4040])
  assert.deepEqual(refused(await version(8)), [404, 4040])
  assert.deepEqual(refused(await version(0)), [400, 4000])
  assert.deepEqual(refused(await version('x')), [400, 4000])
  assert.equal((await app.keys()).length, 5)
  assert.equal((await app.list())[0].versions, 5)
})

test('the same bytes again are no new version, whatever the client expects', async (t) => {
  const app = await startSaves(t)
  must(await app.write('a', 'x'))
  const again = must(await app.write('a', 'x', { 'if-match': '"of an answer that got lost"' }))
  assert.equal(again.version, 1)
  assert.equal((await app.keys()).length, 1)
})

test('preconditions protect a save that another device has changed', async (t) => {
  const app = await startSaves(t)
  const changed = [412, 4219]
  assert.deepEqual(refused(await app.write('a', '1', { 'if-match': '*' })), changed)
  must(await app.write('a', '1', { 'if-none-match': '*' }))
  const conflict = await app.write('a', '2', { 'if-none-match': '*' })
  assert.deepEqual(refused(conflict), changed)
  assert.deepEqual(conflict.body.error.data ?? conflict.body.data, { etag: etagOf('1') })
  for (const wrong of [etagOf('0'), `W/${etagOf('1')}`, 'none', ''])
    assert.deepEqual(refused(await app.write('a', '2', { 'if-match': wrong })), changed, wrong)
  must(await app.write('a', '2', { 'if-match': `${etagOf('0')}, ${etagOf('1')}` }))
  must(await app.write('a', '3', { 'if-match': '*' }))
  const remove = (headers: Record<string, string>) =>
    app.del(app.path('a'), { token: app.token, headers })
  assert.deepEqual(refused(await remove({ 'if-match': etagOf('2') })), changed)
  must(await remove({ 'if-match': etagOf('3') }))
  assert.deepEqual(refused(await remove({})), [404, 4040])
  assert.deepEqual(await app.keys(), [])
})

test('of writes with the same If-Match at the same time, one wins', async (t) => {
  const app = await startSaves(t)
  for (let round = 0; round < 5; round++) {
    const before = must(await app.write('a', `before ${round}`)).etag
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => app.write('a', `${round} by ${n}`, { 'if-match': before })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 412, 412, 412])
    const winner = answers.findIndex(({ status }) => status === 200) + 1
    assert.equal((await app.read('a')).body, `${round} by ${winner}`)
  }
  const { items } = must(await app.get(`${app.path('a')}/versions`, { token: app.token }))
  assert.deepEqual((await app.keys()).length, items.length, 'what was refused left no bytes behind')
})

test('a player has ten slots in a game, also when they are written at once', async (t) => {
  const app = await startSaves(t)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => app.write(`slot-${n}`, `${n}`)),
  )
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 409, 409])
  assert.equal((await app.list()).length, 10)
  assert.equal((await app.keys()).length, 10)
  const [first] = await app.list()
  assert.deepEqual(refused(await app.write('another', 'x')), [409, 4220])
  must(await app.write(first.slot, 'a new version is no new slot'))
  must(await app.del(app.path(first.slot), { token: app.token }))
  must(await app.write('another', 'x'))
})

test('a save has at least one byte and at most 5 MiB', async (t) => {
  const app = await startSaves(t)
  const largest = new Uint8Array(randomBytes(5 * MIB))
  assert.equal(must(await app.write('a', largest)).size, 5 * MIB)
  const answer = await fetch(new URL(app.path('a'), app.url), {
    headers: { authorization: `Bearer ${app.token}` },
  })
  assert.ok(Buffer.from(largest).equals(Buffer.from(await answer.arrayBuffer())))
  const over = new Uint8Array(5 * MIB + 1)
  assert.deepEqual(refused(await app.write('b', over)), [413, 4130])
  // Without a Content-Length the bytes are counted as they arrive.
  const streamed = await fetch(new URL(app.path('b'), app.url), {
    method: 'PUT',
    headers: { authorization: `Bearer ${app.token}` },
    body: new Blob([over]).stream(),
    duplex: 'half',
  } as RequestInit)
  assert.equal(streamed.status, 413)
  assert.deepEqual(refused(await app.write('b', '')), [400, 4000])
  assert.equal((await app.keys()).length, 1)
})

test('the name of a slot is short and plain', async (t) => {
  const app = await startSaves(t)
  for (const slot of ['a', '0', 'auto_save-2', 'a'.repeat(32)]) must(await app.write(slot, 'x'))
  for (const slot of ['A', '-a', '_', 'a'.repeat(33), 'a%20b', 'a.b', '%C3%A4', 'a%2fb'])
    assert.deepEqual(refused(await app.write(slot, 'x')), [400, 4000], slot)
})

test('saves belong to one player and one game', async (t) => {
  const app = await startSaves(t)
  must(await app.write('a', 'mine'))
  const stranger = await app.tokenOf(await app.player())
  assert.deepEqual(await app.list(stranger), [])
  assert.deepEqual(refused(await app.read('a', {}, stranger)), [404, 4040])
  const other = await app.newGame()
  const elsewhere = await app.tokenOf(app.person, other.uid)
  assert.deepEqual(refused(await app.read('a', {}, elsewhere)), [401, 4010])
  assert.deepEqual(refused(await app.get(app.path('a'))), [401, 4010])
  assert.deepEqual(refused(await app.get(app.path('a'), app.person)), [403, 4033])
  const { key } = await app.a.key('player', app.person, ['player:write'])
  assert.deepEqual(refused(await app.get(app.path('a'), { token: key })), [403, 4033])
})

test('a suspended player and a deleted game have no saves', async (t) => {
  const app = await startSaves(t)
  must(await app.write('a', 'x'))
  const deleteAt = (time: Date | null) =>
    app.sql`update all_listings set deleted_at = ${time} where uid = ${app.game.uid}`
  await deleteAt(new Date())
  for (const answer of [await app.read('a'), await app.write('a', 'y')])
    assert.deepEqual(refused(answer), [404, 4040])
  await deleteAt(null)
  assert.equal((await app.read('a')).body, 'x')
  await suspendPerson(app.sql, app.person.uid)
  clearIdentityCache()
  assert.deepEqual(refused(await app.read('a')), [401, 4010])
  assert.deepEqual(refused(await app.write('a', 'y')), [401, 4010])
})

/** Players have a tenth of the quota of 1 MiB: about 105 kB. */
const smallQuota = { LISTING_QUOTA_MIB: '1' }
const someBytes = (size: number) => new Uint8Array(randomBytes(size))

test('saves count as files of players, and end at the quota', async (t) => {
  const app = await startSaves(t, smallQuota)
  const stored = async () =>
    must(await app.get(`/api/v1/private/games/${app.game.uid}/storage`, app.game.owner))
  must(await app.write('a', someBytes(40_000)))
  const { kinds, players } = await stored()
  assert.deepEqual([kinds.saves, players.used_bytes], [40_000, 40_000])
  must(await app.write('a', someBytes(40_000)))
  assert.deepEqual(refused(await app.write('b', someBytes(40_000))), [413, 4285])
  const together = await Promise.all(
    ['c', 'd', 'e'].map((slot) => app.write(slot, someBytes(9000))),
  )
  const statuses = together.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, 200, 413])
  assert.equal((await stored()).kinds.saves, 98_000)
  assert.equal((await app.keys()).length, 4)
  must(await app.del(app.path('a'), { token: app.token }))
  assert.equal((await stored()).kinds.saves, 18_000)
  must(await app.write('b', someBytes(40_000)))
})

test('a version that pushes out an older one of its size fits a full quota', async (t) => {
  const app = await startSaves(t, smallQuota)
  for (let n = 0; n < 5; n++) must(await app.write('a', someBytes(20_000)))
  assert.deepEqual(refused(await app.write('b', someBytes(20_000))), [413, 4285])
  must(await app.write('a', someBytes(20_000)))
  assert.equal((await app.keys()).length, 5)
})

test('writes of a player are limited by the minute', async (t) => {
  const app = await startSaves(t)
  for (let n = 0; n < 60; n++) must(await app.write('a', 'x'))
  const answer = await app.write('a', 'x')
  assert.deepEqual(refused(answer), [429, 4290])
  assert.ok(Number(answer.headers['retry-after']) > 0)
  assert.equal((await app.read('a')).status, 200)
})

test('the sweep removes old bytes without a record, and nothing else', async (t) => {
  const app = await startSaves(t)
  must(await app.write('a', 'kept'))
  const [kept] = await app.keys()
  const orphan = `saves/${app.game.uid}/${uuidv7(Date.now() - 3 * DAY_MS)}`
  const young = `saves/${app.game.uid}/${uuidv7()}`
  for (const key of [orphan, young]) await app.core.storage.put(key, Buffer.from('x'))
  await runJob(app, sweepSaves)
  assert.deepEqual(await app.keys(), [kept!, young].sort())
})

test('people see, download and delete their saves, and withdraw what games know', async (t) => {
  const app = await startSaves(t)
  const account = '/api/v1/private/account'
  const games = async () => must(await app.get(`${account}/played-games`, app.person)).items
  assert.deepEqual(await games(), [])
  must(await app.write('a', 'one'))
  must(await app.write('a', 'two'))
  const sharing = `/api/v1/private/games/${app.game.uid}/play-sharing`
  must(await app.put(sharing, { shared: true }, app.person))
  const [item] = await games()
  assert.equal(item.game_uid, app.game.uid)
  assert.ok(Math.abs(Date.parse(item.shared_at) - Date.now()) < DAY_MS)
  const [save] = item.saves
  assert.deepEqual([save.slot, save.size, save.versions], ['a', 3, 2])
  const file = await app.get(`${account}/saves/${save.uid}`, app.person)
  assert.deepEqual([file.status, file.body], [200, 'two'])
  const stranger = await app.player()
  assert.deepEqual(refused(await app.get(`${account}/saves/${save.uid}`, stranger)), [404, 4040])
  assert.deepEqual(refused(await app.get(`${account}/saves/x`, app.person)), [404, 4040])
  const own = `/api/v1/private/games/${app.game.vanity_name}/saves`
  assert.deepEqual(refused(await app.del(own, stranger)), [404, 4040])
  assert.deepEqual(must(await app.del(own, app.person)), { deleted: 2 })
  assert.deepEqual(await app.keys(), [])
  must(await app.put(sharing, { shared: false }, app.person))
  assert.deepEqual(await games(), [])
})

test('the export of an account lists its saves, and its deletion removes them', async (t) => {
  const app = await startSaves(t)
  const someone = await app.a.verified()
  const token = await app.tokenOf(someone)
  must(await app.write('a', 'x', {}, token))
  const { tables } = must(
    await app.post('/api/v1/private/account/export', { password: PASSWORD }, someone),
  )
  assert.equal(tables.saves[0].slot, 'a')
  const { username } = someone
  must(await app.post('/api/v1/private/account/delete', { username, password: PASSWORD }, someone))
  assert.equal((await app.sql`select from saves where game_uid = ${app.game.uid}`).length, 0)
  assert.deepEqual(refused(await app.write('a', 'y', {}, token)), [404, 4040])
  const [key] = await app.keys()
  const old_key = `saves/${app.game.uid}/${uuidv7(Date.now() - 3 * DAY_MS)}`
  await app.core.storage.move(key!, old_key)
  await runJob(app, sweepSaves)
  assert.deepEqual(await app.keys(), [])
})
