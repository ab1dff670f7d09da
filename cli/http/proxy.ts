import { Agent as HttpAgent, request } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { duration } from '../documents/text.ts'
import { NetworkError, UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { type ConnectionSettings, isLoopback } from '../settings.ts'

export type Agents = { http: HttpAgent; https: (url: URL) => HttpsAgent; close: () => void }
type Created = (error: Error | null, socket?: Socket) => void
type TunnelOptions = ConnectionOptions & { host: string; port: number }

/**
 * Keep-alive connections, through the proxy of the environment if there is one.
 *
 * The tunnel is our own code instead of https-proxy-agent 9, because that has no time limit for
 * CONNECT and the TLS handshake, returns a refusal of the proxy as if the server had answered, and
 * would add six packages to a program that is one downloaded file.
 */
export function createAgents({ proxy }: ConnectionSettings, connect_ms: number): Agents {
  const options = { keepAlive: true, maxSockets: 4 }
  const http = new HttpAgent(options)
  const direct = new HttpsAgent(options)
  const tunnel = proxy.https ? createTunnelAgent(proxyUrl(proxy.https), connect_ms) : undefined
  return {
    http,
    https: (url) => (tunnel && !bypassesProxy(url, proxy.except) ? tunnel : direct),
    close() {
      for (const agent of [http, direct, tunnel]) agent?.destroy()
    },
  }
}

function proxyUrl(text: string): URL {
  const address = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:')
    throw new UsageError(t('proxy-not-address'), t('proxy-not-address-hint'))
  return url
}

function proxyLogin({ username, password }: URL): string {
  try {
    return username ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : ''
  } catch {
    throw new UsageError(t('proxy-login'), t('proxy-login-hint'))
  }
}

/** NO_PROXY: names with their subdomains, and addresses, each with an optional port. */
export function bypassesProxy({ hostname, port, protocol }: URL, except: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isLoopback(host)) return true
  const own_port = port || (protocol === 'https:' ? '443' : '80')
  return except
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true
      // More than one colon without brackets is an IPv6 address, not a port.
      const [, name, only_port] = /^(\[.*\]|[^:[]*:[^:]*:.*|[^:]*)(?::(\d+))?$/.exec(
        entry.toLowerCase(),
      ) ?? ['', entry]
      const bare = name!.replace(/^\*?\./, '').replace(/^\[|\]$/g, '')
      return (
        (!only_port || only_port === own_port) &&
        (host === bare || (bare !== '' && host.endsWith(`.${bare}`)))
      )
    })
}

/** Opens a tunnel with CONNECT and does TLS with the server behind the proxy. */
function createTunnelAgent(proxy: URL, connect_ms: number): HttpsAgent {
  const agent = new HttpsAgent({ keepAlive: true, maxSockets: 4 })
  const login = proxyLogin(proxy)
  const createConnection = (options: TunnelOptions, done: Created) => {
    const host = options.host.includes(':') ? `[${options.host}]` : options.host
    const target = `${host}:${options.port}`
    const headers = {
      host: target,
      ...(login ? { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` } : {}),
    }
    const connect_request = request({
      host: proxy.hostname,
      port: proxy.port || 80,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
    })
    const fail = (message: string) => done(new NetworkError(message, t('proxy-hint')))
    connect_request.setTimeout(connect_ms, () =>
      connect_request.destroy(new Error(t('proxy-silent'))),
    )
    connect_request.once('error', (error) =>
      fail(t('proxy-unreachable', { proxy: proxy.host, reason: error.message })),
    )
    connect_request.once('connect', (answer, socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy()
        const status = String(answer.statusCode)
        return fail(t('proxy-refused', { proxy: proxy.host, target, status }))
      }
      socket.setTimeout(0)
      done(null, startTls(socket, options, connect_ms))
    })
    connect_request.end()
    return undefined
  }
  return Object.assign(agent, { createConnection })
}

function startTls(socket: Socket, options: TunnelOptions, timeout_ms: number): TLSSocket {
  const servername = options.servername || options.host
  const secure = connectTls({ ...options, socket, servername })
  const onTimeout = () =>
    secure.destroy(new NetworkError(t('network-tls-slow', { time: duration(timeout_ms / 1000) })))
  const timer = setTimeout(onTimeout, timeout_ms)
  for (const event of ['secureConnect', 'close']) secure.once(event, () => clearTimeout(timer))
  return secure
}
