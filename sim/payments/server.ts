import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answer, completeSession, failure, parseForm } from './api.ts'
import { type Verbs, verbs } from './control.ts'
import { checkoutPage, setupPage, startPage } from './pages.ts'
import { emptyWorld, type Json, newId, takeFault, type World } from './world.ts'

/**
 * A simulator of the payment provider for tests and local development: the official client of the
 * provider runs against it unmodified. It is not part of the service.
 */
export type PaymentSimulator = {
  url: string
  world: World
  control: Verbs
  stop: () => Promise<void>
}

export async function startPaymentSimulator({
  port = 0,
  host = '127.0.0.1',
}: {
  port?: number
  host?: string
} = {}): Promise<PaymentSimulator> {
  const world = emptyWorld()
  const control = verbs(world)
  const server = createServer((request, response) => {
    response.on('error', () => {})
    serve({ world, control }, request, response).catch((error) =>
      sendJson(response, 500, { error: { type: 'api_error', message: String(error) } }),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  world.origin = `http://${host}:${(server.address() as AddressInfo).port}`
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: world.origin, world, control, stop }
}

type Simulator = Pick<PaymentSimulator, 'world' | 'control'>

async function serve(sim: Simulator, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://sim')
  const body = await text(request)
  const [, first, second = '', third = ''] = url.pathname.split('/')
  if (first === 'v1') return serveApi(sim, request, response, { url, body })
  if (first === 'c' && second === 'pay') return checkout(sim, third, request, response, body)
  if (first === 'setup') return setup(sim, second, request, response, body)
  if (first === 'sim') return runVerb(sim, second, response, body)
  return sendHtml(response, startPage(sim.world))
}

function serveApi(
  { world }: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
  { url, body }: { url: URL; body: string },
) {
  const method = request.method ?? 'GET'
  const call = `${method} ${url.pathname}`
  const headers = request.headers as Record<string, string | undefined>
  world.calls.push({ call, account: headers['stripe-account'], body })
  const form = parseForm(method === 'GET' ? url.search.slice(1) : body)
  const reply = () => answer(world, { method, path: url.pathname, form, body, headers })
  const fault = takeFault(world, call)
  switch (fault?.mode) {
    case 'reset':
      return void request.socket.resetAndDestroy()
    case 'silent':
      return undefined
    case 'lost':
      reply()
      return void request.socket.resetAndDestroy()
    case 'status': {
      const failed = failure(fault.status ?? 500, 'An unknown error occurred', {
        type: 'api_error',
      })
      return sendJson(response, failed.status, failed.body)
    }
    case 'conflict': {
      const message = 'There is currently another in-progress request using this Idempotency Key.'
      const failed = failure(409, message, { code: 'idempotency_key_in_use' })
      return sendJson(response, failed.status, failed.body)
    }
    default: {
      const { status, body: data, headers: more } = reply()
      return sendJson(response, status, data, more)
    }
  }
}

function checkout(
  { world }: Simulator,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) {
  const session = world.sessions.get(id)
  if (!session) return sendHtml(response, 'This payment does not exist.', 404)
  if (request.method !== 'POST') return sendHtml(response, checkoutPage(session))
  const form = new URLSearchParams(body)
  const action = form.get('action')
  if (action === 'cancel') return redirect(response, session.cancel_url)
  if (action === 'decline' || session.status !== 'open')
    return sendHtml(response, checkoutPage(session, 'Your card was declined.'), 402)
  completeSession(world, session, form.get('country') || null)
  const { success_url } = session
  return redirect(response, success_url.replace('{CHECKOUT_SESSION_ID}', session.id))
}

function setup(
  { world, control }: Simulator,
  link: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) {
  const target = world.links.get(link)
  if (!target || request.method !== 'POST') return sendHtml(response, setupPage(world, link))
  const action = new URLSearchParams(body).get('action')
  if (action !== 'cancel')
    control.setUp({ account: target.account, complete: action === 'complete' })
  return redirect(response, target.return_url)
}

/** POST /sim/<verb> with the object the verb takes. */
async function runVerb(
  { control }: Simulator,
  verb: string,
  response: ServerResponse,
  body: string,
) {
  if (!Object.hasOwn(control, verb))
    return sendJson(response, 404, { error: `verbs: ${Object.keys(control).join(', ')}` })
  const run = control[verb as keyof Verbs] as (command: unknown) => unknown
  return sendJson(response, 200, { result: (await run(body ? JSON.parse(body) : {})) ?? null })
}

function sendJson(
  response: ServerResponse,
  status: number,
  data: Json,
  headers: Record<string, string> = {},
) {
  if (response.destroyed) return
  const body = JSON.stringify(data)
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'request-id': newId('req'),
      ...headers,
    })
    .end(body)
}

const sendHtml = (response: ServerResponse, body: string, status = 200) =>
  void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body)

const redirect = (response: ServerResponse, location: string) =>
  void response.writeHead(303, { location }).end()
