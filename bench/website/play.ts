import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { dirname, join } from 'node:path'
import { client, eventually } from '../../test/support/app.ts'
import { builders, must } from '../../test/support/builders.ts'
import { freePort } from '../../test/support/child.ts'
import { zip } from '../../test/uploads/zips.ts'
import { createBench, memoryGrowthMb } from '../support/fixtures.ts'
import { median, report } from '../support/harness.ts'

const FILES = Number(process.env.BENCH_FILES ?? 2000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const LARGE_MIB = Number(process.env.BENCH_MIB ?? 100)
const PLAYERS = Number(process.env.BENCH_PLAYERS ?? 200)
/** As many as a browser opens to one host. */
const CONNECTIONS = 6
const MIB = 1024 * 1024

export type Target = { url: string; host: string; prefix: string }

/** Reads one file; returns the time to its first byte and its size. */
export function read({ url, host, prefix }: Target, path: string, agent: Agent) {
  const began = performance.now()
  return new Promise<{ first_ms: number; bytes: number }>((resolve, reject) => {
    const headers = { host, 'accept-encoding': 'gzip' }
    get(`${url}${prefix}${path}`, { agent, headers }, (answer) => {
      const first_ms = performance.now() - began
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve({ first_ms, bytes })
          : reject(new Error(`${path} answered ${answer.statusCode}`)),
      )
      answer.on('error', reject)
    }).on('error', reject)
  })
}

/** Reads all files like a browser: files per second, and the median time to a first byte. */
export async function readAll(target: Target, paths: readonly string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const began = performance.now()
  const times = await Promise.all(paths.map((path) => read(target, path, agent)))
  const seconds = (performance.now() - began) / 1000
  const warm = await read(target, paths[0]!, agent)
  agent.destroy()
  const bytes = times.reduce((sum, time) => sum + time.bytes, 0)
  return { files: paths.length / seconds, mib: bytes / MIB / seconds, first_ms: warm.first_ms }
}

async function startNginx(folder: string, root: string, port: string) {
  mkdirSync(folder, { recursive: true })
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;
events {}
http { access_log off; sendfile on; tcp_nopush on; ${temp}
  server { listen 127.0.0.1:${port}; root ${root}; } }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
  await eventually('nginx', () =>
    fetch(`http://127.0.0.1:${port}/index.html`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return child
}

/** A game of many small files, of which scripts and levels compress, and one large one. */
function gameFiles(): { name: string; body: Buffer; method: number }[] {
  const small = Array.from({ length: FILES }, (_, n) => {
    const body = n % 2 ? randomBytes(2000 + (n % 50) * 100) : Buffer.from(`level ${n} `.repeat(400))
    return { name: `assets/${n % 50}/${n}.${n % 2 ? 'png' : 'json'}`, body, method: n % 2 ? 0 : 8 }
  })
  return [
    { name: 'index.html', body: Buffer.from('<!doctype html><title>Game</title>'), method: 0 },
    ...small,
    { name: 'game.pck', body: randomBytes(LARGE_MIB * MIB), method: 0 },
  ]
}

/** A game that anyone may play. */
export async function publishGame(
  http: ReturnType<typeof client>,
  a: ReturnType<typeof builders>,
  bytes: Buffer,
) {
  const game = await a.listing({ owner: await a.verifiedDeveloper() })
  const { file_uid } = await a.cleanBuild(game, { bytes, os: 'web', arch: 'wasm32' })
  const { token } = game.owner
  const path = `/api/v1/private/games/${game.uid}`
  const open = { enabled: true, confirm_no_license: true }
  must(await http.put(`${path}/anonymous-downloads`, open, { token }))
  must(await http.patch(path, { visibility: 'invisible' }, { token }))
  return { game, file_uid, host: `${game.uid}.play.localhost` }
}

/**
 * Targets: 0.8 of nginx with the unpacked folder for many small files; a large file at most 1.1
 * times its time; and memory that does not grow with the players.
 */
export async function playGames() {
  const bench = createBench()
  let nginx: ReturnType<typeof spawn> | undefined
  try {
    const files = gameFiles()
    const root = join(bench.folder, 'unpacked')
    for (const { name, body } of files) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), body)
    }
    chmodSync(bench.folder, 0o755)
    const { child, url } = await bench.service()
    const http = client(url)
    const a = builders(http, bench.data_dir)
    const { file_uid, host } = await publishGame(http, a, zip(files))
    const port = await freePort()
    nginx = await startNginx(join(bench.folder, 'nginx'), root, port)
    const targets: Record<string, Target> = {
      'nginx, unpacked folder': { url: `http://127.0.0.1:${port}`, host: 'localhost', prefix: '/' },
      Slipway: { url, host, prefix: `/${file_uid}/` },
    }
    const paths = files.slice(1, -1).map(({ name }) => name)
    const figures = Object.fromEntries(
      Object.keys(targets).map((name) => [
        name,
        { files: [] as number[], first: [] as number[], large: [] as number[] },
      ]),
    )
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, target] of Object.entries(targets)) {
        const all = await readAll(target, paths)
        const began = performance.now()
        await read(target, 'game.pck', agent)
        const large = performance.now() - began
        // The first round warms up.
        if (round === 0) continue
        figures[name]!.files.push(all.files)
        figures[name]!.first.push(all.first_ms)
        figures[name]!.large.push(large)
      }
    agent.destroy()
    const rows = (kind: 'files' | 'first' | 'large') =>
      Object.entries(figures).map(([name, values]) => ({ name, median: median(values[kind]) }))
    report(
      `${FILES} small files, ${CONNECTIONS} connections (target: 0.8)`,
      rows('files'),
      'files/s',
    )
    report('First byte of a small file (smaller is better)', rows('first'), 'ms')
    report(`A file of ${LARGE_MIB} MiB (target: at most 1.1)`, rows('large'), 'ms')
    const growth = memoryGrowthMb(child)
    await Promise.all(
      Array.from({ length: PLAYERS }, () => readAll(targets.Slipway!, paths.slice(0, 100))),
    )
    process.stdout.write(`\n${PLAYERS} players at once: ${growth().toFixed(0)} MB more memory\n`)
  } finally {
    nginx?.kill('SIGTERM')
    await bench.close()
  }
}
