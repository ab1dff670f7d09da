import sharp from 'sharp'
import { client } from '../test/support/app.ts'
import { builders, must } from '../test/support/builders.ts'
import { createBench, memoryGrowthMb } from './support/fixtures.ts'
import { median, report } from './support/harness.ts'
import { baselineCommand, nodeCommand } from './support/processes.ts'

/** With the warm-up, this stays below the limit of ten imports per day. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const SCREENSHOTS = 20

/**
 * Target: an import of 20 screenshots of 1920x1080 takes less than 1.5 times as long as fetching
 * and resizing them with the same image library, four at a time, and grows the service by less than
 * 200 MB. Both fetch from the simulated store in another process. The import also checks the key,
 * reads the page, stores every file durably and writes the listing.
 */
export async function imports() {
  const bench = createBench()
  try {
    const store = await bench.start([...nodeCommand('sim/main.ts'), '0'])
    const control = async (verb: string, command: object) => {
      const request = { method: 'POST', body: JSON.stringify(command) }
      const answer = await fetch(`${store.url}/sim/${verb}`, request)
      return (await answer.json()) as { url: string; key: string }
    }
    const names = ['EXTSTORE_API_URL', 'EXTSTORE_STORE_URL', 'EXTSTORE_PUBLIC_API_URL']
    const settings = Object.fromEntries(names.map((name) => [name, store.url]))
    const service = await bench.service({
      ...settings,
      EXTSTORE_IMAGE_HOSTS: new URL(store.url).host,
    })
    const bare = await bench.start(baselineCommand('fetch-resize.ts'))
    const http = client(service.url)
    const owner = await builders(http, bench.data_dir).developer()
    const pictures = await Promise.all(Array.from({ length: SCREENSHOTS }, (_, i) => scene(i)))
    const growthMb = memoryGrowthMb(service.child)

    /** Imports a new app with new image bytes each time, so that nothing is cached. */
    async function round(number: number) {
      const app_id = 1000 + number
      const urls: string[] = []
      for (const [i, picture] of pictures.entries()) {
        const bytes = commented(picture, app_id).toString('base64')
        const { url } = await control('image', { path: `${app_id}/${i}.jpg`, bytes })
        urls.push(url)
      }
      await control('app', { app_id, name: `Bench ${number}` })
      await control('page', {
        app_id,
        data: { screenshots: urls.map((path_full, id) => ({ id, path_full })) },
      })
      const { key } = await control('key', { apps: [app_id] })
      const fetched = await timed(() =>
        fetch(bare.url, { method: 'POST', body: JSON.stringify(urls) }).then((answer) =>
          answer.text(),
        ),
      )
      const imported = await timed(async () =>
        must(await http.post('/api/v1/private/steam/import', { app_id, web_api_key: key }, owner)),
      )
      return { fetched, imported }
    }

    await round(0)
    const rounds = []
    for (let number = 1; number <= ROUNDS; number++) rounds.push(await round(number))
    const results = report(
      `Import of ${SCREENSHOTS} screenshots of 1920x1080 (target: under 1.5)`,
      [
        {
          name: 'fetch and resize, four at a time',
          median: median(rounds.map(({ fetched }) => fetched)),
        },
        { name: 'Slipway import', median: median(rounds.map(({ imported }) => imported)) },
      ],
      'ms',
    )
    const growth_mb = growthMb()
    process.stdout.write(`  memory growth ${growth_mb.toFixed(1)} MB (target: under 200)\n`)
    return { results, growth_mb }
  } finally {
    await bench.close()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** An image that is as hard to decode as a real screenshot: noise, about half a megabyte. */
async function scene(seed: number): Promise<Buffer> {
  const noise = await sharp({
    create: {
      width: 240,
      height: 135,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 100 + seed, sigma: 60 },
    },
  })
    .png()
    .toBuffer()
  return sharp(noise).resize(1920, 1080).jpeg({ quality: 92 }).toBuffer()
}

/** The same image in a different file, with a comment after the header. */
function commented(jpeg: Buffer, number: number): Buffer {
  const comment = Buffer.from(`\xff\xfe\x00\x0a${String(number).padStart(8, '0')}`, 'latin1')
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)])
}
