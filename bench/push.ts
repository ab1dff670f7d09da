import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  globSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { bundleUploader } from '../src/web/uploader-bundle.ts'
import { client } from '../test/support/app.ts'
import { builders, must } from '../test/support/builders.ts'
import { peakMemory } from '../test/support/memory.ts'
import { median, report, scratch } from './support/harness.ts'
import { serviceCommand, startServer, stopProcess } from './support/processes.ts'

const FILES = Number(process.env.BENCH_FILES ?? 20_000)
const MIB = Number(process.env.BENCH_PUSH_MIB ?? 2048)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const FILE_BYTES = 10_000

type Key = { url: string; headers: Record<string, string>; build_id: string }
/** Where both ways of uploading find the service, the uploader and the uploaded files. */
type Setup = { key: Key; program: string; data_dir: string }

/**
 * Targets, as wall time relative to running zip, sha256sum and curl in sequence: at most 1.0 of zip
 * -1 for 20,000 files of 10 kB, and at most 1.2 of zip -0 for 2 GiB of incompressible data. Memory
 * stays under 200 MB in both.
 */
export async function pushes() {
  const { folder, remove } = scratch()
  const children: ChildProcess[] = []
  const start = async (env: Record<string, string>) => {
    const server = await startServer(serviceCommand, env)
    children.push(server.child)
    return server
  }
  try {
    const data_dir = join(folder, 'data')
    mkdirSync(data_dir)
    const settings = { DATA_DIR: data_dir, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'fatal' }
    const first = await start(settings)
    const http = client(first.url)
    const a = builders(http, data_dir)
    const { headers } = await a.deployer(await a.listing({ owner: await a.verifiedDeveloper() }))
    const { build_id } = must(
      await http.post('/api/v1/tool/upload/build', { version: '1' }, { headers }),
    )
    await stopProcess(first.child)
    // Without the worker, so that the scan of the previous upload is not measured.
    const { url } = await start({ ...settings, SLIPWAY_ROLES: 'api,upload' })
    const program = join(folder, 'slipway.mjs')
    writeFileSync(
      program,
      await bundleUploader({ api_url: `${url}/api/v1`, upload_url: `${url}/api/v1` }),
    )
    chmodSync(program, 0o755)
    const setup = { key: { url, headers, build_id }, program, data_dir }
    await compare(`${FILES} files of 10 kB`, manyFiles(folder), '-1', setup)
    await compare(`${MIB} MiB of incompressible data`, oneFile(folder), '-0', setup)
  } finally {
    for (const child of children) await stopProcess(child)
    remove()
  }
}

async function compare(title: string, game: string, level: string, setup: Setup) {
  const times: Record<string, number[]> = {
    [`zip ${level}, sha256sum, curl`]: [],
    'slipway push': [],
  }
  let memory = 0
  for (let round = 0; round < ROUNDS; round++)
    for (const name of Object.keys(times)) {
      const start = performance.now()
      if (name === 'slipway push') memory = Math.max(memory, await push(game, setup, round))
      else uploadWithCurl(game, level, setup.key)
      times[name]!.push(performance.now() - start)
      for (const stored of globSync('objects/builds/*/*.zip', { cwd: setup.data_dir }))
        rmSync(join(setup.data_dir, stored))
    }
  report(
    `Pushing ${title}: wall time (smaller is better)`,
    Object.entries(times).map(([name, all]) => ({ name, median: median(all) })),
    'ms',
  )
  process.stdout.write(`  peak memory of slipway: ${memory} MB\n`)
}

/** The same upload with standard tools. */
function uploadWithCurl(game: string, level: string, { url, headers, build_id }: Key) {
  const zip = `${game}.zip`
  execFileSync('zip', ['-q', '-r', level, zip, '.'], { cwd: game })
  const checksum = execFileSync('sha256sum', [zip], { encoding: 'utf8' }).slice(0, 64)
  const auth = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const form = ['-F', `build_id=${build_id}`, '-F', `checksum=${checksum}`, '-F', `file=@${zip}`]
  const answer = execFileSync(
    'curl',
    [
      '-sS',
      '-w',
      '\n%{http_code}',
      '-H',
      'expect:',
      ...auth,
      ...form,
      `${url}/api/v1/tool/upload/files`,
    ],
    { encoding: 'utf8' },
  )
  if (!answer.endsWith('\n201')) throw new Error(answer)
  rmSync(zip)
}

/** Runs the uploader to its end and returns its peak memory in MB. */
async function push(game: string, { key, program }: Setup, round: number): Promise<number> {
  const env = {
    ...process.env,
    SVC_ACCESS_TOKEN: key.headers['x-access-token']!,
    SVC_SECRET_KEY: key.headers['x-secret-key']!,
  }
  const child = spawn('node', [program, 'push', game, '--version', `2.${round}`, '--os', 'web'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  let peak = 0
  const watch = setInterval(() => {
    try {
      peak = peakMemory(child.pid!)
    } catch {
      // The process has ended.
    }
  }, 50)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  if (code !== 0) throw new Error(errors)
  return Math.round(peak / 1e6)
}

/** Pseudorandom text that is the same in every run and compresses like text. */
function manyFiles(folder: string): string {
  const game = join(folder, 'many')
  const words = Array.from({ length: 4000 }, (_, i) =>
    createHash('md5')
      .update(String(i))
      .digest('hex')
      .slice(0, 3 + (i % 7)),
  )
  let state = 1
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return words[(state >>> 8) % words.length]!
  }
  for (let i = 0; i < FILES; i++) {
    if (i % 200 === 0) mkdirSync(join(game, String(i / 200)), { recursive: true })
    let body = ''
    while (body.length < FILE_BYTES) body += `${next()} ${next()}\n`
    writeFileSync(join(game, String(Math.floor(i / 200)), `${i}.txt`), body.slice(0, FILE_BYTES))
  }
  return game
}

function oneFile(folder: string): string {
  const game = join(folder, 'one')
  mkdirSync(game)
  const file = openSync(join(game, 'data.pak'), 'w')
  for (let i = 0; i < MIB; i++) writeSync(file, randomBytes(1024 * 1024))
  closeSync(file)
  return game
}

if (import.meta.main) await pushes()
