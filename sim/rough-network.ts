import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The faults of one connection; by default it has none. */
export type ConnectionFaults = {
  /** Ends the connection after this many bytes to the server: closed, reset or left hanging. */
  after?: number
  /** Like `after`, for bytes to the client. */
  after_answer?: number
  how?: 'cut' | 'reset' | 'hang'
  /** The delay before each chunk, in milliseconds. */
  delay?: number
}

export type RoughNetwork = {
  url: string
  connections: () => number
  /** The bytes that reached the server. */
  sentBytes: () => number
  close: () => Promise<void>
}

/** A proxy between client and server that applies faults to each connection, numbered from 0. */
export async function roughNetwork(
  target: string,
  faultsOf: (connection: number) => ConnectionFaults,
): Promise<RoughNetwork> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let connections = 0
  let forwarded = 0
  const server = createServer((client) => {
    const faults = faultsOf(connections++)
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    forward(client, upstream, { ...faults, limit: faults.after }, (bytes) => {
      forwarded += bytes
    })
    forward(upstream, client, { ...faults, limit: faults.after_answer })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    sentBytes: () => forwarded,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function forward(
  from: Socket,
  to: Socket,
  { how = 'cut', delay, limit = Number.POSITIVE_INFINITY }: ConnectionFaults & { limit?: number },
  count: (bytes: number) => void = () => {},
) {
  let total = 0
  from.on('data', (bytes) => {
    const length = Math.max(0, Math.min(bytes.length, limit - total))
    total += length
    count(length)
    if (length) {
      const is_full = !to.write(bytes.subarray(0, length))
      if (is_full || delay) {
        from.pause()
        const resume = () => setTimeout(() => from.resume(), delay ?? 0)
        if (is_full) to.once('drain', resume)
        else resume()
      }
    }
    if (length < bytes.length) end(from, to, how)
  })
  from.on('end', () => to.end())
  from.on('close', () => to.destroySoon())
}

function end(from: Socket, to: Socket, how: NonNullable<ConnectionFaults['how']>) {
  // Discard the data but keep reading, because unread bytes would hide that a side has closed.
  if (how === 'hang') return void from.removeAllListeners('data').resume()
  for (const socket of [from, to]) {
    if (how === 'reset') reset(socket)
    else socket.destroy()
  }
}

/**
 * Resets a socket. One that is already ending is closed instead, because resetting it would keep
 * the process alive (Node 24).
 */
export function reset(socket: Socket) {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
