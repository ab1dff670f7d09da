import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleUploader } from '../../src/web/uploader-bundle.ts'
import { serviceCommand, startServer } from '../support/processes.ts'

/** Starts the service with its data in a folder, and makes the uploader for it there. */
export async function startWithUploader(folder: string) {
  const data_dir = join(folder, 'data')
  mkdirSync(data_dir)
  const settings = { DATA_DIR: data_dir, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'fatal' }
  const server = await startServer(serviceCommand, settings)
  const program = join(folder, 'slipway.mjs')
  const address = `${server.url}/api/v1`
  writeFileSync(program, await bundleUploader({ api_url: address, upload_url: address }))
  chmodSync(program, 0o755)
  return { ...server, data_dir, program }
}
