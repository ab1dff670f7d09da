import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Environment, readConfig } from '../../src/core/runtime/config.ts'
import { once } from '../../src/core/runtime/once.ts'
import { startService } from '../../src/service.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'

/** What a shell, a list or a setting in quotes could take apart. */
const NAME = `a, "b" 'c' ü`

/** Starts the service with its own database in this process, and waits until it is ready. */
export async function startIn(DATA_DIR: string, env: Environment = {}) {
  const settings = { ...env, DATA_DIR, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'fatal' }
  const service = await startService(readConfig(settings))
  const { get } = client(service.url)
  await eventually('readiness', async () => (await get('/ready')).status === 200)
  return service
}

/** The folder of a first start. */
export const usedFolder = once(async () => {
  const outer = mkdtempSync(join(tmpdir(), 'slipway-used-'))
  process.on('exit', () => rmSync(outer, { recursive: true, force: true }))
  const data_dir = join(outer, NAME)
  const service = await startIn(data_dir)
  await service.stop()
  return data_dir
})

/** A copy of a data folder in which the service has started before. */
export async function copyPrepared(to: string) {
  execFileSync('cp', ['-a', await usedFolder(), to])
}

/**
 * A data folder in which the service has started before. Tests that are not about the first start
 * get a copy, because creating the database takes most of the time of a first start.
 */
export async function preparedFolder(t: TestContext): Promise<string> {
  const data_dir = join(temporaryFolder(t), 'data')
  await copyPrepared(data_dir)
  return data_dir
}
