import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { takesStaged } from '../../cli/client/staged-release.ts'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { addGame, verifySigned } from '../updates/fixtures.ts'

const sharedApp = sharedInFile(startApp)

/** A game with a head, and a newer build on the channel dev that can be staged. */
async function startStaging(t: TestContext) {
  const app = await addGame(await sharedApp(t))
  const { game, put, get, path } = app
  const next = await app.a.cleanBuild(game, { version: '2.0', channel: 'dev' })
  const own = `/api/v1/private/games/${game.uid}`
  const stage = (percent: number, build_id = next.build_id, channel = 'stable') =>
    put(`${own}/channels/${channel}`, { build_id, percent }, game.owner)
  const platform = 'os=linux&arch=x86_64'
  const update = (build: string, more = '&staged=true') =>
    get(`${path}/update?build=${build}&${platform}${more}`)
  const stable = async () =>
    must(await get(`${own}/channels`, game.owner)).channels.find(
      ({ channel }: { channel: string }) => channel === 'stable',
    )
  return { ...app, own, next, stage, update, stable, platform }
}

test('a staged build is offered beside the head, signed, and to nobody else', async (t) => {
  const app = await startStaging(t)
  const { build_id, next, get, path, platform, url } = app
  assert.deepEqual(refused(await get(`${path}/builds/${next.build_id}/manifest`)), [404, 4040])
  must(await app.stage(10))
  const offer = must(await app.update(build_id))
  assert.deepEqual(
    [offer.build_id, offer.next.build_id, offer.next.version, offer.next.percent],
    [build_id, next.build_id, '2.0', 10],
  )
  // Games and programs that do not ask for it get the head.
  assert.equal((await app.update(build_id, '')).status, 204)
  assert.equal(must(await app.update(next.build_id, '')).build_id, build_id)
  assert.equal(must(await get(`${path}/update?${platform}`)).build_id, build_id)
  const files = must(
    await get(`/api/v1/public/user/${app.game.owner.username}/games/${app.game.vanity_name}/files`),
  ).files
  assert.deepEqual(
    files.map((file: { build_id: string }) => file.build_id),
    [build_id],
  )
  const head = must(await get(`${path}/manifest?${platform}`))
  assert.deepEqual(head.manifest.next, offer.next)
  await verifySigned(url, head)
  const staged = must(await get(offer.next.manifest_url))
  assert.deepEqual([staged.manifest.build_id, staged.manifest.next], [next.build_id, null])
  await verifySigned(url, staged)
  const { file_uid } = staged.manifest.file
  must(await get(`/api/v1/public/downloads/${file_uid}?source=api`))
})

test('the part is raised, pulled back and released, and the history says so', async (t) => {
  const app = await startStaging(t)
  const { build_id, next } = app
  must(await app.stage(10))
  must(await app.stage(50))
  const [head] = (await app.stable()).heads
  assert.deepEqual([head.build_id, head.staged.percent], [build_id, 50])
  must(await app.stage(0))
  assert.equal((await app.stable()).heads[0].staged, null)
  assert.equal((await app.update(build_id)).status, 204)
  // Devices that have it return to the head.
  const back = must(await app.update(next.build_id))
  assert.deepEqual([back.build_id, back.next], [build_id, null])
  assert.equal((await app.get(`${app.path}/builds/${next.build_id}/manifest`)).status, 404)
  assert.deepEqual(refused(await app.stage(0)), [422, 4226])
  must(await app.stage(20))
  must(await app.stage(100))
  const released = await app.stable()
  assert.deepEqual([released.build_id, released.heads[0].staged], [next.build_id, null])
  assert.equal((await app.update(next.build_id)).status, 204)
  assert.deepEqual(
    released.history.map(({ event, percent }: any) => [event, percent]),
    [
      ['promote', null],
      ['stage', 20],
      ['unstage', 0],
      ['stage', 50],
      ['stage', 10],
      ['upload', null],
    ],
  )
  for (const percent of [-1, 101, 1.5, '10']) {
    const { status, body } = await app.stage(percent as number)
    assert.deepEqual([status, body.data.field], [422, 'percent'], String(percent))
  }
  assert.equal((await app.stage(10, next.build_id, 'beta')).status, 422, 'no head to stage beside')
})

