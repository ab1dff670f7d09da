import { connect, type Socket } from 'node:net'
import { ScanFailed, type Scanner, ScannerAway } from './scanner.ts'

const MIB = 1024 * 1024
const CONNECT_MS = 5_000
/** The longest it may say nothing; one that hangs is as good as away. */
const SILENCE_MS = 60_000
const CHUNK = MIB
/** What it says about a file that it gave up on, where it says so at all; such a file was not scanned. */
const notScanned = /^Heuristics\.(Limits|Encrypted)\b/

type Connection = {
  send: (bytes: Uint8Array) => Promise<void>
  reply: () => Promise<string>
  close: () => void
}

/** clamd, over its own protocol: one connection a window, one stream a file. `url` is tcp://host:port or unix:///path. */
export function clamdScanner(url: string): Scanner {
  return {
    engine: 'clamd',
    // Below the stream limit it comes with on Debian, 25 MB.
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
    async probe() {
      const connection = await open(url)
      try {
        await connection.send(Buffer.from('zPING\0'))
        if ((await connection.reply()) !== 'PONG') throw new ScannerAway('clamd does not answer')
      } finally {
        connection.close()
      }
    },
  }
}

async function scanStream(connection: Connection, bytes: Uint8Array): Promise<string | undefined> {
  await connection.send(Buffer.from('zINSTREAM\0'))
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const chunk = bytes.subarray(at, at + CHUNK)
    await connection.send(length(chunk.length))
    await connection.send(chunk)
  }
  await connection.send(length(0))
  return readVerdict(await connection.reply())
}

/** The name of the threat, or nothing when it said plainly that there is none. */
export function readVerdict(reply: string): string | undefined {
  // Within a session each answer has the number of its question.
  const said = reply.replace(/^\d+: /, '').trim()
  if (said === 'stream: OK') return undefined
  const threat = /^stream: (.+) FOUND$/.exec(said)?.[1]
  if (threat && !notScanned.test(threat)) return threat
  throw new ScanFailed(said || 'it said nothing')
}

function length(bytes: number): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt32BE(bytes)
  return header
}

async function open(url: string, signal?: AbortSignal): Promise<Connection> {
  const { protocol, hostname, port, pathname } = new URL(url)
  const socket = protocol === 'unix:' ? connect(pathname) : connect(Number(port || 3310), hostname)
  const away = (why: string) => new ScannerAway(`clamd: ${why}`)
  const inbox = readReplies(socket, away)
  const end = () => socket.destroy(away('the run was ended'))
  signal?.addEventListener('abort', end, { once: true })
  socket.setTimeout(CONNECT_MS, () => socket.destroy(away('it does not answer')))
  await new Promise((go, fail) =>
    socket.once('connect', go).once('close', () => fail(inbox.trouble())),
  )
  socket.setTimeout(SILENCE_MS)
  return {
    send: (bytes) =>
      new Promise((go, fail) => {
        // One that closes early has said why: its reply tells, not the broken pipe.
        socket.write(bytes, (error) => (error && !inbox.waiting() ? fail(inbox.trouble()) : go()))
      }),
    reply: inbox.next,
    close() {
      signal?.removeEventListener('abort', end)
      socket.destroy()
    },
  }
}

/** Replies end with a NUL. */
function readReplies(socket: Socket, away: (why: string) => Error) {
  const replies: string[] = []
  let [rest, closed] = ['', undefined as Error | undefined]
  let notify = () => {}
  socket.setEncoding('utf8')
  socket.on('data', (text: unknown) => {
    const parts = (rest + String(text)).split('\0')
    rest = parts.pop()!
    replies.push(...parts)
    notify()
  })
  socket.on('error', (error) => {
    closed ??= error instanceof ScannerAway ? error : away(error.message)
  })
  socket.on('close', () => {
    closed ??= away('it closed the connection')
    notify()
  })
  const trouble = () => closed ?? away('it closed the connection')
  return {
    trouble,
    waiting: () => replies.length > 0,
    async next(): Promise<string> {
      while (!replies.length) {
        if (closed) throw trouble()
        await new Promise<void>((go) => {
          notify = go
        })
      }
      return replies.shift()!
    },
  }
}
