import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Theme } from '../../accounts/people/themes.ts'
import { pendingTerms } from '../../accounts/policies/acceptance.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Config } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { isRightToLeft, type Language } from '../../core/text/languages.ts'
import { type LocalText, type Text, t } from '../../core/text/text.ts'
import { assetUrl } from '../assets.ts'
import { accentStyleUrl } from '../brand/accent-style.ts'
import { announcementBar, hasClosedAnnouncement } from '../brand/announcement.ts'
import { iconLinks } from '../brand/logo.ts'
import { contentSecurityPolicy, type PolicyOptions } from '../content-security-policy.ts'
import { takeNotice } from '../flash-message.ts'
import { chooseLanguage } from '../language.ts'
import { localPath, withNext } from '../next-path.ts'
import { TERMS_PAGE } from '../policies/terms-gate.ts'
import { chooseTheme } from '../theme.ts'
import { dateTag } from './format.ts'
import { pageFooter, pageHeader } from './header-footer.ts'
import { Html, html, richText, strongText } from './html.ts'
import { linkTo } from './link.ts'

/** What rendering a page needs of a request; page handlers pass their input as it is. */
export type Context = {
  core: Core
  request: FastifyRequest
  reply: FastifyReply
  who: Identity | null
}

export type PageParts = {
  title: Text
  body: Html
  /** For search engines and link previews. */
  description?: Text
  /** The canonical path of this page. */
  canonical?: string
  noindex?: boolean
  /** Structured data in the vocabulary of schema.org. */
  json_ld?: object
  /** More elements of the head, such as share cards and feeds. */
  head?: Html
  /** Scripts and style sheets of assets/ that not every page has. */
  scripts?: readonly string[]
  styles?: readonly string[]
  /** The page shows a secret once: no cache may keep it. */
  secret?: boolean
  /** The text in the search box. */
  q?: string
  /** The class of the body, for pages with a layout of their own. */
  layout?: string
  /** A second skip link, to a part of the body that lies behind others. */
  skip?: Html
  /** The page itself is about new terms of the store. */
  terms_announced?: boolean
  /** Another origin that a form of this page may redirect to. */
  form_action?: string
  /** The origins of other sites that the page may show in a frame. */
  frames?: readonly string[]
}

const compress = promisify(brotliCompress)
const MIN_COMPRESSED = 1024
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

type HeaderOptions = PolicyOptions & { noindex?: boolean }

/** The headers of a page that do not depend on who reads it. */
export const pageHeaders = (
  { addresses }: Core,
  options: HeaderOptions = {},
): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(addresses, options),
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  ...(options.noindex && { 'x-robots-tag': 'noindex' }),
  'content-type': 'text/html; charset=utf-8',
})

export function setPageHeaders(
  { core, request, reply, who }: Context,
  options: HeaderOptions = {},
): FastifyReply {
  reply.headers(pageHeaders(core, options))
  // The answer to a form may show a secret once.
  if (who)
    reply.header(
      'cache-control',
      request.method === 'POST' ? 'private, no-store' : 'private, no-cache',
    )
  return reply
}

/** Sends a complete page of the site. */
export async function page(context: Context, parts: PageParts): Promise<FastifyReply> {
  const { noindex, form_action, frames } = parts
  setPageHeaders(context, { noindex, form_action, frames })
  if (parts.secret) context.reply.header('cache-control', 'private, no-store')
  const { core, request, who } = context
  // A page that no route matched has not looked for the reader yet.
  request.language ??= chooseLanguage(core, request, who)
  request.theme ??= chooseTheme(request, who)
  const { language, theme } = request
  const closed_announcement = hasClosedAnnouncement(core, request)
  const next = returnPath(context, parts)
  const reader = { core, who, language, theme, next, closed_announcement }
  const text = renderPage(reader, parts, takeNotice(context))
  return sendHtml(context.request, context.reply, text)
}

/** What begins the part of a page that its message is the first line of. */
const MAIN_START = '<main id="main" tabindex="-1">'

/**
 * A rendered page of signed-out visitors with the message that the page before left. A cached page
 * costs no rendering in this way, whoever sends the cookie of a message.
 */
export function withNotice(page: Buffer, notice: Html, language: Language): Buffer {
  const at = page.indexOf(MAIN_START) + MAIN_START.length
  const text = html`${notice}${scriptTag('menus.mjs')}`.write(language)
  return Buffer.concat([page.subarray(0, at), Buffer.from(text), page.subarray(at)])
}

export async function sendHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<FastifyReply> {
  const is_compressed =
    request.method === 'GET' &&
    text.length >= MIN_COMPRESSED &&
    /\bbr\b/.test(String(request.headers['accept-encoding']))
  if (!is_compressed) return reply.send(text)
  return reply.header('content-encoding', 'br').send(await compress(text, QUALITY))
}

/** The page to return to after signing in: not an answer to a form, an error or a secret link. */
function returnPath({ request, reply }: Context, { secret }: PageParts): string | undefined {
  if (secret || request.method !== 'GET' || reply.statusCode >= 400) return undefined
  return request.url.startsWith('/password/') ? undefined : localPath(request.url)
}

