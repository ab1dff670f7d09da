import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanup } from '../../support/cleanup.ts'

export type Tamper = {
  /** Changes the body of an answer. */
  body?: (path: string, body: Buffer) => Buffer
  /** Ends the connection after so many bytes of a file. */
  cut?: (path: string) => number | undefined
  /** Asks the store for another path. */
  redirect?: (path: string) => string
  /** Refuses a request with this status. */
  refuse?: (path: string) => number | undefined
  /** Is waited for before a request is answered. */
  before?: (path: string) => Promise<void>
}

/** A server between the program and the store that changes or cuts answers. */
export async function startMiddle(t: TestContext, origin: string, tamper: Tamper) {
  const requests: string[] = []
  const tokens = new Set<string | undefined>()
  const server = createServer(async (request: IncomingMessage, response) => {
    const path = request.url!
    requests.push(`${path.split('?')[0]} ${request.headers.range ?? ''}`.trim())
    tokens.add(request.headers.authorization)
    await tamper.before?.(path)
    const status = tamper.refuse?.(path)
    if (status) return void response.writeHead(status).end()
    const { host: _, connection: __, ...headers } = request.headers
    const address = tamper.redirect?.(path) ?? path
    const answer = await fetch(`${origin}${address}`, {
      headers: headers as Record<string, string>,
    })
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    let body: Buffer = Buffer.from(await answer.arrayBuffer())
    if (path.includes('/downloads/')) body = Buffer.from(String(body).replaceAll(origin, own))
    body = tamper.body?.(path, body) ?? body
    const kept = ['content-type', 'content-range', 'etag'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value ? [[name, value]] : []
    })
    response.writeHead(answer.status, {
      ...Object.fromEntries(kept),
      'content-length': body.length,
    })
    const limit = tamper.cut?.(path)
    if (limit === undefined || body.length <= limit) return void response.end(body)
    response.write(body.subarray(0, limit), () => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cleanup(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/api/v1`, requests, tokens }
}

/** Whether a path is that of the bytes of a file. */
export const isFile = (path: string) => path.startsWith('/files/')