test('a staged release ends with its head, its build, a rollback and a withdrawal', async (t) => {
  const app = await startStaging(t)
  const { game, next, a, put, del, sql, own } = app
  const count = async () =>
    (await sql`select from staged_releases where game_uid = ${game.uid}`).length
  must(await app.stage(10))
  await a.cleanBuild(game, { version: '1.5' })
  assert.equal(await count(), 0, 'a newer head')
  must(await app.stage(10))
  must(await app.post(`${own}/channels/stable/rollback`, undefined, game.owner))
  assert.equal(await count(), 0, 'a rollback')
  must(await app.stage(10))
  must(await put(`${own}/builds/${next.build_id}/withdrawal`, { reason: 'Bad' }, game.owner))
  assert.equal(await count(), 0, 'a withdrawal')
  assert.equal((await app.stable()).history[0].event, 'unstage')
  must(await del(`${own}/builds/${next.build_id}/withdrawal`, game.owner))
  assert.equal((await app.stable()).build_id, app.build_id, 'its end does not release it')
  must(await app.stage(10))
  await sql`update files set scan = 'infected' where build_uid = ${next.build_id}`
  assert.equal((await app.stable()).heads[0].staged, null, 'a file that is not clean any more')
  assert.equal((await app.get(`${app.path}/builds/${next.build_id}/manifest`)).status, 404)
})

test('a build that is staged on a channel is for those who see the channel', async (t) => {
  const app = await startStaging(t)
  const { game, next, get, put, path, own, sql, platform } = app
  await app.a.cleanBuild(game, { version: '1.5', channel: 'beta' })
  must(await app.stage(10, next.build_id, 'beta'))
  const stranger = await app.a.verified()
  const member = await app.a.verified()
  must(await put(`${own}/channel`, { channel: 'beta' }, member))
  const manifest = `${path}/builds/${next.build_id}/manifest`
  const update = `${path}/update?channel=beta&staged=true&${platform}`
  const answers = async (who?: typeof stranger) => {
    const file = `/api/v1/${who ? 'private' : 'public'}/downloads/${next.file_uid}`
    const { status } = await get(file, who)
    return [(await get(manifest, who)).status, (await get(update, who)).status, status === 200]
  }
  assert.deepEqual(await answers(), [404, 404, false])
  assert.deepEqual(await answers(stranger), [404, 403, false])
  assert.deepEqual(await answers(member), [200, 200, true])
  assert.equal(must(await get(update, member)).next.build_id, next.build_id)
  // On stable nothing is staged, for nobody.
  assert.equal(must(await get(`${path}/manifest?${platform}`, member)).manifest.next, null)
  await sql`
    update channels set expires_at = now() where game_uid = ${game.uid} and channel = 'beta'`
  assert.equal((await get(manifest, member)).status, 404, 'the channel has expired')
})

test('changes at the same time leave one staged build, or the head of the last', async (t) => {
  const app = await startStaging(t)
  const percents = [5, 10, 100, 20, 0, 30]
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(percents.map((percent) => app.stage(percent)))
    assert.ok(answers.every(({ status }) => status === 200 || status === 422))
    const { heads, history } = await app.stable()
    const last = history.find(({ event }: any) => event !== 'upload')
    const expected = last.event === 'stage' ? last.percent : null
    assert.equal(heads[0].staged?.percent ?? null, expected)
    if (heads[0].build_id === app.next.build_id)
      must(await app.post(`${app.own}/channels/stable/rollback`, undefined, app.game.owner))
  }
})

test('a device decides by a number that stays, and about as many as the part says', () => {
  const ids = Array.from({ length: 4000 }, (_, n) => `install ${n}`)
  const taking = (build: string, percent: number) =>
    new Set(ids.filter((id) => takesStaged(id, build, percent)))
  for (const percent of [1, 10, 50, 99]) {
    const share = (taking('build', percent).size / ids.length) * 100
    assert.ok(Math.abs(share - percent) < 3, `${share} of ${percent}`)
  }
  const few = taking('build', 10)
  const more = taking('build', 40)
  assert.ok(
    [...few].every((id) => more.has(id)),
    'a device loses the build when the part grows',
  )
  assert.equal(taking('build', 0).size, 0)
  assert.equal(taking('build', 100).size, ids.length)
  const other = taking('other build', 10)
  assert.ok([...few].filter((id) => other.has(id)).length < few.size / 2, 'always the same devices')
})
