import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { cleanup } from '../support/cleanup.ts'

export type Hook = { path: string; headers: IncomingHttpHeaders; body: string; json: any }
type Answer = (response: ServerResponse, hook: Hook, nth: number) => void

const fine: Answer = (response) => response.writeHead(200).end('ok')

/** A webhook receiver on this machine that records every request and responds with `answer`. */
export async function startReceiver(t: TestContext, answer: Answer = fine) {
  const received: Hook[] = []
  const sockets = new Set<Socket>()
  const receiver = {
    answer,
    received,
    url: '',
    urls: (count: number) => Array.from({ length: count }, (_, i) => `${receiver.url}/${i}`),
  }
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    const hook = {
      path: request.url!,
      headers: request.headers,
      body,
      json: body.startsWith('{') ? JSON.parse(body) : undefined,
    }
    received.push(hook)
    receiver.answer(response, hook, received.length)
  })
  server.on('connection', (socket) =>
    sockets.add(socket.on('close', () => sockets.delete(socket)) as Socket),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}
