import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random as seededRandom } from '../../../demo/random.ts'
import {
  type DiskFolder,
  type DiskNode,
  diskAfterCut,
  type Fate,
  SECTOR_BYTES,
} from '../../support/power-cut/disk-states.ts'
import { followOperations, readTree } from '../../support/power-cut/history.ts'
import { type Action, type Operation, parseTrace } from '../../support/power-cut/trace.ts'
import { fc } from '../../support/property.ts'

const ROOT = '/disk'
const END = Number.POSITIVE_INFINITY

/** Each action is a system call of its own line. */
const inOrder = (actions: Action[]): Operation[] =>
  actions.map((action, line) => ({ begin: line, end: line, ...action }))
const follow = (actions: Action[]) =>
  followOperations(inOrder(actions), ROOT, readTree('/nonexistent'))

function nodeAt(state: DiskFolder, path: string): DiskNode | undefined {
  let node: DiskNode | undefined = state
  for (const name of path.slice(ROOT.length + 1).split('/'))
    node = node?.kind === 'folder' ? node.entries.get(name) : undefined
  return node
}
function bytesAt(state: DiskFolder, path: string): string | undefined {
  const node = nodeAt(state, path)
  return node?.kind === 'file' ? node.bytes.toString('latin1') : undefined
}

const create = (path: string): Action => ({
  kind: 'open',
  path,
  fd: 3,
  creates: true,
  truncates: true,
  mode: 0o600,
})
const write = (path: string, offset: number, bytes: Buffer): Action => ({
  kind: 'write',
  path,
  fd: 3,
  offset,
  bytes,
})
const sync = (path: string): Action => ({ kind: 'sync', path })
const text = (letter: string, size: number) => Buffer.alloc(size, letter)

test('a file is on the disk once its bytes and its name are synced', () => {
  const actions = [
    create('/disk/a'),
    write('/disk/a', 0, text('x', 10)),
    sync('/disk/a'),
    sync('/disk'),
  ]
  const history = follow(actions)
  const stateAt = (cut: number, fate: Fate) => bytesAt(diskAfterCut(history, cut, fate), '/disk/a')
  assert.equal(stateAt(4, 'lost'), 'x'.repeat(10))
  assert.equal(stateAt(3, 'lost'), undefined, 'its name was not synced')
  assert.equal(stateAt(2, 'names'), '', 'its bytes were not synced')
  assert.equal(stateAt(2, 'kept'), 'x'.repeat(10))
})

test('a sync does not cover what ended after it had begun', () => {
  const operations: Operation[] = [
    { begin: 0, end: 0, ...create('/disk/a') },
    { begin: 2, end: 3, ...write('/disk/a', 0, text('x', 10)) },
    { begin: 2, end: 4, ...sync('/disk/a') },
    { begin: 5, end: 5, ...sync('/disk') },
  ]
  const history = followOperations(operations, ROOT, readTree('/nonexistent'))
  assert.equal(bytesAt(diskAfterCut(history, END, 'lost'), '/disk/a'), '')
})

test('a rename between folders leaves a file one name or two, never none', () => {
  const history = follow([
    { kind: 'make-folder', path: '/disk/from', mode: 0o700 },
    { kind: 'make-folder', path: '/disk/to', mode: 0o700 },
    sync('/disk'),
    create('/disk/from/a'),
    sync('/disk/from'),
    { kind: 'rename', from: '/disk/from/a', path: '/disk/to/b' },
  ])
  const outcomes = new Set<string>()
  for (let seed = 0; seed < 100; seed++) {
    const state = diskAfterCut(history, END, seededRandom(String(seed)))
    const names = ['/disk/from/a', '/disk/to/b'].filter((path) => nodeAt(state, path))
    outcomes.add(names.join())
  }
  const expected = ['/disk/from/a', '/disk/from/a,/disk/to/b', '/disk/to/b']
  assert.deepEqual([...outcomes].sort(), expected)
})

test('a rename inside a folder is atomic', () => {
  const history = follow([
    create('/disk/a'),
    sync('/disk'),
    { kind: 'rename', from: '/disk/a', path: '/disk/b' },
  ])
  for (let seed = 0; seed < 100; seed++) {
    const state = diskAfterCut(history, END, seededRandom(String(seed)))
    assert.notEqual(Boolean(nodeAt(state, '/disk/a')), Boolean(nodeAt(state, '/disk/b')))
  }
})

