import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Change, moveTo } from '../../../cli/client/actions.ts'
import { keptName } from '../../../cli/client/kept-names.ts'
import { foldersOf } from '../../../cli/client/places.ts'
import { MIB } from '../../../src/core/runtime/units.ts'
import { temporaryFolder } from '../../support/app.ts'
import { loopCount } from '../../support/loop-count.ts'
import { fc } from '../../support/property.ts'
import {
  expectedTree,
  type Release,
  releaseOf,
  storeOf,
  type TreeFile,
} from '../../updates/patches/releases.ts'
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

test('a file that is changed again after it was kept aside does not replace the first', async (t) => {
  const { move } = startGame(t)
  const old = { ...releaseOf([file('a.ini', 'a')]), version: '1' }
  const first = await move(old)
  write(treeFolderOf(first), 'a.ini', 'first change')
  const repaired = await move(old)
  write(treeFolderOf(repaired), 'a.ini', 'second change')
  const second = await move({ ...releaseOf([file('a.ini', 'b')]), version: '2' })
  assert.deepEqual(treeOf(treeFolderOf(second)), {
    'a.ini': '644 b',
    'a.ini.kept-1': '644 first change',
    'a.ini.kept-1-2': '644 second change',
  })
})

test('large files with long names, or with names of each other, are installed', async (t) => {
  const { move } = startGame(t)
  const files = ['large', 'large.part', 'x'.repeat(255)].map((name, n) =>
    file(name, `${n}`.repeat(8 * MIB + 1)),
  )
  const release = releaseOf(files)
  const installed = treeOf(treeFolderOf(await move(release)))
  assert.deepEqual(Object.keys(installed).sort(), files.map(({ name }) => name).sort())
  for (const { name, body } of files) assert.ok(installed[name] === `644 ${body}`, name)
})

test('files of the player survive a new version with something else in their place', async (t) => {
  const { disk, move } = startGame(t)
  const first = await move({
    ...releaseOf([file('game', '1'), file('notes', 'notes'), file('saves/default', 'default')]),
    version: '1',
  })
  const tree = treeFolderOf(first)
  const outside = join(disk, 'outside')
  write(outside, 'default', 'default')
  write(outside, 'theirs', 'theirs')
  // Each is something else in the second version.
  write(tree, 'file-to-folder', 'a')
  write(tree, 'folder-to-file/b', 'b')
  write(tree, 'folder-to-file/deep/c', 'c')
  write(tree, 'folder-to-link/d', 'd')
  write(tree, 'notes', 'changed')
  rmSync(join(tree, 'saves'), { recursive: true })
  symlinkSync(outside, join(tree, 'saves'))
  symlinkSync(outside, join(tree, 'link-to-file'))
  mkdirSync(join(tree, 'empty/folder'), { recursive: true })
  const before = treeOf(outside)
  const second = await move({
    ...releaseOf([
      file('game', '2'),
      file('notes/index', 'index'),
      file('saves/default', 'default'),
      file('file-to-folder/new', 'new'),
      file('folder-to-file', 'new'),
      file('link-to-file', 'new'),
      { ...file('folder-to-link', 'game'), mode: 0o120777 },
    ]),
    version: '2',
  })
  assert.deepEqual(treeOf(treeFolderOf(second)), {
    'empty/': '',
    'empty/folder/': '',
    'file-to-folder.kept-1': '644 a',
    'file-to-folder/': '',
    'file-to-folder/new': '644 new',
    'folder-to-file': '644 new',
    'folder-to-file.kept-1/': '',
    'folder-to-file.kept-1/b': '644 b',
    'folder-to-file.kept-1/deep/': '',
    'folder-to-file.kept-1/deep/c': '644 c',
    'folder-to-link': '-> game',
    'folder-to-link.kept-1/': '',
    'folder-to-link.kept-1/d': '644 d',
    game: '644 2',
    'link-to-file': '644 new',
    'link-to-file.kept-1': `-> ${outside}`,
    'notes.kept-1': '644 changed',
    'notes/': '',
    'notes/index': '644 index',
    'saves.kept-1': `-> ${outside}`,
    'saves/': '',
    'saves/default': '644 default',
  })
  // A game that edits its file in place edits no file of somebody else.
  writeFileSync(join(treeFolderOf(second), 'saves/default'), 'edited')
  assert.deepEqual(treeOf(outside), before)
})

