import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { setPriority, constants as system } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants, crc32 } from 'node:zlib'
import { type Item, readTree } from '../../cli/zip/tree.ts'
import { roughNetwork } from '../../sim/rough-network.ts'
import { client } from '../../test/support/app.ts'
import { builders } from '../../test/support/builders.ts'
import { report, scratch } from '../support/harness.ts'
import { stopProcess } from '../support/processes.ts'
import { fetchPairs, type Pair } from './pairs.ts'
import { startWithUploader } from './service.ts'

/** The quality with which butler compresses what it sends. */
const BUTLER_QUALITY = 1
const BUTLER_BLOCK = 65_536

export type Setup = {
  http: ReturnType<typeof client>
  url: string
  program: string
  folder: string
  data_dir: string
}

/**
 * The bytes of an upload after a small release, with all that is sent for it. Targets: at most 0.9
 * of butler's scheme (64 KiB blocks, brotli) without a local base, and at most 0.6 with one.
 */
export async function deltaUploads() {
  const { folder, remove } = scratch()
  const children: ChildProcess[] = []
  try {
    const { child, url, program, data_dir } = await startWithUploader(folder)
    children.push(child)
    const setup = { http: client(url), url, program, folder, data_dir }
    for (const pair of fetchPairs()) await compareBytes(pair, setup)
  } finally {
    for (const child of children) await stopProcess(child)
    remove()
  }
}

async function compareBytes(pair: Pair, setup: Setup) {
  const patch = butlerPatch(pair, setup.folder)
  const rows = [
    { name: 'butler: rdiff 64 KiB, brotli', median: patch + butlerLists(pair) },
    { name: '  of that changed blocks', median: patch },
  ]
  for (const [name, flags] of [
    ['slipway push --whole', ['--whole']],
    ['slipway push', []],
    ['slipway push --base', ['--base', pair.old]],
  ] as const) {
    rows.push({ name, median: await pushPair(pair, setup, flags) })
  }
  report(`Uploading the next release of ${pair.name}: bytes (smaller is better)`, rows, 'bytes')
}

/**
 * What butler sends besides: the files of both builds with each patch, and a signature of the new
 * build, which has the files and two checksums of each block.
 */
function butlerLists({ old, new: next }: Pair): number {
  const list = (items: readonly Item[]) =>
    Buffer.from(items.map(({ path, size }) => `${path} ${size} 644\n`).join(''))
  const files = readTree(next).items
  const checksums = files.flatMap(({ kind, source }) => (kind === 'file' ? blockSums(source) : []))
  return (
    brotli(Buffer.concat([list(readTree(old).items), list(files)])) +
    brotli(Buffer.concat([list(files), ...checksums]))
  )
}

function blockSums(path: string): Buffer[] {
  const bytes = readFileSync(path)
  const sums: Buffer[] = []
  for (let at = 0; at < bytes.length; at += BUTLER_BLOCK) {
    const block = bytes.subarray(at, at + BUTLER_BLOCK)
    const weak = Buffer.alloc(4)
    weak.writeUInt32LE(crc32(block))
    sums.push(weak, createHash('md5').update(block).digest())
  }
  return sums
}

const brotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BUTLER_QUALITY } }).length

/** Blocks of the old file with the same path that occur in the new one are not sent. */
function butlerPatch({ old, new: next }: Pair, folder: string): number {
  const signature = join(folder, 'rdiff.sig')
  const delta = join(folder, 'rdiff.delta')
  const parts: Buffer[] = []
  for (const { path, kind, source } of readTree(next).items) {
    if (kind !== 'file') continue
    const before = join(old, path)
    if (!existsSync(before) || !statSync(before).isFile()) {
      parts.push(readFileSync(source))
      continue
    }
    const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
    if (hash(before) === hash(source)) continue
    execFileSync('rdiff', ['-f', '-b', String(BUTLER_BLOCK), 'signature', before, signature])
    execFileSync('rdiff', ['-f', 'delta', signature, source, delta])
    parts.push(readFileSync(delta))
  }
  return brotli(Buffer.concat(parts))
}

/** Pushes both releases of a pair to a new game. Returns the bytes that are sent for the second. */
async function pushPair(pair: Pair, setup: Setup, flags: readonly string[]): Promise<number> {
  const a = builders(setup.http, setup.data_dir)
  const { headers } = await a.deployer(await a.listing({ owner: await a.verifiedDeveloper() }))
  await push(setup, headers, [pair.old, '--version', '1', '--os', 'linux', '--wait'])
  const network = await roughNetwork(setup.url, () => ({}))
  try {
    const args = [pair.new, '--version', '2', '--os', 'linux', ...flags]
    await push(setup, headers, args, network.url)
    return network.sentBytes()
  } finally {
    await network.close()
  }
}

export async function push(
  { program, folder, url }: Setup,
  headers: Record<string, string>,
  args: string[],
  address = url,
): Promise<void> {
  const child = spawn(process.execPath, [program, 'push', ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      SVC_API_URL: `${address}/api/v1`,
      SVC_UPLOAD_URL: `${address}/api/v1`,
      SVC_ACCESS_TOKEN: headers['x-access-token'],
      SVC_SECRET_KEY: headers['x-secret-key'],
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // It would run on another machine, and the service is what is measured.
  setPriority(child.pid!, system.priority.PRIORITY_LOW)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`slipway ended with ${code}`)
}
