import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { anyone, route } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'

const folder = join(import.meta.dirname, 'assets')
const require = createRequire(import.meta.url)

/** From installed packages. Browsers load the files of other alphabets only where text has them. */
const fontFiles: Record<string, [folder: string, start: string, end: string]> = {
  names: ['@fontsource-variable/bricolage-grotesque', 'bricolage-grotesque', 'wght-normal'],
  text: ['@fontsource-variable/instrument-sans', 'instrument-sans', 'wght-normal'],
  'text-italic': ['@fontsource-variable/instrument-sans', 'instrument-sans', 'wght-italic'],
  mono: ['@fontsource/ibm-plex-mono', 'ibm-plex-mono', '500-normal'],
}
const latin = { '': 'latin', '-ext': 'latin-ext' }
const alphabets: Record<string, Record<string, string>> = {
  mono: { ...latin, '-cyrillic': 'cyrillic', '-cyrillic-ext': 'cyrillic-ext' },
}
/** The path of each font in its package, by the name in the style sheet. */
const fonts = new Map(
  Object.entries(fontFiles).flatMap(([name, [folder, start, end]]) =>
    Object.entries(alphabets[name] ?? latin).map(([suffix, alphabet]) => [
      `${name}${suffix}.woff2`,
      `${folder}/files/${start}-${alphabet}-${end}.woff2`,
    ]),
  ),
)
/** Scripts outside of assets/, by the names under which they import each other. */
const packageScripts = new Map([
  ...['sha2.js', '_md.js', '_u64.js', 'utils.js'].map((name): [string, string] => [
    name,
    join(dirname(require.resolve('@noble/hashes/sha2.js')), name),
  ]),
  ['play.mjs', join(import.meta.dirname, 'store/play/play.mjs')],
  ['passkeys.mjs', join(import.meta.dirname, 'account/security/passkeys.mjs')],
  // The bundle of the package for browsers, which defines the global SimpleWebAuthnBrowser.
  [
    'simplewebauthn.js',
    join(dirname(require.resolve('@simplewebauthn/browser')), '../dist/bundle/index.umd.min.js'),
  ],
])
/** Our own modules that pages and their scripts share, by the names that scripts import. */
const sharedModules = new Map([
  ['format-bytes.mjs', join(import.meta.dirname, '../core/runtime/format-bytes.ts')],
  ['browser-system.mjs', join(import.meta.dirname, '../accounts/devices/browser-system.ts')],
])
/** Style sheets of every page are served as one file, others separately. */
const siteSheets = ['tokens.css', 'base.css', 'components.css', 'store.css']

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
}
const compressed = new Set(['.woff2', '.png'])

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
  if (!compressed.has(extension))
    Object.assign(asset, { br: brotliCompressSync(bytes), gzip: gzipSync(bytes, { level: 9 }) })
  byName.set(name, asset)
  byUrl.set(asset.url, asset)
  return asset
}

const readText = (name: string) => readFileSync(join(folder, name), 'utf8')
/** Replaces the names of other assets by their hashed names, so that both can be cached forever. */
const linked = (content: string): string =>
  content.replace(/(?<=['"(]\.\/)[\w-]+\.\w+/g, (name) =>
    loadAsset(name).url.slice('/assets/'.length),
  )

/**
 * Puts shared modules into the script that imports them. As files of their own they would be one
 * more round trip before the page is drawn.
 */
const inlined = (script: string): string =>
  script.replace(/^import .* from '\.\/([\w-]+\.mjs)'$/gm, (line, name: string) => {
    const source = sharedModules.get(name)
    if (!source) return line
    return stripTypeScriptTypes(readFileSync(source, 'utf8')).replaceAll(/^export /gm, '')
  })

function loadAsset(name: string): Asset {
  const known = byName.get(name)
  if (known) return known
  const font = fonts.get(name)
  if (font) return add(name, readFileSync(require.resolve(font)))
  if (extname(name) === '.png') return add(name, readFileSync(join(folder, name)))
  const script = packageScripts.get(name)
  if (script) return add(name, linked(readFileSync(script, 'utf8')))
  if (name === 'site.css') return add(name, linked(siteSheets.map(readText).join('\n')))
  return add(name, extname(name) === '.svg' ? readText(name) : linked(inlined(readText(name))))
}

/** The address of an asset, which changes with its content. */
export const assetUrl = (name: string): string => loadAsset(name).url

/** The content of an asset, for an address that must not change. */
export const assetContent = (name: string): Buffer => loadAsset(name).bytes

let has_all = false
/** A page of another process may link to an asset that no page of this one has used yet. */
function findAsset(url: string): Asset | undefined {
  if (!byUrl.has(url) && !has_all) {
    const packaged = [...fonts.keys(), ...packageScripts.keys()]
    for (const name of [...packaged, 'site.css', ...readdirSync(folder)])
      if (!siteSheets.includes(name)) loadAsset(name)
    has_all = true
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
    const asset = findAsset(`/assets/${params.name}`) ?? refuse('NOT_FOUND')
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const coding =
      asset.br && /\bbr\b/.test(accepted)
        ? 'br'
        : asset.gzip && /\bgzip\b/.test(accepted)
          ? 'gzip'
          : undefined
    if (coding) reply.header('content-encoding', coding)
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
    return reply.type(asset.type).send(coding ? asset[coding] : asset.bytes)
  },
})
