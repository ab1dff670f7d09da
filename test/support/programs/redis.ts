import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../app.ts'
import { type Daemon, daemon } from '../daemon.ts'

/** Starts a Redis without persistence. */
export async function startRedis(t: TestContext, port: string): Promise<Daemon> {
  const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', temporaryFolder(t)]
  const redis = daemon(t, {
    command: 'redis-server',
    args,
    isReady: () => respondsToPing(Number(port)),
  })
  await redis.start()
  return redis
}

function respondsToPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false)).once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (bytes) => {
      socket.destroy()
      resolve(bytes.includes('PONG'))
    })
  })
}
