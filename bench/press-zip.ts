import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSeconds, memoryGrowthMb } from './support/fixtures.ts'
import { median, report, scratch } from './support/harness.ts'
import { baselineCommand, startServer, stopProcess } from './support/processes.ts'

const MB = 1024 * 1024
/** With the warm-up, this stays below the limit of thirty zips per minute. */
const ROUNDS = 21

/**
 * Target: a press zip of 64 MB of images starts within 50 ms, grows the server by less than 32 MB,
 * and reaches 0.7 of the speed at which bsdtar writes the same files uncompressed into a pipe.
 * Nothing is pinned to a core, because pinning starves the pipe on a busy machine. bsdtar into
 * /dev/null is the upper limit.
 */
export async function pressZip() {
  const { folder, remove } = scratch()
  const images = join(folder, 'images')
  mkdirSync(images)
  const env = { DATA_DIR: join(folder, 'data'), BENCH_IMAGES: images, LOG_LEVEL: 'warn' }
  const { child, url } = await startServer(baselineCommand('press-server.ts'), env)
  try {
    // Measured from before the first zip, because later ones reuse its memory.
    const growth = memoryGrowthMb(child)
    for (const run of [() => download(url), () => pipe(images), () => discard(images)]) run()
    const cpu_before = cpuSeconds(child)
    const rounds = Array.from({ length: ROUNDS }, () => ({
      pipe: pipe(images),
      discard: discard(images),
      ours: download(url),
    }))
    const speed = (target: 'pipe' | 'discard' | 'ours') =>
      median(rounds.map((round) => 64 / round[target].seconds))
    const rows = [
      { name: 'bsdtar, stored zip into a pipe', median: speed('pipe') },
      { name: 'bsdtar, stored zip into /dev/null', median: speed('discard') },
      { name: 'Slipway press.zip over HTTP', median: speed('ours') },
    ]
    const results = report('Press zip, 64 MB of images', rows, 'MB/s')
    const first_byte_ms = median(rounds.map(({ ours }) => ours.first_byte * 1000))
    const growth_mb = growth()
    const cpu_ms = ((cpuSeconds(child) - cpu_before) / ROUNDS) * 1000
    process.stdout.write(
      `  first byte ${first_byte_ms.toFixed(1)} ms (target: under 50), ` +
        `memory growth ${growth_mb.toFixed(1)} MB (under 32)\n`,
    )
    process.stdout.write(`  processor time of the server ${cpu_ms.toFixed(0)} ms per zip\n`)
    return { results, first_byte_ms, growth_mb, cpu_ms }
  } finally {
    await stopProcess(child)
    remove()
  }
}

function download(url: string) {
  const { output, seconds } = timed(
    `curl -s -o /dev/null -w '%{http_code} %{size_download} %{time_starttransfer}' '${url}'`,
  )
  const [status, bytes, first_byte] = output.split(' ').map(Number) as [number, number, number]
  if (status !== 200 || bytes < 64 * MB)
    throw new Error(`${url} answered ${status} with ${bytes} bytes`)
  return { seconds, first_byte }
}

const bsdtar = (folder: string) => {
  const options = '--format zip --options zip:compression=store'
  return `bsdtar -C '${folder}' -cf - ${options} ${readdirSync(folder).join(' ')}`
}
const pipe = (folder: string) => timed(`${bsdtar(folder)} | cat > /dev/null`)
const discard = (folder: string) => timed(`${bsdtar(folder)} > /dev/null`)

/** All candidates run as a shell command, so that each includes the cost of starting one. */
function timed(command: string): { output: string; seconds: number } {
  const start = performance.now()
  const output = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  return { output, seconds: (performance.now() - start) / 1000 }
}
