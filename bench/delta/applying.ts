import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { applyPatch } from '../../cli/client/apply-patch.ts'
import { inParallel, writeAll } from '../../cli/client/disk.ts'
import type { InstalledVersion } from '../../cli/client/record.ts'
import { MIB } from '../../src/core/runtime/units.ts'
import { PREFIX_BYTES, readHeader, readPrefix } from '../../src/updates/patches/format.ts'
import { median } from '../support/harness.ts'
import type { Pair } from './pairs.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** As many as the client makes at the same time. */
const FILES_AT_ONCE = 4
const MODE = 0o644

export function readPatch(bytes: Buffer) {
  const length = readPrefix(bytes.subarray(0, PREFIX_BYTES))!
  const start = PREFIX_BYTES + length
  return { header: readHeader(bytes.subarray(PREFIX_BYTES, start))!, start }
}

type Measured = { seconds: number; cpu_seconds: number }

async function measure(run: () => Promise<void>): Promise<Measured> {
  const cpu = process.cpuUsage()
  const began = performance.now()
  await run()
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - began) / 1000, cpu_seconds: (user + system) / 1e6 }
}

/**
 * How long the client takes to apply a patch that it has on disk: it reads the patch and the old
 * files, makes the new files, compares each with its SHA-256 and syncs it. Against it:
 *
 * - writing the same files from memory, each synced, as many at once; nothing is read or compared;
 * - the same with a SHA-256 of each file, as for a client that downloads files whole and keeps none
 *   that is not of the manifest.
 *
 * In turns, and the median of each. On a fast disk both are bound by the processor, so the seconds
 * of it are shown too, which other load on the machine changes less.
 */
export async function compareApplying(
  path: string,
  pair: Pair,
  folder: string,
): Promise<[string, string][]> {
  const { header } = readPatch(readFileSync(path))
  const missing = header.entries.map((entry) => ({
    path: entry.path,
    size: entry.size,
    sha256: entry.sha256,
    mode: MODE,
  }))
  const bases = new Map(header.entries.map(({ from }) => [from.path, { ...from, mode: MODE }]))
  const stampOf = (name: string) => {
    const { size, mtimeMs } = statSync(join(pair.old, name))
    return [size, mtimeMs] as [number, number]
  }
  const old = {
    entries: [...bases.values()],
    stamps: Object.fromEntries([...bases.keys()].map((name) => [name, stampOf(name)])),
  } as unknown as InstalledVersion
  const contents = new Map(
    missing.map((entry) => [entry.path, readFileSync(join(pair.new, entry.path))]),
  )
  const tree = join(folder, 'applied')
  const write = (with_hash: boolean) =>
    inParallel(missing, FILES_AT_ONCE, async ({ path: name, sha256 }) => {
      const file = await open(join(tree, name), 'w', 0o600)
      const hash = createHash('sha256')
      const bytes = contents.get(name)!
      for (let at = 0; at < bytes.length; at += MIB) {
        const block = bytes.subarray(at, at + MIB)
        if (with_hash) hash.update(block)
        await writeAll(file, block, at)
      }
      if (with_hash && hash.digest('hex') !== sha256) throw new Error('a file is wrong')
      await file.chmod(MODE)
      await file.sync()
      await file.close()
    })
  const { from_file, to_file } = header
  const sides = {
    applying: async () => {
      const files = { from_file, to_file }
      const made = await applyPatch({
        ...{ spool: path, files, tree, old, old_tree: pair.old, missing },
        onBytes: () => {},
      })
      if (made.length !== missing.length) throw new Error('a patch is wrong')
    },
    writing: () => write(false),
    'hashing and writing': () => write(true),
  }
  const figures = Object.entries(sides).map(([name, run]) => ({
    name,
    run,
    rounds: [] as Measured[],
  }))
  for (let round = 0; round < ROUNDS; round++)
    for (const { run, rounds } of figures) {
      rmSync(tree, { recursive: true, force: true })
      for (const entry of missing) mkdirSync(dirname(join(tree, entry.path)), { recursive: true })
      rounds.push(await measure(run))
    }
  rmSync(tree, { recursive: true, force: true })
  const medians = figures.map(({ name, rounds }) => ({
    name,
    seconds: median(rounds.map(({ seconds }) => seconds)),
    cpu_seconds: median(rounds.map(({ cpu_seconds }) => cpu_seconds)),
  }))
  const [applying, ...others] = medians
  const size = missing.reduce((sum, entry) => sum + entry.size, 0)
  return [
    ...medians.map(({ name, seconds, cpu_seconds }): [string, string] => [
      `${name}: s (of the processor)`,
      `${seconds.toFixed(2)} (${cpu_seconds.toFixed(2)}), ${(size / 1e6 / seconds).toFixed(0)} MB/s`,
    ]),
    ...others.map(({ name, seconds, cpu_seconds }): [string, string] => [
      `applying / ${name}`,
      `${(applying!.seconds / seconds).toFixed(2)} (${(applying!.cpu_seconds / cpu_seconds).toFixed(2)})`,
    ]),
  ]
}
