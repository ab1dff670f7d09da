import { Agent as HttpAgent, request } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { type ConnectionOptions, connect as startTls } from 'node:tls'
import { duration } from '../documents/text.ts'
import { NetworkError, UsageError } from '../errors.ts'
import { isLoopback, type Settings } from '../settings.ts'

export type Agents = { http: HttpAgent; https: (url: URL) => HttpsAgent; close: () => void }
type Created = (error: Error | null, socket?: Socket) => void

/** Connections that are kept between requests, through the proxy of the environment where there is one. */
export function createAgents({ proxy }: Settings, connect_ms: number): Agents {
  const options = { keepAlive: true, maxSockets: 4 }
  const http = new HttpAgent(options)
  const direct = new HttpsAgent(options)
  const through = proxy.https ? tunnelAgent(proxyUrl(proxy.https), connect_ms) : undefined
  return {
    http,
    https: (url) => (through && !isExcepted(url, proxy.except) ? through : direct),
    close() {
      for (const agent of [http, direct, through]) agent?.destroy()
    },
  }
}

function proxyUrl(text: string): URL {
  const url = URL.canParse(text.includes('://') ? text : `http://${text}`)
    ? new URL(text.includes('://') ? text : `http://${text}`)
    : undefined
  if (url?.protocol !== 'http:')
    throw new UsageError(
      'HTTPS_PROXY is not the address of an http proxy',
      'it looks like http://proxy.example.com:3128',
    )
  return url
}

function proxyLogin({ username, password }: URL): string {
  try {
    return username ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : ''
  } catch {
    throw new UsageError(
      'HTTPS_PROXY: the user name or password holds a % that begins no escape',
      'write %25 for a % in it',
    )
  }
}

/** NO_PROXY: names, with everything below them, and addresses; each may name a port. This machine needs none. */
export function isExcepted({ hostname, port, protocol }: URL, except: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isLoopback(host)) return true
  const own_port = port || (protocol === 'https:' ? '443' : '80')
  return except
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true
      // More than one colon without brackets is an address, not a port.
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

/** The proxy carries bytes; TLS is spoken with the server behind it. */
function tunnelAgent(proxy: URL, connect_ms: number): HttpsAgent {
  const agent = new HttpsAgent({ keepAlive: true, maxSockets: 4 })
  const login = proxyLogin(proxy)
  const createConnection = (
    options: ConnectionOptions & { host: string; port: number },
    done: Created,
  ) => {
    const target = `${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`
    const headers = {
      host: target,
      ...(login ? { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` } : {}),
    }
    const asked = request({
      host: proxy.hostname,
      port: proxy.port || 80,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
    })
    const fail = (why: string) =>
      done(new NetworkError(`the proxy ${proxy.host} ${why}`, 'check HTTPS_PROXY and NO_PROXY'))
    asked.setTimeout(connect_ms, () => asked.destroy(new Error('did not answer')))
    asked.once('error', (error) => fail(`cannot be reached: ${error.message}`))
    asked.once('connect', (answer, socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy()
        return fail(`refused to connect to ${target} (HTTP ${answer.statusCode})`)
      }
      socket.setTimeout(0)
      const secure = startTls({
        ...options,
        socket,
        servername: options.servername || options.host,
      })
      const late = () =>
        secure.destroy(
          new NetworkError(`the TLS handshake took longer than ${duration(connect_ms / 1000)}`),
        )
      const handshake = setTimeout(late, connect_ms)
      for (const over of ['secureConnect', 'close'])
        secure.once(over, () => clearTimeout(handshake))
      done(null, secure)
    })
    asked.end()
    return undefined
  }
  return Object.assign(agent, { createConnection })
}
