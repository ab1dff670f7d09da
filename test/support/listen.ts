import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'

/**
 * Listens on a free port of the loopback address and returns the port. The server and its
 * connections are closed when the test ends.
 */
export async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}
