import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { calls, forbidden, json, type Reply } from './extstore-api.ts'
import { assertionUrl, checkAssertion } from './extstore-openid.ts'
import { loginPage, mintPage } from './extstore-page.ts'
import { picture } from './extstore-pictures.ts'
import {
  emptyWorld,
  type Fault,
  noteCall,
  takeFault,
  type Verbs,
  verbs,
  type World,
} from './extstore-world.ts'

/**
 * A simulator of the external store for tests, benchmarks and local development. It is not part of
 * the service.
 */
export type Extstore = { url: string; world: World; say: Verbs; stop: () => Promise<void> }

export async function startExtstore({
  port = 0,
  host = '127.0.0.1',
}: {
  port?: number
  host?: string
} = {}): Promise<Extstore> {
  const world = emptyWorld()
  const say = verbs(world)
  const server = createServer((request, response) => {
    response.on('error', () => {})
    serve(world, say, request, response).catch((error) =>
      send(response, json({ error: String(error) }, 500)),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  world.origin = url
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url, world, say, stop }
}

async function serve(world: World, say: Verbs, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'sim'}`)
  const path = url.pathname.replace(/\/$/, '')
  const known = calls[path]
  if (known) {
    const query = url.searchParams
    const key = String(request.headers['x-webapi-key'] ?? query.get('key') ?? '')
    noteCall(world, {
      call: known.call,
      key_in_header: request.headers['x-webapi-key'] !== undefined,
      key_in_url: query.has('key'),
      query: Object.fromEntries(query),
    })
    return answer(response, takeFault(world, known.call), () => known.answer(world, query, key))
  }
  if (path.startsWith('/images/')) {
    noteCall(world, {
      call: 'image',
      key_in_header: request.headers['x-webapi-key'] !== undefined,
      key_in_url: false,
      query: { path },
    })
    const image = await picture(world, path.slice('/images/'.length))
    return answer(response, takeFault(world, 'image'), () => image)
  }
  if (path === '/openid/login') return openid(world, url, request, response)
  if (path.startsWith('/sim/')) return script(say, path.slice('/sim/'.length), request, response)
  if (path === '')
    return send(response, html(mintPage(world, url.searchParams, minted(say, url.searchParams))))
  return send(response, json({ error: 'there is nothing here' }, 404))
}

const html = (body: string): Reply => ({ status: 200, type: 'text/html; charset=utf-8', body })

function minted(say: Verbs, query: URLSearchParams): string | undefined {
  const [app_id, account] = [Number(query.get('app_id')), query.get('account')]
  if (!query.has('mint') || !app_id || !account) return undefined
  return say.ticket({ app_id, account, identity: query.get('identity') ?? '' }).ticket
}

/** POST /sim/<verb> with the object the verb takes. */
async function script(
  say: Verbs,
  verb: string,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const body = await text(request)
  if (!Object.hasOwn(say, verb))
    return send(response, json({ error: `verbs: ${Object.keys(say).join(', ')}` }, 404))
  const act = say[verb as keyof Verbs] as (request: unknown) => unknown
  return send(response, json(act(body ? JSON.parse(body) : {})))
}

async function openid(world: World, url: URL, request: IncomingMessage, response: ServerResponse) {
  const provider = `${url.origin}/openid`
  noteCall(world, { call: 'openid', key_in_header: false, key_in_url: false, query: {} })
  if (request.method === 'POST') {
    const form = new URLSearchParams(await text(request))
    return answer(response, takeFault(world, 'openid'), () => ({
      status: 200,
      type: 'text/plain',
      body: checkAssertion(world, form),
    }))
  }
  const account = url.searchParams.get('sim_account')
  if (!account) return send(response, html(loginPage(world, url.searchParams)))
  return response
    .writeHead(302, { location: assertionUrl(world, provider, url.searchParams, account) })
    .end()
}

function send(
  response: ServerResponse,
  { status, type, body, headers: own = {} }: Reply,
  headers: Record<string, string> = {},
) {
  if (response.destroyed) return
  response
    .writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...own,
      ...headers,
    })
    .end(body)
}

/** Sends the normal response, or the one that the fault prescribes. */
async function answer(response: ServerResponse, fault: Fault | undefined, right: () => Reply) {
  switch (fault?.mode) {
    case undefined:
      return send(response, right())
    case 'delay':
      await new Promise((go) => setTimeout(go, fault.ms ?? 100))
      return send(response, right())
    case 'stall':
      // Never responds, so that the client times out.
      return
    case 'lost':
      // Performs the request but drops the response.
      return void right()
    case 'dropped':
      right()
      return response.socket?.resetAndDestroy()
    case 'reset':
      return response.socket?.resetAndDestroy()
    case 'status':
      return send(
        response,
        { status: fault.status ?? 500, type: 'text/html', body: '<html>busy</html>' },
        fault.headers,
      )
    case 'forbidden':
      return send(response, forbidden)
    case 'garbage':
      return send(response, {
        status: 200,
        type: 'application/json',
        body: '{"response":{"params":{"result":"OK",',
      })
    case 'truncated': {
      const { body, type } = right()
      response
        .writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
        .write(body.slice(0, body.length / 2))
      return setImmediate(() => response.destroy())
    }
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' })
      return pour(response)
    case 'answer':
      return send(response, json(fault.answer, fault.status ?? 200), fault.headers)
  }
}

function pour(response: ServerResponse) {
  const drop = Buffer.alloc(64 * 1024, ' ')
  const more = () => {
    while (!response.destroyed && response.write(drop));
  }
  response.on('drain', more)
  more()
}
