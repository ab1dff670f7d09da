import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

export type Received = {
  from: string
  to: string[]
  headers: Map<string, string>
  text: string
  raw: string
}

/** A minimal mail server that records what it receives. */
export async function startSmtp(t: TestContext, { refuse = false } = {}) {
  const received: Received[] = []
  const logins: string[] = []
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    void answerClient(socket, { refuse, received, logins })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, port, received, logins, connections: () => connections }
}

async function answerClient(
  socket: Socket,
  { refuse, received, logins }: { refuse: boolean; received: Received[]; logins: string[] },
) {
  const reply = (line: string) => socket.write(`${line}\r\n`)
  let from = ''
  let to: string[] = []
  let data: string[] | null = null
  reply('220 mail.test')
  for await (const line of createInterface(socket)) {
    if (data && line === '.') {
      received.push(parse(from, to, data))
      from = ''
      to = []
      data = null
      reply('250 taken')
    } else if (data) data.push(line.replace(/^\./, ''))
    else if (/^EHLO/.test(line)) socket.write('250-mail.test\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n')
    else if (/^AUTH/.test(line)) {
      logins.push(line)
      reply(refuse ? '535 no' : '235 welcome')
    } else if (/^MAIL FROM:/.test(line)) {
      from = line
      reply('250 ok')
    } else if (/^RCPT TO:/.test(line)) {
      to.push(line)
      reply(refuse ? '550 no such person' : '250 ok')
    } else if (line === 'DATA') {
      data = []
      reply('354 go on')
    } else if (line === 'QUIT') socket.end('221 bye\r\n')
    else reply('250 ok')
  }
}

function parse(from: string, to: string[], lines: string[]): Received {
  const end = lines.indexOf('')
  const head = lines
    .slice(0, end)
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
  const headers = new Map(
    head
      .split('\n')
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
  )
  const body = lines.slice(end + 1).join('\n')
  const encoding = headers.get('content-transfer-encoding')
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? unquote(body)
        : body
  return { from, to, headers, text, raw: lines.join('\n') }
}

const unquote = (body: string) =>
  Buffer.from(
    body
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
