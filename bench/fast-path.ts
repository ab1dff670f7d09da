import { join } from 'node:path'
import { compareServers, scratch } from './support/harness.ts'
import { baselineCommand } from './support/processes.ts'

/**
 * Target: the events route is at least 1.3 times as fast on the fast path (core/http/fast-path.ts)
 * as through Fastify. Below that the fast path is not worth its code and goes.
 */
export async function fastPath() {
  const { folder, remove } = scratch()
  const server = (name: string, fast_path: 'on' | 'off') => ({
    name,
    command: baselineCommand('event-route.ts'),
    env: {
      DATA_DIR: join(folder, fast_path),
      BENCH_FAST_PATH: fast_path,
      BENCH_SCRIPT: join(folder, `${fast_path}.lua`),
    },
    script: join(folder, `${fast_path}.lua`),
    log_file: join(folder, `${fast_path}.log`),
  })
  try {
    return await compareServers('Events route, one event per request, one core', [
      server('through Fastify', 'off'),
      server('fast path', 'on'),
    ])
  } finally {
    remove()
  }
}
