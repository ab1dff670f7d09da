import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MIB } from '../core/runtime/units.ts'
import { ScanFailed, type Scanner, ScannerUnavailable } from './scanner.ts'

const CONNECT_MS = 5_000
/** A scanner that sends nothing for this long counts as unavailable. */
const SILENCE_MS = 60_000
const CHUNK_BYTES = MIB
/** Heuristic findings that mean that the file was not scanned. */
const notScanned = /^Heuristics\.(Limits|Encrypted)\b/

type Connection = {
  send: (bytes: Uint8Array) => Promise<void>
  reply: () => Promise<string>
  hasReply: () => boolean
  close: () => void
}

/**
 * clamd over its own protocol: one connection per window, one stream per file. `url` is
 * tcp://host:port or unix:///path.
 */
export function clamdScanner(url: string): Scanner {
  return {
    engine: 'clamd',
    // Below the default stream limit of 25 MB.
    window: 16 * MIB,
    overlap: MIB,
    opens_archives: true,
    async scan(segments, signal) {
      const connection = await open(url, signal)
      try {
        await connection.send(Buffer.from('zIDSESSION\0'))
        const findings = []
        for (const { path, bytes } of segments) {
          const threat = await scanStream(connection, bytes)
          if (threat) findings.push({ path, threat })
        }
        return findings
      } finally {
        connection.close()
      }
    },
    async version() {
      const connection = await open(url)
      try {
        await connection.send(Buffer.from('zVERSION\0'))
        return (await connection.reply()).trim()
      } finally {
        connection.close()
      }
    },
    async probe() {
      const connection = await open(url)
      try {
        await connection.send(Buffer.from('zPING\0'))
        if ((await connection.reply()) !== 'PONG') throw new ScannerUnavailable('clamd: no answer')
      } finally {
        connection.close()
      }
    },
  }
}

async function scanStream(connection: Connection, bytes: Uint8Array): Promise<string | undefined> {
  await connection.send(Buffer.from('zINSTREAM\0'))
  for (let position = 0; position < bytes.length; position += CHUNK_BYTES) {
    // An early reply is read before the next write, which fails once clamd closed the connection.
    await nextTurn()
    if (connection.hasReply()) break
    const chunk = bytes.subarray(position, position + CHUNK_BYTES)
    await connection.send(lengthPrefix(chunk.length))
    await connection.send(chunk)
  }
  if (!connection.hasReply()) await connection.send(lengthPrefix(0))
  return readVerdict(await connection.reply())
}

/** The name of the threat, or undefined if the reply is an explicit OK. */
function readVerdict(reply: string): string | undefined {
  // Within a session every reply begins with the number of its command.
  const verdict = reply.replace(/^\d+: /, '').trim()
  if (verdict === 'stream: OK') return undefined
  const threat = /^stream: (.+) FOUND$/.exec(verdict)?.[1]
  if (threat && !notScanned.test(threat)) return threat
  throw new ScanFailed(verdict || 'clamd sent an empty reply')
}

function lengthPrefix(bytes: number): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt32BE(bytes)
  return header
}

async function open(url: string, signal?: AbortSignal): Promise<Connection> {
  const { protocol, hostname, port, pathname } = new URL(url)
  const socket = protocol === 'unix:' ? connect(pathname) : connect(Number(port || 3310), hostname)
  const unavailable = (reason: string) => new ScannerUnavailable(`clamd: ${reason}`)
  const replies = readReplies(socket, unavailable)
  const abort = () => socket.destroy(unavailable('the scan was aborted'))
  signal?.addEventListener('abort', abort, { once: true })
  socket.setTimeout(CONNECT_MS, () => socket.destroy(unavailable('no answer')))
  await new Promise((resolve, reject) =>
    socket.once('connect', resolve).once('close', () => reject(replies.error())),
  )
  socket.setTimeout(SILENCE_MS)
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        // If clamd closed the connection early, its reply has the reason, not the failed write.
        socket.write(bytes, (error) =>
          error && !replies.hasNext() ? reject(replies.error()) : resolve(),
        )
      }),
    reply: replies.next,
    hasReply: replies.hasNext,
    close() {
      signal?.removeEventListener('abort', abort)
      socket.destroy()
    },
  }
}

/** Splits the incoming text into replies, which end with a NUL. */
function readReplies(socket: Socket, unavailable: (reason: string) => Error) {
  const replies: string[] = []
  let partial = ''
  let failure: Error | undefined
  let notify = () => {}
  socket.setEncoding('utf8')
  socket.on('data', (text: unknown) => {
    const parts = (partial + String(text)).split('\0')
    partial = parts.pop()!
    replies.push(...parts)
    notify()
  })
  socket.on('error', (error) => {
    failure ??= error instanceof ScannerUnavailable ? error : unavailable(error.message)
  })
  socket.on('close', () => {
    failure ??= unavailable('connection closed')
    notify()
  })
  const error = () => failure ?? unavailable('connection closed')
  return {
    error,
    hasNext: () => replies.length > 0,
    async next(): Promise<string> {
      while (!replies.length) {
        if (failure) throw error()
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
      return replies.shift()!
    },
  }
}
