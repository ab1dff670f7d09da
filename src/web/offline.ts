import { createHash } from 'node:crypto'
import { anyone, route } from '../core/http/route.ts'
import type { BrandImages } from '../core/settings/brand-images.ts'
import { isRightToLeft } from '../core/text/languages.ts'
import { t } from '../core/text/text.ts'
import { assetContent, assetUrl } from './assets.ts'
import { readBrandIcon } from './brand/image-files.ts'
import { iconUrl, vectorIconUrl } from './brand/logo.ts'
import { Html, html } from './components/html.ts'
import { languageOf } from './language.ts'
import { getPage } from './page-routes.ts'
import { homeTitle } from './store/browse/home.ts'
import { visitor } from './visitor.ts'

/** Files whose addresses browsers know. The names have a dot, so no username can be one of them. */
const file = { method: 'GET', role: 'web', hidden: true, auth: anyone, envelope: false } as const
/** The address stays when operators change the icon. */
const SHORT_CACHE = 'public, max-age=300'

/** An icon file that contains one PNG. */
function iconFile(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(1, 4)
  header.writeUInt8(size, 6)
  header.writeUInt8(size, 7)
  header.writeUInt16LE(1, 10)
  header.writeUInt16LE(32, 12)
  header.writeUInt32LE(png.length, 14)
  header.writeUInt32LE(header.length, 18)
  return Buffer.concat([header, png])
}

const faviconRoute = route({
  ...file,
  url: '/favicon.ico',
  summary: 'The icon of the website for browsers that do not read the page',
  produces: 'image/x-icon',
  async handle({ core, reply }) {
    const png = (await readBrandIcon(core, 32)) ?? assetContent('icon-32.png')
    reply.header('cache-control', SHORT_CACHE)
    return reply.type('image/x-icon').send(iconFile(png, 32))
  },
})

/** A worker has the policy of its script. It requests whatever its pages request. */
const WORKER_POLICY =
  "script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** At the root, because a worker controls only pages below its own address. */
const serviceWorkerRoute = route({
  ...file,
  url: '/service-worker.js',
  summary: 'The worker that shows a page without network',
  produces: 'text/javascript',
  handle: ({ reply }) =>
    reply
      .headers({ 'cache-control': 'no-cache', 'content-security-policy': WORKER_POLICY })
      .type('text/javascript; charset=utf-8')
      .send(assetContent('service-worker.mjs')),
})

const maskable = (size: 192 | 512) => ({
  src: assetUrl(`icon-${size}.png`),
  type: 'image/png',
  sizes: `${size}x${size}`,
  purpose: 'maskable',
})

/** Uploaded icons have no margin that a phone could cut off. */
const uploaded = (images: BrandImages, size: 192 | 512) => ({
  src: iconUrl(images, size),
  type: 'image/png',
  sizes: `${size}x${size}`,
  purpose: 'any',
})

function manifestIcons(images: BrandImages) {
  const src = vectorIconUrl(images)
  const vector = src ? [{ src, type: 'image/svg+xml', sizes: 'any', purpose: 'any' }] : []
  const sizes = [192, 512] as const
  return [
    ...vector,
    ...sizes.map((size) => (images.favicon ? uploaded(images, size) : maskable(size))),
  ]
}

const manifestRoute = getPage('/manifest.webmanifest', 'Name and icons for the home screen', {
  auth: visitor,
  limits: [],
  handle({ core, request, reply }) {
    const language = languageOf(request)
    const { store_name, tagline } = core.settings.current
    const manifest = {
      lang: language,
      dir: isRightToLeft(language) ? 'rtl' : 'ltr',
      name: homeTitle(core.settings.current).write(language),
      short_name: store_name,
      description: tagline || t('home-description').write(language),
      id: '/',
      start_url: '/',
      scope: '/',
      display: 'minimal-ui',
      background_color: '#f6f3ec',
      theme_color: '#fffdf8',
      icons: manifestIcons(core.settings.images),
    }
    reply.headers({ 'cache-control': 'private, no-cache', vary: visitor.vary })
    return reply.type('application/manifest+json; charset=utf-8').send(JSON.stringify(manifest))
  },
})

/** Without network no style sheet can be loaded, so this page contains its style. */
const STYLE = `
:root{color-scheme:light dark;--bg:#f6f3ec;--ink:#14202b;--accent:#b3401a}
@media(prefers-color-scheme:dark){:root{--bg:#0d151d;--ink:#efe9dc;--accent:#ff8a5c}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);
color:var(--ink);font:17px/1.5 system-ui,sans-serif}
main{max-width:34rem;padding:24px;border-block-start:6px solid var(--accent)}
h1{margin:0 0 12px;font-size:28px;line-height:1.1}
a{color:var(--accent)}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const offlinePage = getPage('/offline.html', 'What is shown without network', {
  auth: visitor,
  limits: [],
  handle({ core, request, reply }) {
    const language = languageOf(request)
    const { store_name: store } = core.settings.current
    const page = html`<!doctype html>
<html lang="${language}"${isRightToLeft(language) && html` dir="rtl"`}>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${t('offline-title')}</title>
    <style>${new Html(STYLE)}</style>
  </head>
  <body>
    <main>
      <h1>${t('offline-title')}</h1>
      <p>${t('offline-text', { store })}</p>
      <p><a href="">${t('offline-retry')}</a></p>
    </main>
  </body>
</html>
`
    reply.headers({
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${STYLE_HASH}'`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex',
      vary: visitor.vary,
    })
    return reply.type('text/html; charset=utf-8').send(page.write(language))
  },
})

export const offlineRoutes = [faviconRoute, serviceWorkerRoute, manifestRoute, offlinePage]
