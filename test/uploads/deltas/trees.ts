import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fc } from '../../support/property.ts'

/** What is at a path: a file with its mode, a link, or an empty folder. */
export type Node =
  | { kind: 'file'; bytes: Buffer; executable: boolean }
  | { kind: 'link'; target: string }
  | { kind: 'folder' }
export type TreeModel = Map<string, Node>

/** Bytes without a pattern, the same for the same seed. */
export function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed | 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes[index] = state >>> 24
  }
  return bytes
}

const contents = fc
  .record({
    kind: fc.constantFrom('empty', 'tiny', 'text', 'noise', 'sparse'),
    length: fc.nat({ max: 200_000 }),
    seed: fc.integer(),
  })
  .map(({ kind, length, seed }) => {
    if (kind === 'empty') return Buffer.alloc(0)
    if (kind === 'tiny') return noise(length % 64, seed)
    if (kind === 'text') return Buffer.alloc(length, `line ${seed} of a file\n`)
    if (kind === 'sparse') return Buffer.concat([Buffer.alloc(length), noise(10, seed)])
    return noise(length, seed)
  })

const names = ['game', 'data/a.bin', 'data/b.bin', 'data/level1.pak', 'lib/x/y.so', 'ä ö.txt']
const path = fc.constantFrom(...names, 'data/app.3f9c21ab.js', 'read me', 'z')
const node: fc.Arbitrary<Node> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('file' as const),
      bytes: contents,
      executable: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'link', target: 'game' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'folder' } as const) },
)

/** A link in a folder would have to lead elsewhere, so links are at the top. */
const placed = ([at, value]: [string, Node]): [string, Node] =>
  value.kind === 'link' ? ['link to the game', value] : [at, value]

export const tree: fc.Arbitrary<TreeModel> = fc
  .array(fc.tuple(path, node), { minLength: 1, maxLength: 8 })
  .map(
    (pairs) =>
      new Map<string, Node>([
        ['always', { kind: 'file', bytes: Buffer.from('here'), executable: false }],
        ...pairs.map(placed),
      ]),
  )

type Edit = { what: string; at: number; seed: number; length: number }

const edit = fc.record({
  what: fc.constantFrom('insert', 'cut', 'replace', 'rename', 'mode', 'remove', 'swap'),
  at: fc.nat(),
  seed: fc.integer(),
  length: fc.nat({ max: 5000 }),
})

/** A tree and what a new version makes of it: other files, and changes of those that it has. */
export const treePair = fc
  .tuple(tree, fc.array(edit, { maxLength: 6 }), fc.option(tree, { freq: 4 }))
  .map(([before, edits, added]) => {
    const after: TreeModel = new Map(before)
    for (const change of edits) applyEdit(after, change)
    for (const [at, value] of added ?? []) after.set(at, value)
    return { before, after }
  })

function applyEdit(model: TreeModel, { what, at, seed, length }: Edit) {
  const [place, value] = [...model][at % model.size]!
  if (value.kind !== 'file' || place === 'always') return
  const { bytes } = value
  const offset = bytes.length ? at % bytes.length : 0
  const edited = (...parts: Uint8Array[]) =>
    model.set(place, { ...value, bytes: Buffer.concat(parts) })
  const [head, tail] = [bytes.subarray(0, offset), bytes.subarray(offset)]
  if (what === 'insert') edited(head, noise(length, seed), tail)
  else if (what === 'cut') edited(head, tail.subarray(length))
  else if (what === 'replace') edited(head, noise(length, seed), tail.subarray(length))
  else if (what === 'swap') edited(tail, head)
  else if (what === 'mode') model.set(place, { ...value, executable: !value.executable })
  else model.delete(place)
  if (what === 'rename') model.set(`moved ${Math.abs(seed) % 100}`, value)
}

/** Writes the tree. A path below another file or link is skipped, as no disk can hold it. */
export function writeTree(folder: string, model: TreeModel): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [place, value] of model) {
    const target = join(folder, place)
    mkdirSync(value.kind === 'folder' ? target : dirname(target), { recursive: true })
    if (value.kind === 'link') symlinkSync(value.target, target)
    if (value.kind === 'file') {
      writeFileSync(target, value.bytes)
      chmodSync(target, value.executable ? 0o755 : 0o644)
    }
  }
  return folder
}

/** A game of about a megabyte, and the same with a small change in its largest file. */
export function gameVersions() {
  // The same in every run, so that its chunks have the same sizes.
  const data = createHash('shake256', { outputLength: 1_000_000 }).digest()
  const files = (bytes: Buffer, extra: string): TreeModel =>
    new Map<string, Node>([
      ['bin/game', { kind: 'file', bytes: Buffer.from(`#!/bin/sh\n${extra}`), executable: true }],
      ['data/level1.pak', { kind: 'file', bytes, executable: false }],
      ['data/music.ogg', { kind: 'file', bytes: noise(200_000, 9), executable: false }],
    ])
  const changed = Buffer.concat([data.subarray(0, 400_000), noise(3000, 5), data.subarray(400_500)])
  return { before: files(data, 'one'), after: files(changed, 'two') }
}
