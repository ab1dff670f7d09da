import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { etagMatches, readRange } from '../../src/core/http/file-headers.ts'
import { INDEX } from '../../src/listings/fields/web-build.ts'
import { decodePath } from '../../src/play/decode-path.ts'
import { type MediaType, mediaTypeOf } from '../../src/play/media-types.ts'
import { accepts } from '../../src/play/negotiate.ts'
import { contentPolicy, fileHeaders } from '../../src/play/policy.ts'
import { t } from '../messages.ts'

/**
 * The store serves a game below the address of its build, so a path that begins with a slash leads
 * out of it. It does so here, too.
 */
export const GAME_PATH = '/game/'

export type ServedFolder = {
  /** The file on disk of a path in the build. */
  find: (path: string) => string | undefined
  isolated: boolean
  /** The address of the API and the servers that the listing declares. */
  api_url: string
  connect_origins: string[]
  /** Called with each address that names nothing. */
  onMissing: (address: string) => void
}

const NO_FILE = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors *",
  'cross-origin-resource-policy': 'cross-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cache-control': 'no-store',
}

/** A server with the headers that games have in the store. */
export const createGameServer = (folder: ServedFolder): Server =>
  createServer((request, response) => {
    answer(folder, request, response).catch(() => response.destroy())
  })

/** Other websites could reach this machine by a name of their own that leads to it. */
const isLoopback = (host = '') => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)

async function answer(folder: ServedFolder, request: IncomingMessage, response: ServerResponse) {
  const { url = '/', method = '', headers } = request
  if (!isLoopback(headers.host)) return plain(response, 403, t('serve-other-host'))
  if (method !== 'GET' && method !== 'HEAD')
    return plain(response, 405, t('serve-only-read'), { allow: 'GET, HEAD' })
  const [address = ''] = url.split('?', 1)
  if (address === '/' || `${address}/` === GAME_PATH)
    return plain(response, 302, GAME_PATH, { location: GAME_PATH })
  const path = address.startsWith(GAME_PATH)
    ? decodePath(address.slice(GAME_PATH.length))
    : undefined
  const name = path === '' || path?.endsWith('/') ? `${path}${INDEX}` : path
  const source = name === undefined ? undefined : folder.find(name)
  const stats = source === undefined ? undefined : await stat(source).catch(() => undefined)
  if (!source || !stats?.isFile()) {
    folder.onMissing(address)
    return plain(response, 404, t('serve-nothing'))
  }
  const media = mediaTypeOf(name!)
  const own = `http://${headers.host}`
  const policy = contentPolicy(
    { connect_origins: folder.connect_origins, embeddable: false },
    { base_url: folder.api_url, web_url: own },
  )
  const { isolated } = folder
  const common = {
    ...fileHeaders(media, { policy, isolated, is_open: true }),
    // What is tried out changes under the same address.
    'cache-control': 'no-cache',
  }
  await sendFile({ request, response, source, stats, media, headers: common })
}

type Sent = {
  request: IncomingMessage
  response: ServerResponse
  source: string
  stats: Stats
  media: MediaType
  headers: Record<string, string>
}

/** Sends a file, or a range of it; one that an engine compressed is decoded if it must be. */
async function sendFile({ request, response, source, stats, media, headers }: Sent) {
  const { size, mtimeMs } = stats
  const { coding } = media
  const is_decoded = coding !== undefined && !accepts(request.headers['accept-encoding'], coding)
  const etag = `"${size}-${mtimeMs}${is_decoded ? '-decoded' : ''}"`
  const common = {
    ...headers,
    etag,
    ...(coding && !is_decoded && { 'content-encoding': coding }),
    ...(!is_decoded && { 'accept-ranges': 'bytes' }),
  }
  if (etagMatches(request.headers['if-none-match'], etag))
    return void response.writeHead(304, withoutType(common)).end()
  const since = request.headers['if-range']
  const may_range = !is_decoded && (since === undefined || since === etag)
  const range = may_range ? readRange(request.headers.range, size) : undefined
  if (range === null)
    return void response
      .writeHead(416, { ...withoutType(common), 'content-range': `bytes */${size}` })
      .end()
  response.writeHead(range ? 206 : 200, {
    ...common,
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
    ...(!is_decoded && { 'content-length': range ? range.end - range.start + 1 : size }),
  })
  if (request.method === 'HEAD') return void response.end()
  const bytes = createReadStream(source, range ?? {})
  const decoder = coding === 'br' ? createBrotliDecompress() : createGunzip()
  const streams = is_decoded ? [bytes, decoder, response] : [bytes, response]
  await new Promise<void>((done, fail) =>
    pipeline(streams, (error) => (error ? fail(error) : done())),
  )
}

const withoutType = ({ 'content-type': _, ...headers }: Record<string, string>) => headers

function plain(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { ...NO_FILE, ...headers }).end(`${text}\n`)
}
