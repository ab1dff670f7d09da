import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { anyone, route } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'

const folder = join(import.meta.dirname, 'assets')
const require = createRequire(import.meta.url)

/** Latin letters only: one small file each, from packages that are installed with us. */
const fonts = {
  'names.woff2':
    '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2',
  'text.woff2':
    '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
  'text-italic.woff2':
    '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-italic.woff2',
  'mono.woff2': '@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-500-normal.woff2',
}
/** Scripts of packages, by the names they import each other by. */
const packageScripts = new Map(
  ['sha2.js', '_md.js', '_u64.js', 'utils.js'].map((name) => [
    name,
    join(dirname(require.resolve('@noble/hashes/sha2.js')), name),
  ]),
)
/** Sheets that every page needs go as one file; others stand alone. */
const site = ['tokens.css', 'base.css', 'pieces.css', 'store.css']

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
}

type Asset = { url: string; name: string; type: string; bytes: Buffer; br?: Buffer; gzip?: Buffer }
const byName = new Map<string, Asset>()
const byUrl = new Map<string, Asset>()

function add(name: string, content: Buffer | string): Asset {
  const bytes = Buffer.from(content as Buffer)
  const extension = extname(name)
  const hash = createHash('sha256')
    .update(bytes)
    .digest('base64url')
    .replace(/[-_]/g, '')
    .slice(0, 10)
  const asset: Asset = {
    name,
    bytes,
    type: types[extension]!,
    url: `/assets/${name.slice(0, -extension.length)}-${hash}${extension}`,
  }
  if (extension !== '.woff2')
    Object.assign(asset, { br: brotliCompressSync(bytes), gzip: gzipSync(bytes, { level: 9 }) })
  byName.set(name, asset)
  byUrl.set(asset.url, asset)
  return asset
}

const text = (name: string) => readFileSync(join(folder, name), 'utf8')
/** A file that names another names it with its hash, so that both may be kept for ever. */
const linked = (content: string): string =>
  content.replace(/(?<=['"(]\.\/)[\w-]+\.\w+/g, (name) => asset(name).url.slice('/assets/'.length))

function asset(name: string): Asset {
  const known = byName.get(name)
  if (known) return known
  if (name in fonts)
    return add(name, readFileSync(require.resolve(fonts[name as keyof typeof fonts])))
  const script = packageScripts.get(name)
  if (script) return add(name, linked(readFileSync(script, 'utf8')))
  if (name === 'site.css') return add(name, linked(site.map(text).join('\n')))
  return add(name, extname(name) === '.svg' ? text(name) : linked(text(name)))
}

/** Where a file of the website is served: a new address for every content. */
export const assetUrl = (name: string): string => asset(name).url

let all = false
/** A page of an older or newer version may ask for a file before any page of this process named it. */
function findAsset(url: string): Asset | undefined {
  if (!byUrl.has(url) && !all) {
    const packaged = [...Object.keys(fonts), ...packageScripts.keys()]
    for (const name of [...packaged, 'site.css', ...readdirSync(folder)])
      if (!site.includes(name)) asset(name)
    all = true
  }
  return byUrl.get(url)
}

export const serveAsset = route({
  method: 'GET',
  url: '/assets/:name',
  summary: 'A style sheet, script or font of the website',
  role: 'web',
  hidden: true,
  auth: anyone,
  params: Type.Object({ name: Type.String() }),
  envelope: false,
  produces: 'text/css',
  errors: ['NOT_FOUND'],
  handle({ params, request, reply }) {
    const found = findAsset(`/assets/${params.name}`) ?? refuse('NOT_FOUND')
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const coding =
      found.br && /\bbr\b/.test(accepted)
        ? 'br'
        : found.gzip && /\bgzip\b/.test(accepted)
          ? 'gzip'
          : undefined
    if (coding) reply.header('content-encoding', coding)
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
    return reply.type(found.type).send(coding ? found[coding] : found.bytes)
  },
})
