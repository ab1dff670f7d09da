import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { client, eventually } from '../test/support/app.ts'
import { must } from '../test/support/builders.ts'
import { freePort } from '../test/support/child.ts'
import { createBench, MIB, makeZip } from './support/fixtures.ts'
import { median, report } from './support/harness.ts'
import { baselineCommand } from './support/processes.ts'

const SIZE = Number(process.env.BENCH_MIB ?? 512)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)

function download(url: string): number {
  const output = execFileSync(
    'curl',
    ['-s', '-o', '/dev/null', '-w', '%{http_code} %{size_download} %{time_total}', url],
    { encoding: 'utf8' },
  )
  const [status, bytes, seconds] = output.split(' ').map(Number) as [number, number, number]
  if (status !== 200 || bytes < SIZE * MIB)
    throw new Error(`${url} answered ${status} with ${bytes} bytes`)
  return bytes / MIB / seconds
}

/** Starts nginx with two servers: one in front of the service, one with the file itself. */
async function startNginx(
  bench: ReturnType<typeof createBench>,
  upstream: string,
  ports: { accel: string; alone: string },
) {
  const folder = join(bench.folder, 'nginx')
  mkdirSync(folder)
  chmodSync(bench.folder, 0o755)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n  ')
  const config = `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/log;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  ${temp}
  server {
    listen 127.0.0.1:${ports.accel};
    location / { proxy_pass ${upstream}; proxy_set_header Host $http_host; }
    location /_objects/ { internal; alias ${bench.data_dir}/objects/; }
  }
  server {
    listen 127.0.0.1:${ports.alone};
    root ${bench.folder};
  }
}
`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
  await eventually('nginx', () =>
    fetch(`http://127.0.0.1:${ports.accel}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return child
}

/**
 * Targets: a file at 0.8 of bare node:http streaming it; behind nginx with X-Accel at 0.95 of nginx
 * alone.
 */
export async function serveFiles() {
  const bench = createBench()
  try {
    const file = join(bench.folder, 'game.zip')
    const checksum = await makeZip(file, SIZE)
    const { headers, build_id, owner } = await bench.makeGame()
    const first = await bench.service()
    const form = ['-F', `build_id=${build_id}`, '-F', `checksum=${checksum}`, '-F', `file=@${file}`]
    const auth = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const uploaded = execFileSync(
      'curl',
      ['-s', ...auth, ...form, `${first.url}/api/v1/tool/upload/files`],
      { encoding: 'utf8' },
    )
    const { file_uid } = JSON.parse(uploaded).data
    const path = `/api/v1/private/downloads/${file_uid}`
    await eventually(
      'the scan',
      async () => (await client(first.url).get(path, owner)).status === 200,
      300,
    )
    await bench.stop(first.child)

    const ports = {
      direct: await freePort(),
      accelerated: await freePort(),
      accel: await freePort(),
      alone: await freePort(),
    }
    const direct = await bench.service({ PORT: ports.direct, SLIPWAY_ROLES: 'api' })
    const bare = await bench.start(baselineCommand('bare-file.ts'), { BENCH_FILE: file })
    const speeds = {
      bare: [] as number[],
      direct: [] as number[],
      alone: [] as number[],
      accel: [] as number[],
    }
    const link = async (url: string) => must(await client(url).get(path, owner)).url as string
    for (let round = 0; round <= ROUNDS; round++) {
      speeds.bare.push(download(bare.url))
      speeds.direct.push(download(await link(direct.url)))
    }
    // Only one process at a time can run the embedded database.
    await bench.stop(direct.child)
    const public_url = `http://127.0.0.1:${ports.accel}`
    const service = await bench.service({
      PORT: ports.accelerated,
      SLIPWAY_ROLES: 'api',
      ACCEL_PREFIX: '/_objects/',
      BASE_URL: public_url,
    })
    const nginx = await startNginx(bench, service.url, ports)
    for (let round = 0; round <= ROUNDS; round++) {
      speeds.alone.push(download(`http://127.0.0.1:${ports.alone}/game.zip`))
      speeds.accel.push(download(await link(public_url)))
    }
    nginx.kill('SIGTERM')
    const row = (name: string, figures: number[]) => ({ name, median: median(figures.slice(1)) })
    report(
      `Sending ${SIZE} MiB (target: 0.8)`,
      [row('bare node:http', speeds.bare), row('Slipway', speeds.direct)],
      'MiB/s',
    )
    report(
      'Behind nginx (target: 0.95)',
      [row('nginx alone', speeds.alone), row('nginx and Slipway, X-Accel', speeds.accel)],
      'MiB/s',
    )
  } finally {
    await bench.close()
  }
}
