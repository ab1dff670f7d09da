import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { crc32 } from 'node:zlib'
import { client } from '../../test/support/app.ts'
import { builders, must } from '../../test/support/builders.ts'
import { memoryGrowth } from '../../test/support/memory.ts'
import { startSwift } from '../../test/support/programs/object-store.ts'
import { scratch } from './harness.ts'
import { serviceCommand, startServer, stopProcess } from './processes.ts'

export const MIB = 1024 * 1024

/** A temporary folder, processes that are stopped with it, and the service with one game in it. */
export function createBench() {
  const { folder, remove } = scratch()
  const children: ChildProcess[] = []
  const cleanups: (() => unknown)[] = []
  async function start(command: string[], env: Record<string, string> = {}) {
    const server = await startServer(command, env)
    children.push(server.child)
    return server
  }
  const data_dir = join(folder, 'data')
  mkdirSync(data_dir)
  const settings = { DATA_DIR: data_dir, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'fatal' }
  const service = (env: Record<string, string> = {}) =>
    start(serviceCommand, { ...settings, ...env })

  /** Creates a game with a deploy key and a build, in a service that is stopped afterwards. */
  async function makeGame() {
    const { child, url } = await service()
    const http = client(url)
    const a = builders(http, data_dir)
    const owner = await a.verifiedDeveloper()
    const listing = await a.listing({ owner })
    const { headers } = await a.deployer(listing)
    const { build_id } = must(
      await http.post(
        '/api/v1/tool/upload/build',
        { version: '1', os: 'linux', arch: 'x86_64' },
        { headers },
      ),
    )
    await stopProcess(child)
    return { headers, build_id: build_id as string, owner, game_uid: listing.uid }
  }
  return {
    folder,
    data_dir,
    start,
    stop: stopProcess,
    service,
    makeGame,
    /** Starts a real object store as the tests do and returns the URL of a bucket in it. */
    bucket: async (name: string) => {
      const after = (cleanup: () => unknown) => cleanups.push(cleanup)
      const createBucket = await startSwift({ after } as unknown as TestContext)
      return createBucket(name)
    },
    /** Deletes the uploaded files, so that an ordinary disk is large enough. */
    dropObjects: () => {
      for (const name of globSync('objects/builds/*/*.zip', { cwd: data_dir }))
        rmSync(join(data_dir, name))
    },
    async close() {
      for (const child of children) await stopProcess(child)
      for (const cleanup of cleanups) await cleanup()
      remove()
    },
  }
}

/** Returns a function that returns the peak growth of resident memory since now, in MB. */
export function memoryGrowthMb({ pid }: ChildProcess): () => number {
  const growth = memoryGrowth(pid!)
  return () => growth() / MIB
}

/** Seconds of processor time, which other load on the machine affects less than speed. */
export function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Writes a Zip64 file with one stored entry of random bytes; returns its SHA-256. */
export async function makeZip(path: string, mib: number): Promise<string> {
  const out = createWriteStream(path)
  const hash = createHash('sha256')
  const block = randomBytes(MIB)
  const name = Buffer.from('game')
  const write = async (bytes: Buffer) => {
    hash.update(bytes)
    if (!out.write(bytes)) await once(out, 'drain')
  }
  const size = mib * MIB
  let crc = 0
  for (let i = 0; i < mib; i++) crc = crc32(block, crc)
  const extra = Buffer.alloc(20)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(16, 2)
  extra.writeBigUInt64LE(BigInt(size), 4)
  extra.writeBigUInt64LE(BigInt(size), 12)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(45, 0)
  common.writeUInt32LE(crc, 10)
  common.fill(0xff, 14, 22)
  common.writeUInt16LE(name.length, 22)
  common.writeUInt16LE(extra.length, 24)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, extra])
  await write(local)
  for (let i = 0; i < mib; i++) await write(block)
  const entry = Buffer.concat([
    Buffer.from('PK\x01\x02\x2d\0'),
    common,
    Buffer.alloc(14),
    name,
    extra,
  ])
  const start = local.length + size
  const zip64_end = Buffer.alloc(56 + 20)
  zip64_end.write('PK\x06\x06', 0, 'latin1')
  zip64_end.writeBigUInt64LE(44n, 4)
  zip64_end.writeBigUInt64LE(1n, 24)
  zip64_end.writeBigUInt64LE(1n, 32)
  zip64_end.writeBigUInt64LE(BigInt(entry.length), 40)
  zip64_end.writeBigUInt64LE(BigInt(start), 48)
  zip64_end.write('PK\x06\x07', 56, 'latin1')
  zip64_end.writeBigUInt64LE(BigInt(start + entry.length), 64)
  zip64_end.writeUInt32LE(1, 72)
  const end = Buffer.alloc(22, 0xff)
  end.write('PK\x05\x06', 0, 'latin1')
  end.fill(0, 4, 8)
  end.fill(0, 20)
  for (const bytes of [entry, zip64_end, end]) await write(bytes)
  out.end()
  await once(out, 'close')
  return hash.digest('hex')
}