test('unsynced writes may be missing, torn, reordered, or only a size', () => {
  const size = 4 * SECTOR_BYTES
  const history = follow([
    create('/disk/a'),
    sync('/disk'),
    write('/disk/a', 0, text('1', size)),
    write('/disk/a', 0, text('2', size)),
  ])
  const outcomes = new Set<string>()
  for (let seed = 0; seed < 400; seed++) {
    const bytes = bytesAt(diskAfterCut(history, END, seededRandom(`s${seed}`)), '/disk/a')!
    const letters = Array.from({ length: 4 }, (_, index) => bytes[index * SECTOR_BYTES] ?? '-')
    outcomes.add(letters.join('').replaceAll('\0', '0'))
  }
  for (const outcome of ['----', '0000', '2222']) assert.ok(outcomes.has(outcome), outcome)
  const mixed = [...outcomes].filter((outcome) => outcome.includes('1') && outcome.includes('2'))
  assert.ok(mixed.length > 5, 'no state has an old and a new sector')
})

const paths = ['/disk/a', '/disk/b', '/disk/f/a', '/disk/f/b']
const arbitraryStep = fc.oneof(
  fc.record({
    step: fc.constant('write' as const),
    path: fc.constantFrom(...paths),
    offset: fc.integer({ min: 0, max: 2000 }),
    size: fc.integer({ min: 1, max: 2000 }),
    letter: fc.constantFrom('p', 'q', 'r', 's'),
  }),
  fc.record({
    step: fc.constant('rename' as const),
    from: fc.constantFrom(...paths),
    path: fc.constantFrom(...paths),
  }),
  fc.record({
    step: fc.constantFrom('unlink' as const, 'sync' as const),
    path: fc.constantFrom(...paths, '/disk/f', '/disk'),
  }),
)

/** Random steps as actions that are possible, with the files as programs see them after each. */
function possibleActions(
  steps: (typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const actions: Action[] = [{ kind: 'make-folder', path: '/disk/f', mode: 0o700 }]
  let files = new Map<string, string>()
  const visible = [files]
  const act = (action: Action, next = files) => {
    actions.push(action)
    files = next
    visible.push(next)
  }
  for (const step of steps)
    if (step.step === 'write') {
      if (!files.has(step.path)) act(create(step.path), new Map(files).set(step.path, ''))
      const old = files.get(step.path)!.padEnd(step.offset, '\0')
      const added = step.letter.repeat(step.size)
      const bytes = old.slice(0, step.offset) + added + old.slice(step.offset + step.size)
      act(write(step.path, step.offset, Buffer.from(added)), new Map(files).set(step.path, bytes))
    } else if (step.step === 'rename') {
      if (!files.has(step.from) || step.from === step.path) continue
      const next = new Map(files).set(step.path, files.get(step.from)!)
      next.delete(step.from)
      act({ kind: 'rename', from: step.from, path: step.path }, next)
    } else if (step.step === 'unlink') {
      if (!files.has(step.path)) continue
      const next = new Map(files)
      next.delete(step.path)
      act({ kind: 'unlink', path: step.path }, next)
    } else if (files.has(step.path) || !step.path.match(/[ab]$/)) act(sync(step.path))
  return { actions, visible }
}

const contentsOf = (state: DiskFolder) =>
  new Map(paths.flatMap((path) => (nodeAt(state, path) ? [[path, bytesAt(state, path)!]] : [])))

test('if everything is kept, the disk has what programs saw at the moment of the cut', () => {
  fc.assert(
    fc.property(fc.array(arbitraryStep, { maxLength: 30 }), fc.nat(), (steps, at) => {
      const { actions, visible } = possibleActions(steps)
      const cut = at % visible.length
      assert.deepEqual(contentsOf(diskAfterCut(follow(actions), cut + 1, 'kept')), visible[cut])
    }),
  )
})

test('if everything is synced, the disk has what programs saw, whatever the rest is', () => {
  const syncAll = [...paths, '/disk/f', '/disk'].map(sync)
  fc.assert(
    fc.property(
      fc.array(arbitraryStep, { maxLength: 30 }),
      fc.array(arbitraryStep, { maxLength: 5 }),
      fc.string(),
      (steps, later, seed) => {
        const before = possibleActions(steps)
        const all = possibleActions([...steps, ...later])
        const later_actions = all.actions.slice(before.actions.length)
        const history = follow([...before.actions, ...syncAll, ...later_actions])
        const state = contentsOf(diskAfterCut(history, END, seededRandom(seed)))
        const touched = new Set(
          later_actions.flatMap((action) =>
            ('from' in action ? [action.from] : []).concat(action.path),
          ),
        )
        for (const [path, bytes] of before.visible.at(-1)!)
          if (!touched.has(path)) assert.equal(state.get(path), bytes, path)
      },
    ),
  )
})

test('every sector is a version that was written, or zeros', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryStep, { maxLength: 30 }),
      fc.nat(),
      fc.string(),
      (steps, at, seed) => {
        const { actions, visible } = possibleActions(steps)
        const cut = at % visible.length
        const state = diskAfterCut(follow(actions), cut + 1, seededRandom(seed))
        const sectorsOf = (bytes: string) =>
          Array.from({ length: Math.ceil(bytes.length / SECTOR_BYTES) }, (_, index) =>
            bytes.slice(index * SECTOR_BYTES, (index + 1) * SECTOR_BYTES),
          )
        const versions = visible
          .slice(0, cut + 1)
          .flatMap((files) => [...files.values()].map(sectorsOf))
        for (const bytes of contentsOf(state).values())
          for (const [index, sector] of sectorsOf(bytes).entries()) {
            // The end of a sector may be cut off by a smaller size, or be zeros by a larger one.
            const used = sector.replace(/\0+$/, '')
            const is_known = versions.some((sectors) => sectors[index]?.startsWith(used))
            assert.ok(is_known || used === '', `an unknown sector ${index}`)
          }
      },
    ),
  )
})

