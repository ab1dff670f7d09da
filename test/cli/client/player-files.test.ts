import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Change, moveTo } from '../../../cli/client/actions.ts'
import { keptName } from '../../../cli/client/kept-names.ts'
import { temporaryFolder } from '../../support/app.ts'
import { type Release, releaseOf, storeOf, type TreeFile } from '../../updates/patches/releases.ts'
import { treeOf } from './fixtures.ts'

const wanted = {
  store: 'https://store.example',
  name: 'saltworks/harbor',
  game_uid: '00000000-0000-7000-8000-000000000001',
  channel: 'stable',
  os: 'linux',
  arch: 'x86_64',
  app: '',
}

const file = (name: string, body = name, mode = 0o100644): TreeFile => ({
  name,
  body: Buffer.from(body),
  mode,
  method: 0,
})

/** An empty folder for a game, and the changes of its version without a server. */
function startGame(t: TestContext) {
  const disk = temporaryFolder(t)
  const folder = join(disk, 'game')
  const target = { folder, games: join(disk, 'games') }
  const move = (release: Release) =>
    moveTo({ api: storeOf(release).api, ...target }, wanted, release.uid)
  return { ...target, disk, move }
}

const treeFolderOf = ({ folder, install }: Change) => join(folder, 'versions', install.current)

function write(tree: string, path: string, text: string) {
  mkdirSync(dirname(join(tree, path)), { recursive: true })
  writeFileSync(join(tree, path), text)
}

test('the name of a kept file is one name that every system allows', () => {
  const names: [path: string, version: string, expected: string][] = [
    ['a.ini', '1.0', 'a.ini.kept-1.0'],
    ['data/a.ini', '1.0-beta+7', 'data/a.ini.kept-1.0-beta+7'],
    ['a', '../../outside', 'a.kept-outside'],
    ['a', '/etc/x', 'a.kept-etc-x'],
    ['a', 'C:\\x\\..', 'a.kept-C-x'],
    ['a', '1\u0000\u001b[2J\n2', 'a.kept-1-2J-2'],
    ['a', '..', 'a.kept-old'],
    ['a', '', 'a.kept-old'],
    ['a', '1. ', 'a.kept-1'],
    ['a', '…', 'a.kept-old'],
  ]
  for (const [path, version, expected] of names) assert.equal(keptName(path, version), expected)
  const long = keptName(`data/${'é'.repeat(120)}`, '9'.repeat(500), 2)
  const [folder, name, ...more] = long.split('/')
  assert.deepEqual([folder, more], ['data', []])
  assert.ok(Buffer.byteLength(name!) <= 255, name)
  assert.match(name!, /^é+\.kept-9+-2$/)
})

test('a version whose name is a path keeps changed files in the folder of the game', async (t) => {
  const { disk, move } = startGame(t)
  const long = 'x'.repeat(255)
  const release = (version: string) => releaseOf([file('a.ini', version), file(long, version)])
  const first = await move({ ...release('1'), version: '/../../../../outside' })
  write(treeFolderOf(first), 'a.ini', 'mine')
  write(treeFolderOf(first), long, 'mine too')
  const second = await move({ ...release('2'), version: '2' })
  const kept_long = `${'x'.repeat(242)}.kept-outside`
  assert.deepEqual(second.kept_aside.toSorted(), ['a.ini.kept-outside', kept_long])
  const tree = treeOf(treeFolderOf(second))
  assert.equal(tree['a.ini.kept-outside'], '644 mine')
  assert.equal(tree[kept_long], '644 mine too')
  assert.ok(!Object.keys(treeOf(disk)).some((path) => path.startsWith('outside')))
})