type Reader = {
  core: Core
  who: Identity | null
  language: Language
  theme: Theme
  /** The page that signing in leads to. */
  next?: string | undefined
  closed_announcement: boolean
}

export function renderPage(
  { core, who, language, theme, next, closed_announcement }: Reader,
  parts: PageParts,
  notice?: Html,
): string {
  const { title, description, canonical, noindex, json_ld, q, layout } = parts
  const { styles = [] } = parts
  // Only the header of signed-in people has a menu, and few pages have a message.
  const menus = who || notice ? ['menus.mjs'] : []
  const scripts = ['suggest.mjs', ...menus, ...(parts.scripts ?? []), 'offline.mjs']
  return html`<!doctype html>
<html lang="${language}"${isRightToLeft(language) && html` dir="rtl"`}${themeAttribute(theme)}>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    ${description && html`<meta name="description" content="${description}">`}
    ${noindex && html`<meta name="robots" content="noindex, nofollow">`}
    ${canonical && html`<link rel="canonical" href="${core.addresses.web_url}${canonical}">`}
    ${themeColors(theme)}
    ${iconLinks(core)}
    <link rel="manifest" href="/manifest.webmanifest" crossorigin="use-credentials">
    ${['text.woff2', 'names.woff2'].map(fontPreload)}
    ${['site.css', ...styles].map(stylesheet)}
    ${accentStylesheet(core)}
    ${scripts.map(scriptTag)}
    ${parts.head}
    ${json_ld && html`<script type="application/ld+json">${jsonBlock(json_ld)}</script>`}
  </head>
  <body${layout && html` class="${layout}"`}>
    <a class="skip" href="#main">${t('skip-to-content')}</a>
    ${parts.skip}
    ${drillBar(core.config)}
    ${announcementBar(core, closed_announcement)}
    ${pageHeader({ store: core.settings, who, q, next })}
    <main id="main" tabindex="-1">
      ${!parts.terms_announced && termsNotice(core, who, next)}
      ${notice}
      ${parts.body}
    </main>
    ${pageFooter({
      settings: core.settings.current,
      policies: core.settings.policies,
      languages: core.config.languages,
      language,
      theme,
    })}
  </body>
</html>
`.write(language)
}

/** In a drill every page says that it is one. */
export const drillBar = ({ drill }: Config): Html | false =>
  drill &&
  html`
    <aside class="announcement drill" aria-label="${t('drill')}">
      <p>${richText('drill-text', { strong: strongText })}</p>
    </aside>`

/** Announces terms that the person has not accepted yet. */
function termsNotice({ settings }: Core, who: Identity | null, next?: string): Html | undefined {
  const pending = who && pendingTerms(settings.policies, who.store_terms_version, new Date())
  if (!pending) return undefined
  const { version, effective_from, required_version } = pending
  const parts = { version, link: linkTo(withNext(TERMS_PAGE, next)) }
  return html`
    <p class="notice" role="status">
      <span>
        ${
          required_version === undefined
            ? richText('terms-announced', { ...parts, date: dateTag(effective_from) })
            : richText('terms-waiting', parts)
        }
      </span>
    </p>`
}

/** Without the attribute, the page follows the system; see tokens.css. */
const themeAttribute = (theme: Theme) => theme !== 'auto' && html` data-theme="${theme}"`

const barColors = { light: '#fffdf8', dark: '#14202b' } as const

/** The color that browsers give their own bars. */
const themeColors = (theme: Theme): Html =>
  theme === 'auto'
    ? html`
        <meta name="theme-color" media="(prefers-color-scheme: light)"
          content="${barColors.light}">
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="${barColors.dark}">
      `
    : html`<meta name="theme-color" content="${barColors[theme]}">`

/** The title of a page that says which store it is on. */
export const withStoreName = ({ settings }: Core, title: Text): LocalText =>
  t('title-on-site', { title, store: settings.current.store_name })
export const onStore = ({ settings }: Core, name: Text): LocalText =>
  t('name-on-site', { name, store: settings.current.store_name })

const fontPreload = (name: string) => html`
  <link rel="preload" as="font" type="font/woff2" crossorigin href="${assetUrl(name)}">
`
const stylesheet = (name: string) => html`<link rel="stylesheet" href="${assetUrl(name)}">`

/** The colors of the store, where an operator chose some. */
export const accentStylesheet = ({ settings }: Core): Html | undefined => {
  const url = accentStyleUrl(settings.current)
  return url ? html`<link rel="stylesheet" href="${url}">` : undefined
}

/** Small scripts that rearrange the page run before it is shown, so that nothing moves later. */
const renderBlocking = new Set(['gallery.mjs', 'platform.mjs'])

function scriptTag(name: string): Html {
  const blocking = renderBlocking.has(name) && html` blocking="render"`
  return html`<script type="module" src="${assetUrl(name)}"${blocking}></script>`
}

/** JSON that cannot close the script element around it. */
const jsonBlock = (data: object) => new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))
