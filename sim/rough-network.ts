import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens to one connection; by default it is carried through. */
export type Fate = {
  /** Ended after so many bytes towards the server: cut cleanly, reset, or left hanging. */
  after?: number
  /** As `after`, for bytes towards the client. */
  after_answer?: number
  how?: 'cut' | 'reset' | 'hang'
  /** Held back before each piece, in milliseconds. */
  delay?: number
}

export type RoughNetwork = {
  url: string
  connections: () => number
  carried: () => number
  close: () => Promise<void>
}

/** A proxy between a client and a server that treats each connection as `fate` says, by its number from 0. */
export async function roughNetwork(
  target: string,
  fate: (connection: number) => Fate,
): Promise<RoughNetwork> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let connections = 0
  let carried = 0
  const server = createServer((client) => {
    const mine = fate(connections++)
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    carry(client, upstream, mine.after, mine, (bytes) => {
      carried += bytes
    })
    carry(upstream, client, mine.after_answer, mine, () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    carried: () => carried,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function carry(
  from: Socket,
  to: Socket,
  limit: number | undefined,
  { how = 'cut', delay }: Fate,
  count: (bytes: number) => void,
) {
  let passed = 0
  from.on('data', (bytes) => {
    const room =
      limit === undefined ? bytes.length : Math.max(0, Math.min(bytes.length, limit - passed))
    passed += room
    count(room)
    if (room) {
      const is_full = !to.write(bytes.subarray(0, room))
      if (is_full || delay) {
        from.pause()
        const go_on = () => setTimeout(() => from.resume(), delay ?? 0)
        if (is_full) to.once('drain', go_on)
        else go_on()
      }
    }
    if (room < bytes.length) end(from, to, how)
  })
  from.on('end', () => to.end())
  from.on('close', () => to.destroySoon())
}

function end(from: Socket, to: Socket, how: NonNullable<Fate['how']>) {
  // Nothing arrives any more; but that a side is gone is still noticed, which unread bytes would hide.
  if (how === 'hang') return void from.removeAllListeners('data').resume()
  for (const socket of [from, to]) {
    if (how === 'reset') reset(socket)
    else socket.destroy()
  }
}

/** Cuts a line the hard way. One that is just being ended is closed instead: reset, it would keep the process from ever ending (Node 24). */
export function reset(socket: Socket) {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