const hex = (string: string) =>
  [...Buffer.from(string)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
const parse = (...lines: string[]) => parseTrace(Buffer.from(`${lines.join('\n')}\n`), ROOT)

test('the parser joins interrupted calls and ignores failed ones', () => {
  const file = hex('/disk/a')
  assert.deepEqual(
    parse(
      `1  openat(AT_FDCWD<${hex('/')}>, "${file}", O_WRONLY|O_CREAT, 0640) = 5<${file}>`,
      `1  pwrite64(5<${file}>, "${hex('hello')}", 5, 7 <unfinished ...>`,
      `2  fsync(6<${hex('/disk')}>) = 0`,
      `2  mkdirat(AT_FDCWD<${hex('/disk')}>, "${hex('f')}", 0700) = -1 EEXIST (File exists)`,
      '1  <... pwrite64 resumed>) = 4',
      `1  unlinkat(AT_FDCWD<${hex('/disk')}>, "${hex('a')}", 0) = 0`,
      `1  write(5<${file}>(deleted), "${hex('x')}", 1) = 1`,
      `2  write(7<${hex('/elsewhere')}>, "${hex('x')}", 1) = 1`,
    ),
    [
      { begin: 0, end: 0, ...create('/disk/a'), fd: 5, truncates: false, mode: 0o640 },
      { begin: 2, end: 2, kind: 'sync', path: '/disk' },
      { begin: 1, end: 4, ...write('/disk/a', 7, Buffer.from('hell')), fd: 5 },
      { begin: 5, end: 5, kind: 'unlink', path: '/disk/a' },
    ],
  )
})

test('the parser resolves relative paths by the working folder of each process', () => {
  const [operation] = parse(
    `1  chdir("${hex('/disk/data')}") = 0`,
    `2  rename("${hex('old')}", "${hex('sub/new')}") = 0`,
    '1  clone(child_stack=NULL, flags=SIGCHLD) = 2',
  )
  const expected = { kind: 'rename', from: '/disk/data/old', path: '/disk/data/sub/new' }
  assert.deepEqual(operation, { begin: 1, end: 1, ...expected })
})

test('the parser reads a call of several buffers, and rejects one that was shortened', () => {
  const iov = (string: string) => `{iov_base="${hex(string)}", iov_len=${string.length}}`
  const call = `1  pwritev(5<${hex('/disk/a')}>, [${iov('ab')}, ${iov('cd')}], 2, 100) = 4`
  assert.deepEqual(parse(call), [
    { begin: 0, end: 0, ...write('/disk/a', 100, Buffer.from('abcd')), fd: 5 },
  ])
  assert.throws(() => parse(`1  write(5<${hex('/disk/a')}>, "${hex('ab')}"..., 100) = 100`))
})