const UPDATES = loopCount({ short: 80, full: 3000 })

/** Names that often meet: the same as a file, as a folder, and as what is kept aside. */
const paths = fc
  .array(fc.constantFrom('a', 'b', 'a.kept-1', 'a.kept-1-2'), { minLength: 1, maxLength: 3 })
  .map((steps) => steps.join('/'))
const item = fc.oneof(
  fc.record({ path: paths, text: fc.constantFrom('1', '2', '3') }),
  fc.record({ path: paths, link: fc.constantFrom('a', 'b') }),
  fc.record({ path: paths.map((path) => `${path}/`) }),
)
type Item = { path: string; text?: string; link?: string }

/** Entries of a build: none is inside a file or a link, and links stay in the folder. */
const build = fc.array(item, { maxLength: 6 }).map((items: Item[]) => {
  const nameOf = ({ path }: Item) => path.replace(/\/$/, '')
  const clashes = (a: Item, b: Item) =>
    nameOf(a) === nameOf(b) || (!a.path.endsWith('/') && nameOf(b).startsWith(`${a.path}/`))
  const chosen: Item[] = []
  for (const next of items)
    if (!chosen.some((other) => clashes(other, next) || clashes(next, other))) chosen.push(next)
  return chosen.map(({ path, text = '', link }) =>
    link === undefined ? file(path, text) : { ...file(path, link), mode: 0o120777 },
  )
})
const change = fc.oneof(
  fc.record({ path: paths, text: fc.string({ minLength: 1, maxLength: 4 }) }),
  fc.record({ path: paths, link: fc.constantFrom('a', '/outside', '../../outside') }),
  fc.record({ path: paths.map((path) => `${path}/`) }),
  fc.record({ path: paths, is_removed: fc.constant(true) }),
)
type PlayerChange = { path: string; text?: string; link?: string; is_removed?: boolean }

/** A player replaces what is at a path; behind a link, they would write somewhere else. */
function applyChange(
  tree: string,
  outside: string,
  { path, text, link, is_removed }: PlayerChange,
) {
  const full = join(tree, path)
  for (const folder of foldersOf(path))
    if (lstatSync(join(tree, folder), { throwIfNoEntry: false })?.isDirectory() === false)
      rmSync(join(tree, folder))
  rmSync(full.replace(/\/$/, ''), { recursive: true, force: true })
  if (is_removed) return
  mkdirSync(path.endsWith('/') ? full : dirname(full), { recursive: true })
  if (link !== undefined) symlinkSync(link.replace(/^.*outside/, outside), full)
  else if (text !== undefined) writeFileSync(full, text)
}

/** The contents of files and the targets of links, without their paths. */
const contentsIn = (tree: Record<string, string>) => new Set(Object.values(tree).filter(Boolean))

test(`no update loses a file of the player, ${UPDATES} times`, async (t) => {
  const parent = temporaryFolder(t)
  const outside = join(parent, 'outside')
  for (const path of ['a', 'b', 'a.kept-1/a']) write(outside, path, '1')
  const before = treeOf(outside)
  let n = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ next: build, changes: fc.array(change, { maxLength: 6 }) }), {
        minLength: 2,
        maxLength: 4,
      }),
      async (steps) => {
        const { folder, games } = { folder: join(parent, `${n++}`), games: join(parent, 'games') }
        let shipped = new Set<string>()
        const expected = new Set<string>()
        for (const { next, changes } of steps) {
          const release = { ...releaseOf(next), version: '1' }
          const { api } = storeOf(release)
          const done = await moveTo({ api, folder, games }, wanted, release.uid)
          const tree = treeOf(treeFolderOf(done))
          for (const [path, value] of Object.entries(expectedTree(release)))
            assert.equal(tree[path], value, path)
          const there = contentsIn(tree)
          for (const content of expected) assert.ok(there.has(content), content)
          shipped = contentsIn(expectedTree(release))
          for (const one of changes) applyChange(treeFolderOf(done), outside, one)
          const after = contentsIn(treeOf(treeFolderOf(done)))
          expected.clear()
          for (const content of after) if (!shipped.has(content)) expected.add(content)
        }
        assert.deepEqual(treeOf(outside), before)
        rmSync(folder, { recursive: true })
      },
    ),
    { numRuns: UPDATES },
  )
})
