import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, type TestContext } from 'node:test'
import {
  createOutbound,
  OutboundError,
  type OutboundErrorKind,
  type OutboundRequest,
} from '../../../src/core/security/outbound.ts'
import { makeCertificate } from '../../support/certificate.ts'

export let tls: { key: string; cert: string }

before(() => {
  const folder = mkdtempSync(join(tmpdir(), 'outbound-'))
  const { key, cert } = makeCertificate(folder, 'store.test')
  tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(folder, { recursive: true })
})

export async function listen<S extends Server | ReturnType<typeof createTcpServer>>(
  t: TestContext,
  server: S,
): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

export const serve = async (t: TestContext, handler: RequestListener) =>
  `http://127.0.0.1:${await listen(t, createServer(handler))}`
export const serveTls = async (t: TestContext, handler: RequestListener) =>
  listen(t, createTlsServer(tls, handler))
export const serveBytes = async (t: TestContext, talk: (socket: Socket) => void) =>
  `http://127.0.0.1:${await listen(
    t,
    createTcpServer((socket) => {
      socket.on('error', () => {})
      talk(socket)
    }),
  )}`

/** A server that returns the request it received. */
export function echo(request: IncomingMessage, response: ServerResponse) {
  const parts: Buffer[] = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const { method, url, headers } = request
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(parts).toString() }))
  })
}

export const names = (table: Record<string, string[]>) => async (host: string) =>
  (table[host] ?? []).map((address) => ({ address }))
export const local = createOutbound()
export const sendRequest = (url: string, more: Partial<OutboundRequest> = {}) =>
  local.request({ url, loopback: true, ...more })
export const fails = (request: Promise<unknown>, kind: OutboundErrorKind, message = /./) =>
  assert.rejects(request, (error) => {
    assert.ok(error instanceof OutboundError, String(error))
    assert.equal(error.kind, kind, error.message)
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /hush/)
    return true
  })
