import assert from 'node:assert/strict'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Change, moveTo, rollBack } from '../../../cli/client/actions.ts'
import { keptName } from '../../../cli/client/kept-names.ts'
import { foldersOf } from '../../../cli/client/places.ts'
import { readInstall } from '../../../cli/client/record.ts'
import { UsageError } from '../../../cli/errors.ts'
import { MIB } from '../../../src/core/runtime/units.ts'
import { temporaryFolder } from '../../support/app.ts'
import { loopCount } from '../../support/loop-count.ts'
import { fc } from '../../support/property.ts'
import {
  expectedTree,
  type Release,
  releaseOf,
  storedFile,
  storeOf,
  wantedGame,
} from '../../updates/patches/releases.ts'
import { treeOf } from './fixtures.ts'

const file = (name: string, body = name, mode = 0o100644) =>
  storedFile(name, Buffer.from(body), mode)

/** An empty folder for a game, and the changes of its version without a server. */
function startGame(t: TestContext) {
  const disk = temporaryFolder(t)
  const folder = join(disk, 'game')
  const target = { folder, games: join(disk, 'games') }
  const move = (release: Release) =>
    moveTo({ api: storeOf(release).api, ...target }, wantedGame, release.uid)
  /** Also says what was requested from the store, which has this release. */
  const back = async (release: Release) => {
    const { api, requested } = storeOf(release)
    const done = await rollBack({ api, folder }, (await readInstall(folder))!)
    return { ...done!, requested }
  }
  return { ...target, disk, move, back }
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

test('saves go along with a rollback and the update after it', async (t) => {
  const { move, back } = startGame(t)
  const old = { ...releaseOf([file('game', '1'), file('same')]), version: '1' }
  const next = { ...releaseOf([file('game', '2'), file('same')]), version: '2' }
  const first = treeFolderOf(await move(old))
  write(first, 'saves/slot1', 'level 1')
  write(first, 'saves/slot2', 'level 1')
  const second = treeFolderOf(await move(next))
  // Written in place, as a new file, and only here.
  write(second, 'saves/slot1', 'level 2')
  rmSync(join(second, 'saves/slot2'))
  write(second, 'saves/slot2', 'level 2')
  write(second, 'saves/slot3', 'level 2')
  const rolled_back = await back(old)
  assert.deepEqual(rolled_back.requested, [], 'nothing is downloaded')
  const third = treeFolderOf(rolled_back)
  const saves = {
    'saves/': '',
    'saves/slot1': '644 level 2',
    // The version before may not be able to read what the next one wrote.
    'saves/slot1.kept-1': '644 level 1',
    'saves/slot2': '644 level 2',
    'saves/slot2.kept-1': '644 level 1',
    'saves/slot3': '644 level 2',
  }
  assert.deepEqual(treeOf(third), { game: '644 1', same: '644 same', ...saves })
  write(third, 'saves/slot3', 'level 3')
  const updated = treeOf(treeFolderOf(await move(next)))
  assert.deepEqual(updated, {
    ...{ game: '644 2', same: '644 same' },
    ...saves,
    'saves/slot3': '644 level 3',
  })
})

test('what a game that still runs writes into the version before is not lost', async (t) => {
  const { move } = startGame(t)
  const release = (version: string) => ({ ...releaseOf([file('game', version)]), version })
  const first = treeFolderOf(await move(release('1')))
  for (const slot of ['read', 'late', 'both']) write(first, slot, 'begun')
  const second = treeFolderOf(await move(release('2')))
  write(first, 'late', 'saved when the update was done')
  write(first, 'new', 'saved when the update was done')
  write(first, 'both', 'saved when the update was done')
  write(second, 'both', 'saved by the new version')
  write(second, 'read', 'saved by the new version')
  const third = await move(release('3'))
  assert.deepEqual(treeOf(treeFolderOf(third)), {
    game: '644 3',
    read: '644 saved by the new version',
    both: '644 saved by the new version',
    'both.kept-1': '644 saved when the update was done',
    late: '644 begun',
    'late.kept-1': '644 saved when the update was done',
    new: '644 saved when the update was done',
  })
})

test('a rollback restores files that the game changed in place for both versions', async (t) => {
  const { move, back } = startGame(t)
  const files = [file('config', 'sound=1'), file('run', 'program', 0o100755), file('same')]
  const old = { ...releaseOf([file('game', '1'), ...files]), version: '1' }
  const first = treeFolderOf(await move(old))
  const next = { ...releaseOf([file('game', '2'), ...files]), version: '2' }
  const second = treeFolderOf(await move(next))
  assert.equal(statSync(join(first, 'config')).ino, statSync(join(second, 'config')).ino)
  write(second, 'config', 'sound=0')
  // Its size and time stay, as after a fault of the disk.
  const { atime, mtime } = statSync(join(second, 'same'))
  write(second, 'same', 'SAME')
  utimesSync(join(second, 'same'), atime, mtime)
  const rolled_back = await back(old)
  assert.ok(rolled_back.requested.some((path) => path.includes('/downloads/')))
  const tree = treeOf(treeFolderOf(rolled_back))
  for (const [path, value] of Object.entries(expectedTree(old))) assert.equal(tree[path], value)
  assert.equal(tree['config.kept-2'], '644 sound=0')
  assert.ok(rolled_back.kept_aside.includes('config.kept-2'))
  assert.deepEqual(rolled_back.unrestored, [])
})

test('a rollback leaves what it cannot restore, and says so', async (t) => {
  const { move, folder } = startGame(t)
  const files = [file('config', 'sound=1'), file('keys', 'original'), file('same')]
  const old = { ...releaseOf([file('game', '1'), ...files]), version: '1' }
  const first = treeFolderOf(await move(old))
  write(first, 'keys', 'changed before the update')
  const next = { ...releaseOf([file('game', '2'), ...files]), version: '2' }
  const second = treeFolderOf(await move(next))
  write(second, 'config', 'sound=0')
  const { api } = storeOf(next)
  api.get = () => Promise.reject(new UsageError('gone'))
  const done = (await rollBack({ api, folder }, (await readInstall(folder))!))!
  assert.deepEqual(done.unrestored, ['config'])
  const tree = treeOf(treeFolderOf(done))
  const { game, config, keys, same } = tree
  assert.deepEqual(
    { game, config, keys, same },
    {
      game: '644 1',
      config: '644 sound=0',
      keys: '644 changed before the update',
      same: '644 same',
    },
  )
  // They still count as changed.
  const updated = treeOf(treeFolderOf(await move(next)))
  assert.equal(updated['config.kept-1'], '644 sound=0')
  assert.equal(updated['keys.kept-1'], '644 changed before the update')
})

test('the disk must have room for the files of the player before anything is copied', async (t) => {
  const { folder, move } = startGame(t)
  const first = await move({ ...releaseOf([file('game', '1')]), version: '1' })
  const tree = treeFolderOf(first)
  writeFileSync(join(tree, 'first'), 'save')
  writeFileSync(join(tree, 'huge'), '')
  // Without bytes on the disk, which a copy would have.
  truncateSync(join(tree, 'huge'), 2 ** 42)
  const next = { ...releaseOf([file('game', '2')]), version: '2' }
  await assert.rejects(move(next), /the disk has .* free/)
  assert.deepEqual(readdirSync(join(folder, 'versions', `${next.uid}.new`)), [])
  rmSync(join(tree, 'huge'))
  assert.equal(treeOf(treeFolderOf(await move(next)))['first'], '644 save')
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

const UID_LENGTH = 36
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

test(`no update and no rollback loses a file of the player, ${UPDATES} times`, async (t) => {
  const parent = temporaryFolder(t)
  const outside = join(parent, 'outside')
  for (const path of ['a', 'b', 'a.kept-1/a']) write(outside, path, '1')
  const before = treeOf(outside)
  let n = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          next: fc.option(build, { nil: 'rollback' as const, freq: 3 }),
          changes: fc.array(change, { maxLength: 6 }),
        }),
        {
          minLength: 2,
          maxLength: 5,
        },
      ),
      async (steps) => {
        const { folder, games } = { folder: join(parent, `${n++}`), games: join(parent, 'games') }
        let shipped = new Set<string>()
        const releases = new Map<string, Release>()
        const expected = new Set<string>()
        for (const { next, changes } of steps) {
          const install = await readInstall(folder)
          const previous = releases.get(install?.previous?.slice(0, UID_LENGTH) ?? '')
          if (next === 'rollback' && !previous) continue
          const release = next === 'rollback' ? previous! : { ...releaseOf(next), version: '1' }
          releases.set(release.uid, release)
          const { api } = storeOf(release)
          const done =
            next === 'rollback'
              ? (await rollBack({ api, folder }, install!))!
              : await moveTo({ api, folder, games }, wantedGame, release.uid)
          const tree = treeOf(treeFolderOf(done))
          for (const [path, value] of Object.entries(expectedTree(release)))
            assert.equal(tree[path], value, path)
          const there = contentsIn(tree)
          for (const content of expected) assert.ok(there.has(content), content)
          shipped = contentsIn(expectedTree(release))
          for (const change of changes) applyChange(treeFolderOf(done), outside, change)
          const after = contentsIn(treeOf(treeFolderOf(done)))
          expected.clear()
          for (const content of after) if (!shipped.has(content)) expected.add(content)
        }
        assert.deepEqual(treeOf(outside), before)
        rmSync(folder, { recursive: true, force: true })
      },
    ),
    { numRuns: UPDATES },
  )
})
