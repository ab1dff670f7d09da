import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/** When a connection is cut: before the server gets a COMMIT, or after it has committed. */
export type Cut = 'before' | 'after'

export type LossyDatabase = {
  url: string
  /** Cuts the connection of the next COMMIT of a transaction that wrote something, or of none. */
  cutNext: (cut: Cut | undefined) => void
  /** How many connections were cut. */
  cuts: () => number
  /**
   * Drops all bytes of all connections without closing them. The answer ends that for new ones; the
   * others stay silent, as after a failover behind an address that moves.
   */
  goSilent: () => () => void
  /** Connects to another server from now on, as after a failover. Open connections are cut. */
  retarget: (url: string) => void
  close: () => Promise<void>
}

/**
 * A proxy between the service and PostgreSQL that can lose the connection around a COMMIT, so that
 * the service does not know whether its transaction was committed.
 */
export async function lossyDatabase(first_target: string): Promise<LossyDatabase> {
  let target = first_target
  const open = new Set<Socket>()
  const cutAll = () => {
    for (const socket of open) socket.destroy()
  }
  const silence = new Set<() => void>()
  let is_silent = false
  let planned: Cut | undefined
  let cuts = 0
  const server = createServer((client) => {
    if (is_silent) return void open.add(client.on('error', () => {}).resume())
    const upstream = connectTo(target)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    const cut = () => {
      planned = undefined
      cuts++
      client.destroy()
      upstream.destroy()
    }
    const isCommit = commitDetector()
    let is_waiting = false
    client.on('data', (bytes) => {
      if (isCommit(bytes) && planned) {
        if (planned === 'before') return cut()
        is_waiting = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (is_waiting && planned && bytes.includes('COMMIT\0')) return cut()
      client.write(bytes)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    silence.add(() => {
      for (const socket of [client, upstream]) socket.removeAllListeners('data').resume()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cutNext: (cut) => {
      planned = cut
    },
    cuts: () => cuts,
    goSilent() {
      is_silent = true
      for (const silenceConnection of silence) silenceConnection()
      silence.clear()
      return () => {
        is_silent = false
      }
    },
    retarget(next) {
      target = next
      cutAll()
    },
    async close() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Connects to a server on TCP, or on the Unix socket in `?host=/folder`. */
function connectTo(target: string): Socket {
  const { hostname, port, searchParams } = new URL(target)
  const folder = searchParams.get('host')
  if (folder?.startsWith('/')) return connect(join(folder, `.s.PGSQL.${port || '5432'}`))
  return connect(Number(port || 5432), hostname)
}

const PARSE = 'P'.charCodeAt(0)
const BIND = 'B'.charCodeAt(0)
const WRITES = /^\s*(insert|update|delete|with|merge)\b/i

/**
 * Follows what a client sends, and tells whether a chunk has the COMMIT of a transaction that wrote
 * something. Statements are prepared once per connection and named from then on.
 */
function commitDetector(): (bytes: Buffer) => boolean {
  const texts = new Map<string, string>()
  let pending: Buffer = Buffer.alloc(0)
  let is_started = false
  let has_written = false
  return (bytes) => {
    pending = pending.length ? Buffer.concat([pending, bytes]) : bytes
    let is_commit = false
    // The first message has no type.
    if (!is_started && pending.length >= 4 && pending.length >= pending.readInt32BE(0)) {
      pending = pending.subarray(pending.readInt32BE(0))
      is_started = true
    }
    while (is_started && pending.length >= 5 && pending.length > pending.readInt32BE(1)) {
      const message = pending.subarray(0, pending.readInt32BE(1) + 1)
      pending = pending.subarray(message.length)
      const [first = '', second = ''] = message.toString('latin1', 5).split('\0')
      if (message[0] === PARSE) texts.set(first, second)
      if (message[0] !== BIND) continue
      const text = texts.get(second) ?? ''
      if (WRITES.test(text)) has_written = true
      if (text !== 'commit') continue
      is_commit ||= has_written
      has_written = false
    }
    return is_commit
  }
}
