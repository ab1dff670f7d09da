import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { assetUrl } from '../assets.ts'
import { takeNotice } from '../flash-message.ts'
import { pageFoot, pageHead } from './header-footer.ts'
import { Html, html } from './html.ts'

/** What every page handler has; handlers of src/web pass their whole input. */
export type Context = {
  core: Core
  request: FastifyRequest
  reply: FastifyReply
  who: Identity | null
}

export type PageParts = {
  title: string
  body: Html
  /** For search engines and previews. */
  description?: string
  /** The one address of this page, as a path. */
  canonical?: string
  noindex?: boolean
  /** Structured data of schema.org. */
  json_ld?: object
  /** More of the head: share cards, feeds. */
  head?: Html
  /** Modules and sheets of assets/ beyond those of every page. */
  scripts?: readonly string[]
  styles?: readonly string[]
  /** A key is on it that is shown this once: no cache keeps the page. */
  secret?: boolean
  /** What is in the search box. */
  q?: string
  /** A class of the body, for pages with a layout of their own. */
  layout?: string
  /** Where a form of this page may lead besides this site. */
  form_action?: string
}

const compress = promisify(brotliCompress)
const MIN_COMPRESSED = 1024
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** Nothing is fetched from elsewhere, no script or style stands in a page, and the browser is told so. */
function policy(
  { web_url, base_url, upload_url }: Addresses,
  frames: "'none'" | '*',
  form_action = '',
): string {
  const hosts = [...new Set([web_url, base_url])].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' ${hosts} data: blob:`,
    `media-src 'self' ${hosts}`,
    `connect-src 'self' ${[...new Set([web_url, base_url, upload_url])].join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    `form-action 'self' ${form_action}`.trim(),
    `frame-ancestors ${frames}`,
  ].join('; ')
}

export function setPageHeaders(
  { core, request, reply, who }: Context,
  { framed = false, noindex = false, form_action = '' } = {},
) {
  reply.headers({
    'content-security-policy': policy(core.addresses, framed ? '*' : "'none'", form_action),
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    ...(noindex && { 'x-robots-tag': 'noindex' }),
    // The answer to a form may hold a key that is shown this once.
    ...(who && {
      'cache-control': request.method === 'POST' ? 'private, no-store' : 'private, no-cache',
    }),
  })
  return reply.type('text/html; charset=utf-8')
}

/** A whole page of the site. */
export async function page(context: Context, parts: PageParts): Promise<FastifyReply> {
  setPageHeaders(context, { noindex: parts.noindex, form_action: parts.form_action })
  if (parts.secret) context.reply.header('cache-control', 'private, no-store')
  const text = renderPage(context, parts, takeNotice(context))
  return sendHtml(context.request, context.reply, text)
}

export async function sendHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<FastifyReply> {
  const wanted =
    request.method === 'GET' &&
    text.length >= MIN_COMPRESSED &&
    /\bbr\b/.test(String(request.headers['accept-encoding']))
  if (!wanted) return reply.send(text)
  return reply.header('content-encoding', 'br').send(await compress(text, QUALITY))
}

export function renderPage(
  { core, who }: Pick<Context, 'core' | 'who'>,
  parts: PageParts,
  notice?: Html,
): string {
  const {
    title,
    body,
    description,
    canonical,
    noindex,
    json_ld,
    head,
    scripts = [],
    styles = [],
    q,
    layout,
  } = parts
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description && html`<meta name="description" content="${description}">`}
${noindex && html`<meta name="robots" content="noindex, nofollow">`}
${canonical && html`<link rel="canonical" href="${core.addresses.web_url}${canonical}">`}
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#fffdf8">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#14202b">
<link rel="icon" type="image/svg+xml" href="${assetUrl('icon.svg')}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${assetUrl('text.woff2')}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${assetUrl('names.woff2')}">
${['site.css', ...styles].map((name) => html`<link rel="stylesheet" href="${assetUrl(name)}">`)}
${scripts.map((name) => html`<script type="module" src="${assetUrl(name)}"${early.has(name) && html` blocking="render"`}></script>`)}
${head}
${json_ld && html`<script type="application/ld+json">${dataBlock(json_ld)}</script>`}
</head>
<body${layout && html` class="${layout}"`}>
<a class="skip" href="#main">Skip to the content</a>
${pageHead(who, q)}
<main id="main" tabindex="-1">
${notice}
${body}
</main>
${pageFoot()}
</body>
</html>
`.markup
}

/** These put things in their places: the page is shown once they have, so that nothing moves under anybody's eyes. They are small. */
const early = new Set(['gallery.mjs', 'platform.mjs'])

/** JSON that cannot end the element it stands in. */
const dataBlock = (data: object) => new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))
