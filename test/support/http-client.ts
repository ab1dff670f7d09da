import { Agent, type IncomingMessage, request as openRequest, type RequestOptions } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Answer, Call } from './app.ts'

/** Headers that differ between any two responses. */
const volatile = new Set(['date', 'x-request-id', 'connection', 'keep-alive'])

/** What `fetch` of Node sends. */
const DEFAULT_HEADERS = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
}

/** Sends many requests to one service for half of the CPU time that `fetch` takes for each. */
export function httpClient(base: string) {
  const agent = new Agent({ keepAlive: true })
  return async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const {
      token,
      body,
      headers,
      raw = body === undefined ? undefined : JSON.stringify(body),
    } = call
    const { hostname, port, pathname, search } = new URL(path, base)
    const { response, bytes } = await send(
      {
        agent,
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path: pathname + search,
        headers: {
          ...DEFAULT_HEADERS,
          ...(token && { authorization: `Bearer ${token}` }),
          ...(typeof raw === 'string' && { 'content-type': 'text/plain;charset=UTF-8' }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(raw !== undefined && { 'content-length': String(Buffer.byteLength(raw)) }),
          ...headers,
        },
      },
      raw,
    )
    const text = textOf(response, bytes)
    const is_json = response.headers['content-type']?.startsWith('application/json')
    const stable = Object.entries(response.headers).filter(([name]) => !volatile.has(name))
    return {
      status: response.statusCode!,
      headers: Object.fromEntries(
        stable.map(([name, value]) => [name, Array.isArray(value) ? value.at(-1)! : value!]),
      ),
      body: is_json && text ? JSON.parse(text) : text,
    }
  }
}

const send = (options: RequestOptions, body: string | Uint8Array | undefined) =>
  new Promise<{ response: IncomingMessage; bytes: Buffer }>((resolve, reject) => {
    const request = openRequest(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ response, bytes: Buffer.concat(chunks) }))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })

const decoder = new TextDecoder()
const decompress: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
}

function textOf({ headers }: IncomingMessage, bytes: Buffer): string {
  const decode = decompress[headers['content-encoding'] ?? '']
  return decoder.decode(decode && bytes.length ? decode(bytes) : bytes)
}
