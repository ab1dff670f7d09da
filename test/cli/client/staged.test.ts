import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { zip } from '../../uploads/zips.ts'
import { gameFiles, setPart, startStore } from './fixtures.ts'

test('an install takes a staged build when its part comes, and returns with it', async (t) => {
  const app = await startStore(t)
  const { folder } = (await app.install()).json
  const record = join(folder, 'install.json')
  const { install_id } = JSON.parse(readFileSync(record, 'utf8'))
  assert.match(install_id, /^[0-9a-f-]{36}$/)
  const files = [...gameFiles, { name: 'new', body: 'new', method: 0 }]
  const next = await app.a.cleanBuild(app.game, {
    bytes: zip(files as never),
    version: '2.0',
    channel: 'dev',
  })
  const channel = `/api/v1/private/games/${app.game.uid}/channels/stable`
  const stage = async (percent: number) =>
    must(await app.put(channel, { build_id: next.build_id, percent }, app.game.owner))
  const update = async () => {
    const { code, json, stdout } = await app.run(['update', '--all', '--json'])
    assert.equal(code, 0, stdout)
    const [{ version, updated }] = json.games
    return [version, updated]
  }
  // An id whose number is known, so that the test does not depend on chance.
  const part = 50
  const id = setPart(folder, next.build_id, part)
  const [first, is_updated] = await update()
  assert.equal(is_updated, false, 'nothing is staged')
  await stage(part - 1)
  assert.deepEqual(await update(), [first, false], 'the part does not include this install')
  await stage(part)
  assert.deepEqual(await update(), ['2.0', true])
  assert.deepEqual(await update(), ['2.0', false], 'it stays')
  await stage(0)
  assert.deepEqual(await update(), [first, true], 'pulled back')
  await stage(100)
  assert.deepEqual(await update(), ['2.0', true], 'released')
  assert.equal(JSON.parse(readFileSync(record, 'utf8')).install_id, id)
})
