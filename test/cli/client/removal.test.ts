import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { zip } from '../../uploads/zips.ts'
import { gameFiles, startStore } from './fixtures.ts'

const IS_ROOT = process.getuid?.() === 0
/** Root may write anywhere unless it drops these capabilities. */
const under = IS_ROOT
  ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner,-chown']
  : []

/** A version with a save in a folder that its owner may not write to. */
function makeReadOnlySave(path: string) {
  mkdirSync(join(path, 'saves/old'), { recursive: true })
  writeFileSync(join(path, 'saves/old/slot1'), 'level 3')
  chmodSync(join(path, 'saves/old'), 0o555)
  chmodSync(join(path, 'saves'), 0o555)
}

/** Publishes a version with another file than the others have. */
async function publish({ a, game }: Awaited<ReturnType<typeof startStore>>, version: string) {
  const level = { name: 'level', body: version, method: 0, mode: 0o100644 }
  await a.cleanBuild(game, { bytes: zip([...gameFiles, level]), version })
}

const versionsIn = (folder: string) =>
  readdirSync(join(folder, 'versions')).filter((name) => !name.endsWith('.json'))

test('old versions with folders that may not be written to are removed', async (t) => {
  const app = await startStore(t)
  const { path, folder } = (await app.install()).json
  makeReadOnlySave(path)
  for (const version of ['2.0', '3.0', '4.0']) {
    await publish(app, version)
    const updated = await app.run(['update', app.name, '--json'], { under })
    assert.equal(updated.code, 0, updated.stderr)
    assert.ok(versionsIn(folder).length <= 2)
    const tree = updated.json.games[0].path
    chmodSync(join(tree, 'saves/old'), 0o555)
  }
  const back = await app.run(['rollback', app.name, '--json'], { under })
  assert.equal(back.code, 0, back.stderr)
  assert.equal(versionsIn(folder).length, 2)
  const removed = await app.run(['uninstall', app.name, '--json'], { under })
  assert.equal(removed.code, 0, removed.stderr)
  assert.equal(readFileSync(join(folder, 'kept/saves/old/slot1'), 'utf8'), 'level 3')
  assert.deepEqual(readdirSync(folder), ['kept'])
})

test('an old version that cannot be removed is named after the update, which succeeds', async (t) => {
  if (!IS_ROOT) return t.skip('needs the right to make folders of others')
  const app = await startStore(t)
  const { path, folder } = (await app.install()).json
  // As a game that was started by another user once leaves it.
  const foreign = join(path, 'saves')
  writeFileSync(join(foreign, 'slot1'), 'level 3')
  chownSync(foreign, 65534, 65534)
  await publish(app, '2.0')
  assert.equal((await app.run(['update', app.name], { under })).code, 0)
  await publish(app, '3.0')
  const updated = await app.run(['update', app.name, '--json'], { under })
  assert.equal(updated.code, 0, updated.stderr)
  assert.match(updated.stderr, /old files cannot be removed: no permission .*saves/)
  assert.equal(updated.json.games[0].version, '3.0')

  // What is kept is kept once, however often the removal is tried again.
  for (const args of [
    ['uninstall', app.name],
    ['uninstall', app.name],
    ['uninstall', folder],
  ]) {
    const refused = await app.run(args, { under })
    assert.equal(refused.code, 1, refused.stdout)
    assert.match(refused.stderr, /no permission to read or change \S+saves/)
  }
  assert.deepEqual(readdirSync(folder).sort(), ['kept', 'versions'])
  chownSync(foreign, 0, 0)
  assert.equal((await app.run(['uninstall', app.name], { under })).code, 0)
  assert.deepEqual(readdirSync(folder), ['kept'])
})
