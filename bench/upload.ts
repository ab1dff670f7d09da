import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { client } from '../test/app.ts'
import { builders, must } from '../test/builders.ts'
import { median, report, scratch } from './harness.ts'

const MIB = 1024 * 1024
const SIZE = Number(process.env.BENCH_MIB ?? 1024)
const ROUNDS = 5
const CHUNK = 16 * MIB
const node = [process.execPath, '--disable-warning=ExperimentalWarning']

/**
 * Promises: a whole file in one request at 0.9 of bare node:http writing and hashing the same bytes with fdatasync; in 16 MiB chunks at 0.8 of
 * the single request; memory grows by less than 64 MB.
 */
export async function uploads() {
  const { folder, remove } = scratch()
  const children: ChildProcess[] = []
  const start = async (command: string[], env: Record<string, string>) => {
    const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
    children.push(child)
    for await (const line of createInterface({ input: child.stdout! })) if (line.startsWith('ready ')) return { child, url: line.slice(6) }
    throw new Error('a server of the bench ended before it was ready')
  }
  try {
    const file = join(folder, 'game.zip')
    const checksum = await makeZip(file, SIZE)
    const bare = await start([...node, join(import.meta.dirname, 'opponents/bare-upload.ts')], { BENCH_FOLDER: folder })
    const data_dir = join(folder, 'data')
    mkdirSync(data_dir)
    const settings = { DATA_DIR: data_dir, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'fatal' }
    const ours = await start([...node, 'src/main.ts'], settings)
    const http = client(ours.url)
    const a = builders(http, data_dir)
    const listing = await a.listing({ owner: await a.verifiedDeveloper() })
    const { headers } = await a.deployer(listing)
    const { build_id } = must(await http.post('/api/v1/tool/upload/build', { version: '1' }, { headers }))
    ours.child.kill('SIGTERM')
    await once(ours.child, 'exit')
    // Without the worker: what is measured is the upload, not the scan of the one before it.
    const upload = await start([...node, 'src/main.ts'], { ...settings, SLIPWAY_ROLES: 'api,upload' })
    const auth = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const send = {
      'bare node:http': () => curl(['--data-binary', `@${file}`, '-H', 'expect:', bare.url]),
      'one request': () =>
        curl([
          ...auth,
          '-H',
          'expect:',
          '-F',
          `build_id=${build_id}`,
          '-F',
          `checksum=${checksum}`,
          '-F',
          `file=@${file}`,
          `${upload.url}/api/v1/tool/upload/files`,
        ]),
      'chunks of 16 MiB': () => inChunks(upload.url, headers, file, { build_id, checksum }),
    }
    const figures = new Map(Object.keys(send).map((name) => [name, [] as number[]]))
    await send['one request']()
    const before = memory(upload.child)
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, run] of Object.entries(send)) {
        const begun = performance.now()
        await run()
        figures.get(name)!.push(SIZE / ((performance.now() - begun) / 1000))
        for (const name of globSync('objects/builds/*/*.zip', { cwd: data_dir })) rmSync(join(data_dir, name))
      }
    const rows = report(
      `Uploading ${SIZE} MiB`,
      [...figures].map(([name, all]) => ({ name, median: median(all) })),
      'MiB/s',
    )
    process.stdout.write(`  memory: ${before} MB after the first, ${memory(upload.child)} MB at most\n`)
    return rows
  } finally {
    for (const child of children) {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    remove()
  }
}

const memory = ({ pid }: ChildProcess) => Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)

function curl(args: string[]): void {
  const output = execFileSync('curl', ['-sS', '-w', '\n%{http_code}', ...args], { encoding: 'utf8', maxBuffer: MIB })
  if (!/\n20[01]$/.test(output)) throw new Error(output)
}

const agent = new Agent({ keepAlive: true })

/** Sends a chunk as a form with one part, without copying it. */
async function sendChunk(url: string, headers: Record<string, string>, chunk: Buffer): Promise<void> {
  const [before, after] = [
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'),
    Buffer.from('\r\n--b--\r\n'),
  ]
  const length = before.length + chunk.length + after.length
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b', 'content-length': length },
  })
  sent.write(before)
  sent.write(chunk)
  sent.end(after)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(answer)
  if (answer.statusCode !== 201 && answer.statusCode !== 202) throw new Error(body)
}

async function inChunks(url: string, headers: Record<string, string>, file: string, fields: Record<string, string>) {
  const total = statSync(file).size
  const form = new URLSearchParams({ ...fields, filename: 'game.zip', total_size: String(total) })
  const opening = { raw: String(form), headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } }
  const session: string = must(await client(url).call('POST', '/api/v1/tool/upload/sessions', opening)).session_id
  let at = 0
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    const range = `bytes ${at}-${at + chunk.length - 1}/${total}`
    await sendChunk(`${url}/api/v1/tool/upload/files`, { ...headers, 'x-upload-session-id': session, 'content-range': range }, chunk)
    at += chunk.length
  }
}

/** A zip of one stored file of random bytes; answers its SHA-256. */
async function makeZip(path: string, mib: number): Promise<string> {
  const [out, hash, block, name] = [createWriteStream(path), createHash('sha256'), randomBytes(MIB), Buffer.from('game')]
  const write = async (bytes: Buffer) => {
    hash.update(bytes)
    if (!out.write(bytes)) await once(out, 'drain')
  }
  const size = mib * MIB
  let crc = 0
  for (let i = 0; i < mib; i++) crc = crc32(block, crc)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt32LE(crc, 10)
  common.writeUInt32LE(size, 14)
  common.writeUInt32LE(size, 18)
  common.writeUInt16LE(name.length, 22)
  await write(Buffer.concat([Buffer.from('PK\x03\x04'), common, name]))
  for (let i = 0; i < mib; i++) await write(block)
  const entry = Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, Buffer.alloc(14), name])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(entry.length, 12)
  end.writeUInt32LE(30 + name.length + size, 16)
  await write(entry)
  await write(end)
  out.end()
  await once(out, 'close')
  return hash.digest('hex')
}

if (import.meta.main) await uploads()
