import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, type TestContext, test } from 'node:test'
import { browserHeaders, sendForm } from '../moderation/fixtures.ts'
import { eventually } from '../support/app.ts'
import { addCopy, must, newAddress, refused } from '../support/builders.ts'
import { upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'
import { GAMES, REASON, startWithdrawals, type WithdrawalApp } from './withdrawal-fixtures.ts'

const PUBLIC = '/api/v1/public/games'
const TOOL = '/api/v1/tool/builds'

describe('withdrawn builds', () => {
  let app: WithdrawalApp
  before(async (t) => {
    app = await startWithdrawals(t as TestContext)
  })

  test('a withdrawal returns channels to the build before, and its end undoes that', async () => {
    const { a, withdraw, restore, heads, files, readBuild } = app
    const listing = await app.publicListing()
    await a.cleanBuild(listing, { version: '1.0' })
    const second = await a.cleanBuild(listing, { version: '1.1' })
    assert.deepEqual(await files(listing), ['1.1'])
    const answer = must(await withdraw(listing, second.build_id))
    assert.deepEqual(answer, {
      build_id: second.build_id,
      version: '1.1',
      withdrawn: { at: answer.withdrawn.at, reason: REASON, replacement: null },
    })
    assert.deepEqual(await heads(listing), ['stable linux 1.0'])
    assert.deepEqual(await files(listing), ['1.0'])
    const build = await readBuild(listing, second.build_id)
    assert.deepEqual(build.withdrawn, answer.withdrawn)
    assert.equal(build.files[0].scan, 'withdrawn')
    const { channels } = must(await app.get(`${GAMES}/${listing.uid}/channels`, listing.owner))
    const [last] = channels[0].history
    assert.deepEqual(
      [last.event, last.version, last.from_build_id, last.by],
      ['withdraw', '1.0', second.build_id, listing.owner.username],
    )
    assert.deepEqual(must(await restore(listing, second.build_id)).withdrawn, null)
    assert.deepEqual(await heads(listing), ['stable linux 1.1'])
    assert.deepEqual(await files(listing), ['1.1'])
    assert.equal((await readBuild(listing, second.build_id)).files[0].scan, 'clean')
    must(await restore(listing, second.build_id))
  })

  test('without a build before it, players see none until it is restored', async () => {
    const { a, withdraw, restore, heads, files } = app
    const listing = await app.publicListing()
    const { build_id, ci } = await a.cleanBuild(listing, { version: '1.0' })
    must(await withdraw(listing, build_id))
    assert.deepEqual([await heads(listing), await files(listing)], [[], []])
    const { lint } = must(await app.get('/api/v1/tool/info', ci))
    assert.ok(!lint.errors.some(({ field }: any) => field === 'builds' || field === 'build'))
    must(await restore(listing, build_id))
    assert.deepEqual([await heads(listing), await files(listing)], [['stable linux 1.0'], ['1.0']])
  })

  test('builds return in any order in which their withdrawals end', async () => {
    const { a, withdraw, restore, heads } = app
    const listing = await app.publicListing()
    const ids: string[] = []
    for (const version of ['1', '2', '3'])
      ids.push((await a.cleanBuild(listing, { version })).build_id)
    const head = async () => (await heads(listing)).join()
    for (const id of ids.toReversed()) must(await withdraw(listing, id))
    assert.equal(await head(), '')
    must(await restore(listing, ids[0]!))
    assert.equal(await head(), 'stable linux 1')
    must(await restore(listing, ids[2]!))
    assert.equal(await head(), 'stable linux 3')
    must(await restore(listing, ids[1]!))
    assert.equal(await head(), 'stable linux 3')
    must(await app.post(`${GAMES}/${listing.uid}/channels/stable/rollback`, {}, listing.owner))
    assert.equal(await head(), 'stable linux 2')
  })

  test('a channel that moved since the withdrawal stays', async () => {
    const { a, withdraw, restore, heads } = app
    const listing = await app.publicListing()
    const first = await a.cleanBuild(listing, { version: '1.0' })
    const second = await a.cleanBuild(listing, { version: '1.1' })
    must(await withdraw(listing, second.build_id))
    await a.cleanBuild(listing, { version: '1.0.5' })
    must(await restore(listing, second.build_id))
    assert.deepEqual(await heads(listing), ['stable linux 1.0.5'])
    const rolled = must(
      await app.post(`${GAMES}/${listing.uid}/channels/stable/rollback`, {}, listing.owner),
    )
    assert.equal(rolled.build_id, first.build_id)
  })

  test('a withdrawn build cannot be promoted, and a rollback leaves it out', async () => {
    const { a, withdraw, put, post } = app
    const listing = await app.publicListing()
    const first = await a.cleanBuild(listing, { version: '1' })
    const second = await a.cleanBuild(listing, { version: '2' })
    await a.cleanBuild(listing, { version: '3' })
    must(await withdraw(listing, second.build_id, { reason: REASON, replacement: null }))
    const channel = `${GAMES}/${listing.uid}/channels/beta`
    const promoted = await put(channel, { build_id: second.build_id }, listing.owner)
    assert.deepEqual(refused(promoted), [410, 4286])
    assert.deepEqual(promoted.body.data, { reason: REASON, replacement: null })
    const rolled = must(
      await post(`${GAMES}/${listing.uid}/channels/stable/rollback`, {}, listing.owner),
    )
    assert.equal(rolled.build_id, first.build_id)
  })

  test('the reason has 1 to 500 characters, and the replacement is another usable build', async () => {
    const { a, withdraw, restore } = app
    const listing = await app.publicListing()
    const old = await a.cleanBuild(listing, { version: '1' })
    const fix = await a.cleanBuild(listing, { version: '2' })
    const server = await a.cleanBuild(listing, { version: '2', app: 'server' })
    const other = await a.cleanBuild(await app.publicListing(), { version: '2' })
    for (const body of [{}, { reason: '' }, { reason: '  \n' }, { reason: 'x'.repeat(501) }]) {
      const answer = await withdraw(listing, old.build_id, body)
      assert.deepEqual(refused(answer), [400, 4000], JSON.stringify(body))
    }
    for (const replacement of [
      old.build_id,
      server.build_id,
      other.build_id,
      randomUUID(),
      'newest',
    ]) {
      const answer = await withdraw(listing, old.build_id, { reason: REASON, replacement })
      assert.deepEqual(refused(answer), [400, 4000], replacement)
      assert.equal(answer.body.data.field, 'replacement')
    }
    assert.equal((await app.readBuild(listing, old.build_id)).withdrawn, null)
    const longest = { reason: 'x'.repeat(500), replacement: fix.build_id }
    const { withdrawn } = must(await withdraw(listing, old.build_id, longest))
    assert.deepEqual(withdrawn.replacement, { build_id: fix.build_id, version: '2' })
    const changed = must(await withdraw(listing, old.build_id, { reason: ' x ' })).withdrawn
    assert.deepEqual(changed, { at: withdrawn.at, reason: 'x', replacement: null })
    must(await withdraw(listing, fix.build_id, { reason: 'Wrong file' }))
    const answer = await withdraw(listing, old.build_id, longest)
    assert.deepEqual(refused(answer), [400, 4000], 'a withdrawn replacement')
    must(await restore(listing, fix.build_id))
    must(await withdraw(listing, old.build_id, longest))
    must(await withdraw(listing, fix.build_id, { reason: 'Wrong file' }))
    const stored = (await app.readBuild(listing, old.build_id)).withdrawn
    assert.equal(stored.replacement, null, 'its replacement was withdrawn later')
  })

  test('only those who run the project withdraw, agents with approval', async () => {
    const { a, put, del, withdraw } = app
    const listing = await app.publicListing()
    const { build_id } = await a.cleanBuild(listing)
    const path = `${app.address(listing, build_id)}/withdrawal`
    const stranger = await a.verifiedDeveloper()
    assert.deepEqual(refused(await put(path, { reason: REASON }, stranger)), [404, 4040])
    assert.deepEqual(refused(await del(path, stranger)), [404, 4040])
    assert.deepEqual(refused(await withdraw(listing, randomUUID())), [404, 4006])
    assert.deepEqual(refused(await withdraw(listing, 'none')), [404, 4006])
    const { key: token } = await a.key('agent', listing.owner, ['mcp:build.write'])
    const pending = await put(path, { reason: REASON }, { token })
    assert.deepEqual(refused(pending), [202, 4214])
    assert.match(pending.body.data.approval.summary, /^Withdraw version .*It deletes/)
    must(await withdraw(listing, build_id))
    assert.deepEqual(refused(await del(path, { token })), [202, 4214])
  })

  test('a build machine withdraws and restores builds of its game', async () => {
    const { a, put, del, get } = app
    const listing = await app.publicListing()
    const { build_id, ci } = await a.cleanBuild(listing, { version: '1' })
    const other = await a.cleanBuild(await app.publicListing())
    const path = (id: string) => `${TOOL}/${id}/withdrawal`
    for (const id of [other.build_id, randomUUID(), 'none'])
      assert.deepEqual(refused(await put(path(id), { reason: REASON }, ci)), [404, 4039], id)
    assert.equal(must(await put(path(build_id), { reason: REASON }, ci)).withdrawn.reason, REASON)
    const build = must(await get(`${TOOL}/${build_id}`, ci))
    assert.deepEqual([build.withdrawn.reason, build.files[0].scan], [REASON, 'withdrawn'])
    assert.equal(must(await get(TOOL, ci)).builds[0].withdrawn.reason, REASON)
    assert.equal(must(await del(path(build_id), ci)).withdrawn, null)
    assert.deepEqual(await app.heads(listing), ['stable linux 1'])
  })

  test('downloads are refused with the reason, also by links given out before', async () => {
    const { a, sql, withdraw, restore, download, get } = app
    const listing = await app.publicListing()
    const fix = await a.cleanBuild(listing, { version: '2', os: 'windows' })
    const { build_id, file_uid } = await a.cleanBuild(listing, { version: '1' })
    const player = await a.verified()
    const link = must(await get(`/api/v1/private/downloads/${file_uid}`, player)).url
    must(await withdraw(listing, build_id, { reason: REASON, replacement: fix.build_id }))
    const details = { reason: REASON, replacement: { build_id: fix.build_id, version: '2' } }
    for (const answer of [
      await get(`/api/v1/private/downloads/${file_uid}`, player),
      await get(`/api/v1/private/downloads/${file_uid}`, listing.owner),
      await download(file_uid),
      await get(link),
    ]) {
      assert.deepEqual(refused(answer), [410, 4286])
      assert.deepEqual(answer.body.data, details)
    }
    const attempts = await sql`
      select outcome, access from download_attempts where file_uid = ${file_uid} order by seq`
    assert.deepEqual(
      attempts.map(({ outcome, access }) => [outcome, access]),
      [
        ['ok', 'free'],
        ['withdrawn', 'free'],
        ['withdrawn', 'owner'],
        ['withdrawn', 'anonymous'],
      ],
    )
    must(await restore(listing, build_id))
    assert.equal((await get(link)).status, 200)
  })

  test('a file that nobody could see before is missing when its build is withdrawn', async () => {
    const { a, withdraw, download, get } = app
    const listing = await app.publicListing()
    const { build_id, file_uid } = await a.cleanBuild(listing, { channel: 'beta' })
    must(await withdraw(listing, build_id))
    assert.deepEqual(refused(await download(file_uid)), [404, 4040])
    const seen = async (options: object) =>
      must(await get(`${PUBLIC}/${listing.uid}/withdrawals`, options)).withdrawals
    assert.deepEqual(await seen({ headers: newAddress() }), [])
    assert.deepEqual(
      (await seen(listing.owner)).map((row: any) => [row.build_id, row.channels, row.reason]),
      [[build_id, ['beta'], REASON]],
    )
    const draft = await a.listing()
    const missing = await get(`${PUBLIC}/${randomUUID()}/withdrawals`)
    assert.deepEqual(await get(`${PUBLIC}/${draft.uid}/withdrawals`), missing)
  })

  test('launchers read what is withdrawn on the channels that they see', async () => {
    const { a, withdraw, restore, get, put } = app
    const listing = await app.publicListing()
    const { build_id } = await a.cleanBuild(listing, { version: '1', channel: 'dev' })
    const channel = `${GAMES}/${listing.uid}/channels/stable`
    must(await put(channel, { build_id }, listing.owner))
    must(await withdraw(listing, build_id))
    const read = async () => must(await get(`${PUBLIC}/${listing.uid}/withdrawals`)).withdrawals
    const [row] = await read()
    const { at, ...rest } = row
    assert.deepEqual(rest, {
      build_id,
      app: '',
      version: '1',
      os: 'linux',
      arch: 'x86_64',
      channels: ['stable'],
      reason: REASON,
      replacement: null,
    })
    must(await restore(listing, build_id))
    assert.deepEqual(await read(), [])
  })

  test('a file whose scan ends while its build is withdrawn waits for the restoration', async () => {
    const { a, withdraw, restore, heads, post, call } = app
    const listing = await app.publicListing()
    const ci = await a.deployer(listing)
    const platform = { version: '1', os: 'linux', arch: 'x86_64' }
    const { build_id } = must(await post('/api/v1/tool/upload/build', platform, ci))
    must(await withdraw(listing, build_id))
    const bytes = zip([{ name: 'game', body: 'play' }])
    must(await call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci)))
    const scan = async () => (await app.readBuild(listing, build_id)).files[0].scan
    await eventually('the end of the scan', async () => (await scan()) === 'withdrawn')
    assert.deepEqual(await heads(listing), [])
    const again = must(
      await call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci)),
    )
    assert.equal(again.status, 'withdrawn', 'the same content is not stored twice')
    must(await restore(listing, build_id))
    assert.equal(await scan(), 'clean')
    assert.deepEqual(await heads(listing), ['stable linux 1'])
  })

  test('quarantine and withdrawal end independently of each other', async () => {
    const { a, withdraw, restore, decide, readBuild, files } = app
    const listing = await app.publicListing()
    const { build_id } = await a.cleanBuild(listing, { version: '1' })
    const scan = async () => (await readBuild(listing, build_id)).files[0].scan
    must(await withdraw(listing, build_id))
    await decide('build', build_id, 'quarantine')
    assert.equal(await scan(), 'quarantined')
    await decide('build', build_id, 'restore')
    assert.equal(await scan(), 'withdrawn')
    await decide('build', build_id, 'quarantine')
    must(await restore(listing, build_id))
    assert.equal(await scan(), 'quarantined')
    await decide('build', build_id, 'restore')
    assert.equal(await scan(), 'clean')
    await decide('build', build_id, 'quarantine')
    must(await withdraw(listing, build_id))
    assert.equal(await scan(), 'quarantined')
    await decide('build', build_id, 'restore')
    assert.equal(await scan(), 'withdrawn')
    assert.deepEqual(await files(listing), [])
    must(await restore(listing, build_id))
    assert.deepEqual(await files(listing), ['1'])
  })

  test('who downloaded a withdrawn build is told in the library and on its page', async () => {
    const { a, sql, withdraw, get } = app
    const listing = await app.publicListing()
    const old = await a.cleanBuild(listing, { version: '1.0' })
    const player = await a.verified()
    const other = await a.verified()
    await addCopy(sql, listing.uid, other.uid, 'grant')
    must(await get(`/api/v1/private/downloads/${old.file_uid}`, player))
    const fix = await a.cleanBuild(listing, { version: '1.1' })
    must(await withdraw(listing, old.build_id, { reason: REASON, replacement: fix.build_id }))
    const downloads = async (who: { token: string }) =>
      must(await get('/api/v1/private/library', who)).items[0].withdrawn_downloads
    const [{ at, ...row }] = await downloads(player)
    assert.deepEqual(row, {
      build_id: old.build_id,
      app: '',
      version: '1.0',
      os: 'linux',
      arch: 'x86_64',
      reason: REASON,
      replacement: { build_id: fix.build_id, version: '1.1' },
    })
    assert.deepEqual(await downloads(other), [])
    const page = `/${listing.owner.username}/${listing.vanity_name}`
    const open = async (path: string, who: { token: string }) =>
      (await get(path, { headers: browserHeaders(app, who) })).body
    for (const path of ['/library', page]) {
      const text = await open(path, player)
      for (const part of [REASON, '<strong>1.0</strong>', '<strong>1.1</strong>'])
        assert.ok(text.includes(part), `${path}: ${part}`)
      assert.ok(!(await open(path, other)).includes(REASON), path)
    }
    must(await get(`/api/v1/private/downloads/${fix.file_uid}`, player))
    assert.deepEqual(await downloads(player), [], 'the replacement was downloaded')
    assert.ok(!(await open(page, player)).includes(REASON))
  })

  test('the dashboard withdraws and restores a build', async () => {
    const { a, get } = app
    const listing = await app.publicListing()
    const { owner } = listing
    const fix = await a.cleanBuild(listing, { version: '2' })
    const { build_id } = await a.cleanBuild(listing, { version: '1' })
    const page = `/dashboard/${listing.vanity_name}/builds/${build_id}`
    const send = (path: string, fields: Record<string, string>) =>
      sendForm(app, `${page}/${path}`, { fields, who: owner })
    const empty = await send('withdrawal', { reason: ' ', replacement: '' })
    assert.equal(empty.status, 400)
    assert.match(empty.body, /aria-invalid/)
    const sent = await send('withdrawal', { reason: REASON, replacement: fix.build_id })
    assert.deepEqual([sent.status, sent.headers.location], [303, `${page}#withdrawal`])
    const headers = browserHeaders(app, owner)
    const { body } = await get(page, { headers })
    for (const part of [REASON, 'This build was withdrawn on', 'Restore 1'])
      assert.ok(body.includes(part), part)
    const list = (await get(`/dashboard/${listing.uid}/builds`, { headers })).body
    assert.match(list, /Withdrawn/)
    assert.equal((await send('restore', {})).status, 303)
    assert.doesNotMatch((await get(page, { headers })).body, /This build was withdrawn/)
  })
})
