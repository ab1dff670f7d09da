import { client } from '../../test/support/app.ts'
import { builders } from '../../test/support/builders.ts'
import { scratch } from '../support/harness.ts'
import { stopProcess } from '../support/processes.ts'
import { fetchPairs } from './pairs.ts'
import { createOpenGame, startWithUploader, waitForPatch } from './service.ts'
import { push } from './uploads.ts'

const MAX_SECONDS = 15
/** Of others, what changed is not smaller than half of the download: they get no patch. */
const PAIRS = ['postgres', 'node', 'unity']

/**
 * How long after the scan of a build players have a patch to it, for pairs of releases. Fails above
 * 15 seconds: the largest build has 185 MB.
 */
export async function patchReady() {
  const { folder, remove } = scratch()
  const { child, url, program, data_dir } = await startWithUploader(folder)
  try {
    const http = client(url)
    const setup = { http, url, program, folder, data_dir }
    const slow: string[] = []
    process.stdout.write('Seconds from a clean build to a patch (target: at most 15)\n')
    for (const pair of fetchPairs().filter(({ name }) => PAIRS.includes(name))) {
      const game = await createOpenGame(http, builders(http, data_dir))
      const platform = ['--os', 'linux', '--arch', 'x86_64', '--wait']
      await push(setup, game.headers, [pair.old, '--version', '1', ...platform])
      await push(setup, game.headers, [pair.new, '--version', '2', ...platform])
      const seconds = await waitForPatch(http, game.uid)
      process.stdout.write(`  ${pair.name.padEnd(32)}${seconds.toFixed(1)}\n`)
      if (seconds > MAX_SECONDS) slow.push(pair.name)
    }
    if (slow.length) throw new Error(`patches were late: ${slow.join(', ')}`)
  } finally {
    await stopProcess(child)
    remove()
  }
}
