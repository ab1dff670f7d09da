import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, deflateRawSync } from 'node:zlib'
import { compressFile, type Pass } from '../../src/updates/patches/compress.ts'
import { composePatch } from '../../src/updates/patches/make.ts'
import { matchFiles } from '../../src/updates/patches/match-files.ts'
import { scratch } from '../support/harness.ts'
import { compareApplying, readPatch } from './applying.ts'
import { fetchPairs, type Pair } from './pairs.ts'

/** `BENCH_SECOND_PASS=no` leaves out what takes minutes: the second pass and bsdiff. */
const WITH_SECOND_PASS = process.env.BENCH_SECOND_PASS !== 'no'
const BLOCK_BYTES = 64 * 1024
const BUTLER_QUALITY = 1

type TreeEntry = {
  path: string
  size: number
  sha256: string
  mode: number
  file: string
  link?: string
}

function treeOf(folder: string): TreeEntry[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name)
      const path = file.slice(folder.length + 1)
      if (entry.isSymbolicLink())
        return { path, size: 0, sha256: '', mode: 0o777, file, link: readlinkSync(file) }
      const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
      return { path, size: statSync(file).size, sha256, mode: 0o644, file }
    })
}

/** How many bytes a file has in a zip. */
const zippedBytes = new Map<string, number>()
function zipped({ file, sha256 }: TreeEntry): number {
  const bytes = zippedBytes.get(sha256) ?? deflateRawSync(readFileSync(file)).length
  zippedBytes.set(sha256, bytes)
  return bytes
}

/** The entries of a folder, in the place of those of a stored zip. */
function entriesOf(tree: TreeEntry[]) {
  const by_path = new Map(tree.map((entry) => [entry.path, entry]))
  return {
    compressedSize: (path: string) => zipped(by_path.get(path)!),
    unpackTo: async (path: string, _: string, target: string) =>
      writeFileSync(target, readFileSync(by_path.get(path)!.file)),
  }
}

const secondsOf = async <T>(run: () => T | Promise<T>): Promise<[T, number]> => {
  const began = performance.now()
  const result = await run()
  return [result, (performance.now() - began) / 1000]
}

async function ownPatch(
  old: TreeEntry[],
  next: TreeEntry[],
  folder: string,
  { pass, only_here = false }: { pass: Pass; only_here?: boolean },
) {
  mkdirSync(folder)
  const changed = matchFiles(old, next)
  const made = await composePatch(
    { from_file: 'old', to_file: 'new' },
    {
      changed: changed as never,
      old_zip: entriesOf(old),
      new_zip: entriesOf(next),
      folder,
      pass,
      compress: (request) => compressFile({ ...request, only_here }),
    },
  )
  const header = made && readPatch(readFileSync(made.path)).header
  const patched = new Set(header?.entries.map(({ path }) => path))
  const old_contents = new Set(old.map(({ sha256 }) => sha256))
  const rest = next
    .filter(({ path, sha256 }) => !old_contents.has(sha256) && !patched.has(path))
    .reduce((sum, entry) => sum + zipped(entry), 0)
  return { path: made?.path, bytes: (made?.size ?? 0) + rest }
}

/** The signature and delta of rdiff in blocks, compressed as butler does: its first patch. */
function butlerBytes(old: TreeEntry[], next: TreeEntry[], folder: string): number {
  const old_contents = new Set(old.map(({ sha256 }) => sha256))
  const by_path = new Map(old.map((entry) => [entry.path, entry]))
  let sum = 0
  for (const entry of next.filter(({ sha256, size }) => size && !old_contents.has(sha256))) {
    const base = by_path.get(entry.path)?.file ?? '/dev/null'
    const signature = join(folder, 'signature')
    const delta = join(folder, 'delta')
    execFileSync('rdiff', ['-f', '-b', String(BLOCK_BYTES), 'signature', base, signature])
    execFileSync('rdiff', ['-f', 'delta', signature, entry.file, delta])
    const params = { [constants.BROTLI_PARAM_QUALITY]: BUTLER_QUALITY }
    sum += brotliCompressSync(readFileSync(delta), { params }).length
  }
  return sum
}

/** The changed files by bsdiff, which needs seventeen times their size in memory. */
function bsdiffBytes(old: TreeEntry[], next: TreeEntry[], folder: string): number {
  const delta = join(folder, 'bsdiff')
  const changed = matchFiles(old, next)
  const paths = new Set(changed.map(({ to }) => to.path))
  const old_contents = new Set(old.map(({ sha256 }) => sha256))
  const rest = next
    .filter(({ path, sha256, size }) => size && !paths.has(path) && !old_contents.has(sha256))
    .reduce((sum, entry) => sum + zipped(entry), 0)
  return changed.reduce((sum, { from, to }) => {
    execFileSync('bsdiff', [from.file, to.file, delta])
    return sum + statSync(delta).size
  }, rest)
}

/** What casync fetches: the new chunks of an archive of the folder. */
function casyncBytes({ old, new: next }: Pair, folder: string): number {
  const store = join(folder, 'chunks')
  const make = (tree: string, name: string) =>
    execFileSync('casync', ['make', '--with=unix', join(folder, name), tree, `--store=${store}`], {
      stdio: 'ignore',
    })
  const stored = () =>
    readdirSync(store, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  make(old, 'old.caidx')
  const before = stored()
  make(next, 'new.caidx')
  return stored() - before + statSync(join(folder, 'new.caidx')).size
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(2)

/**
 * What a player downloads to update, in bytes. Targets: a patch has at most 0.6 of the bytes of
 * butler's first patch, the second pass at most 1.1 of those of bsdiff, and applying takes at most
 * 1.5 of the time of writing, for which see compareApplying.
 */
export async function playerPatches() {
  for (const pair of fetchPairs()) {
    const { folder, remove } = scratch()
    try {
      const [old, next] = [treeOf(pair.old), treeOf(pair.new)]
      const whole = next.reduce((sum, entry) => sum + (entry.link ? 0 : zipped(entry)), 0)
      const [first, seconds] = await secondsOf(() =>
        ownPatch(old, next, join(folder, '1'), { pass: 1 }),
      )
      const here = await ownPatch(old, next, join(folder, 'here'), { pass: 1, only_here: true })
      const butler = butlerBytes(old, next, folder)
      const casync = casyncBytes(pair, folder)
      const applying = first.path ? await compareApplying(first.path, pair, folder) : []
      const rows: [string, string][] = [
        ['whole zip', megabytes(whole)],
        ['rdiff and brotli (butler)', megabytes(butler)],
        ['casync', megabytes(casync)],
        ['patch', `${megabytes(first.bytes)} in ${seconds.toFixed(1)} s`],
        ['patch without the program zstd', megabytes(here.bytes)],
        ['patch / butler', (first.bytes / butler).toFixed(2)],
        ...applying,
      ]
      if (WITH_SECOND_PASS) {
        const second = await ownPatch(old, next, join(folder, '2'), { pass: 2 })
        const bsdiff = bsdiffBytes(old, next, folder)
        rows.push(
          ['bsdiff', megabytes(bsdiff)],
          ['second pass', megabytes(second.bytes)],
          ['second pass / bsdiff', (second.bytes / bsdiff).toFixed(2)],
        )
      }
      process.stdout.write(`\n${pair.name} (MB to download)\n`)
      for (const [name, value] of rows) process.stdout.write(`  ${name.padEnd(32)}${value}\n`)
      rmSync(join(folder, '1'), { recursive: true, force: true })
    } finally {
      remove()
    }
  }
}
