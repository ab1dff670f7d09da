import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { startUpdates } from '../../updates/fixtures.ts'
import { signedIn } from '../dashboard-fixtures.ts'

test('the owner sees and changes how a build is started, and manifests follow', async (t) => {
  const app = await startUpdates(t)
  const owner = signedIn(app, app.game.owner)
  const build = `/dashboard/${app.game.vanity_name}/builds/${app.build_id}`
  const own = `/api/v1/private/games/${app.game.uid}/builds/${app.build_id}`
  const launch = async () => must(await app.get(`${app.path}/manifest`)).manifest.launch
  const { title, changelog_items } = must(await app.get(own, app.game.owner))
  assert.equal((await launch()).guessed, true)
  assert.match((await owner.open(build)).body, /How it is started/)
  await owner.submit(`${build}/launch`, {
    executable: './game.x86_64',
    args: '--windowed\n\n--save dir\n',
    working_dir: 'data/',
  })
  const chosen = {
    executable: 'game.x86_64',
    args: ['--windowed', '--save dir'],
    working_dir: 'data',
  }
  assert.deepEqual(await launch(), { ...chosen, guessed: false })
  const after = must(await app.get(own, app.game.owner))
  assert.deepEqual([after.launch, after.title], [chosen, title])
  assert.deepEqual(after.changelog_items, changelog_items)
  const { body } = await owner.open(build)
  assert.match(body, /value="game\.x86_64"/)
  assert.match(body, /--windowed\n--save dir/)
  for (const [fields, message] of [
    [{ executable: '../game' }, /Enter a path below the folder of the build/],
    [{ executable: '', args: '--x' }, /Enter the path of the program in the build/],
    [{ executable: 'game', working_dir: '/etc' }, /Enter a path below the folder of the build/],
  ] as const) {
    const refusal = await owner.send(`${build}/launch`, fields)
    assert.ok(refusal.status >= 400, String(refusal.status))
    assert.match(refusal.body, message)
    assert.match(refusal.body, /aria-invalid="true"/)
  }
  assert.deepEqual(must(await app.get(own, app.game.owner)).launch, chosen)
  await owner.submit(`${build}/launch`, { executable: '', args: '', working_dir: '' })
  assert.equal(must(await app.get(own, app.game.owner)).launch, null)
  assert.equal((await launch()).guessed, true)
})
