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
  recordCall,
  takeFault,
  type Verbs,
  verbs,
  type World,
} from './extstore-world.ts'

/**
 * A simulator of the external store for tests, benchmarks and local development. It is not part of
 * the service.
 */
export type Extstore = { url: string; world: World; control: Verbs; stop: () => Promise<void> }

export async function startExtstore({
  port = 0,
  host = '127.0.0.1',
}: {
  port?: number
  host?: string
} = {}): Promise<Extstore> {
  const world = emptyWorld()
  const control = verbs(world)
  const server = createServer((request, response) => {
    response.on('error', () => {})
    serve({ world, control }, request, response).catch((error) =>
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
  return { url, world, control, stop }
}

async function serve(
  { world, control }: Pick<Extstore, 'world' | 'control'>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'sim'}`)
  const path = url.pathname.replace(/\/$/, '')
  const known = calls[path]
  if (known) {
    const query = url.searchParams
    const key = String(request.headers['x-webapi-key'] ?? query.get('key') ?? '')
    recordCall(world, {
      call: known.call,
      key_in_header: request.headers['x-webapi-key'] !== undefined,
      key_in_url: query.has('key'),
      query: Object.fromEntries(query),
    })
    return answer(response, takeFault(world, known.call), () => known.answer(world, query, key))
  }
  if (path.startsWith('/images/')) {
    recordCall(world, {
      call: 'image',
      key_in_header: request.headers['x-webapi-key'] !== undefined,
      key_in_url: false,
      query: { path },
    })
    const image = await picture(world, path.slice('/images/'.length))
    return answer(response, takeFault(world, 'image'), () => image)
  }
  if (path === '/openid/login') return openid(world, url, request, response)
  if (path.startsWith('/sim/')) {
    const result = runVerb(control, path.slice('/sim/'.length), await text(request))
    return send(response, result)
  }
  if (path === '') {
    const query = url.searchParams
    return send(response, html(mintPage(world, query, issueTicket(control, query))))
  }
  return send(response, json({ error: 'not found' }, 404))
}

const html = (body: string): Reply => ({ status: 200, type: 'text/html; charset=utf-8', body })

/** The ticket that the form of the start page requests, if it was submitted. */
function issueTicket(control: Verbs, query: URLSearchParams): string | undefined {
  const app_id = Number(query.get('app_id'))
  const account = query.get('account')
  if (!query.has('mint') || !app_id || !account) return undefined
  return control.ticket({ app_id, account, identity: query.get('identity') ?? '' }).ticket
}

/** POST /sim/<verb> with the object the verb takes. */
function runVerb(control: Verbs, verb: string, body: string): Reply {
  if (!Object.hasOwn(control, verb))
    return json({ error: `verbs: ${Object.keys(control).join(', ')}` }, 404)
  const run = control[verb as keyof Verbs] as (command: unknown) => unknown
  return json(run(body ? JSON.parse(body) : {}))
}

async function openid(world: World, url: URL, request: IncomingMessage, response: ServerResponse) {
  const provider = `${url.origin}/openid`
  recordCall(world, { call: 'openid', key_in_header: false, key_in_url: false, query: {} })
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
  { status, type, body, headers = {} }: Reply,
  fault_headers: Record<string, string> = {},
) {
  if (response.destroyed) return
  response
    .writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...headers,
      ...fault_headers,
    })
    .end(body)
}

/** Sends the normal response, or the one that the fault prescribes. */
async function answer(response: ServerResponse, fault: Fault | undefined, reply: () => Reply) {
  switch (fault?.mode) {
    case undefined:
      return send(response, reply())
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, fault.ms ?? 100))
      return send(response, reply())
    case 'stall':
      // Never responds, so that the client times out.
      return
    case 'lost':
      // Performs the request but drops the response.
      return void reply()
    case 'dropped':
      reply()
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
      const { body, type } = reply()
      response
        .writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
        .write(body.slice(0, body.length / 2))
      return setImmediate(() => response.destroy())
    }
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' })
      return sendEndlessly(response)
    case 'answer':
      return send(response, json(fault.answer, fault.status ?? 200), fault.headers)
  }
}

function sendEndlessly(response: ServerResponse) {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  const fill = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', fill)
  fill()
}
