import { join } from 'node:path'
import { compareServers, scratch } from './support/harness.ts'
import { baselineCommand } from './support/processes.ts'

/**
 * Target: a public page that is edited ten times a second reaches at least 0.35 of bare node:http
 * with the same bytes, and is never stale.
 */
export async function listingRead() {
  const { folder, remove } = scratch()
  try {
    return await compareServers('Public listing, edited while it is read, one core', [
      {
        name: 'bare node:http, same bytes',
        command: baselineCommand('bare-http.ts'),
        env: { BENCH_BYTES: JSON.stringify({ success: true, data: 'x'.repeat(2900) }) },
      },
      {
        name: 'Slipway',
        command: baselineCommand('listing-server.ts'),
        env: { DATA_DIR: join(folder, 'data') },
        log_file: join(folder, 'log'),
      },
    ])
  } finally {
    remove()
  }
}
