import { isIP } from 'node:net'
import type { Addresses, Config } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import { PRODUCT_NAME } from '../../core/settings/table.ts'
import { shelfKinds } from '../shelves/shelf-rules.ts'

/** Pages for people who are signed in or signing in, which search engines need not index. */
// biome-ignore format: a table of words reads better in rows
const accountPages = [
  'settings', 'login', 'signup', 'setup', 'logout', 'password', 'library', 'friends', 'redeem',
  'purchase', 'approve', 'dashboard', 'edit', 'new',
]

/**
 * Rules by RFC 9309. They match prefixes, and developers have their pages at the root: `/new` alone
 * would also match a developer called newton, so each page is matched as a whole word.
 */
export function robots({ web_url }: Addresses): string {
  const disallowed = accountPages.flatMap((page) => [`/${page}$`, `/${page}/`, `/${page}?`])
  const rules = [...disallowed, '/*/*/embed$', '/*/*/embed?'].map((path) => `Disallow: ${path}`)
  return ['User-agent: *', 'Allow: /', ...rules, '', `Sitemap: ${web_url}/sitemap.xml`, ''].join(
    '\n',
  )
}

const SECURITY_DAYS = 180

/**
 * RFC 9116. By default, the contact is the conventional mailbox of the domain and the expiry is
 * always half a year ahead.
 */
export function securityTxt(
  { web_url }: Addresses,
  config: Pick<Config, 'security_contact' | 'security_expires'>,
  now: Date,
): string {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const { hostname } = new URL(web_url)
  const host = isIP(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : hostname
  const contacts = config.security_contact ?? [`mailto:security@${host}`]
  const expires = config.security_expires ?? new Date(today + SECURITY_DAYS * DAY_MS)
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${web_url}/.well-known/security.txt`,
    '',
  ].join('\n')
}

export const humans = ({ addresses: { web_url }, settings }: Core) =>
  [
    '/* TEAM */',
    'Made by: the developers who publish here',
    `Site: ${web_url}/`,
    '',
    '/* SITE */',
    ...(settings.current.powered_by ? [`Software: ${PRODUCT_NAME}`] : []),
    'Language: English',
    '',
  ].join('\n')

export const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
export const apiCatalogLink = ({ base_url }: Addresses) =>
  `<${base_url}/.well-known/api-catalog>; rel="api-catalog"`

const json = (href: string) => ({ href, type: 'application/json' })

const toolServerEntry = ({ base_url, web_url }: Addresses, server: 'mcp' | 'player') => ({
  anchor: `${base_url}/${server}`,
  'service-desc': [
    json(`${base_url}/.well-known/mcp/${server === 'mcp' ? '' : 'player-'}server-card.json`),
  ],
  'service-doc': [{ href: `${web_url}/docs/agents/tools.md`, type: 'text/markdown' }],
  'service-meta': [json(`${base_url}/.well-known/oauth-protected-resource/${server}`)],
})

/** RFC 9727: the APIs of this service and where each is described. */
export function apiCatalog(addresses: Addresses) {
  const { base_url, web_url } = addresses
  const api = `${base_url}/api/v1/public`
  return {
    linkset: [
      {
        anchor: `${base_url}/.well-known/api-catalog`,
        item: [
          { href: `${api}/` },
          { href: `${api}/search` },
          { href: `${api}/sitemap` },
          { href: `${api}/export` },
          { href: `${api}/asset-library/` },
          { href: `${base_url}/mcp` },
          { href: `${base_url}/player` },
        ],
      },
      {
        anchor: `${api}/`,
        'service-desc': [
          json(`${api}/openapi.json`),
          { href: `${api}/openapi.yaml`, type: 'application/yaml' },
        ],
        'service-doc': [{ href: `${web_url}/docs/api`, type: 'text/html' }],
        'service-meta': [{ href: `${web_url}/llms.txt`, type: 'text/plain' }],
        status: [json(`${base_url}/health`)],
      },
      toolServerEntry(addresses, 'mcp'),
      toolServerEntry(addresses, 'player'),
      {
        // Editors request this address itself and discover the rest from it.
        anchor: `${api}/asset-library/`,
        'service-desc': [json(`${api}/openapi.json`)],
        'service-doc': [{ href: `${web_url}/docs/api`, type: 'text/html' }],
      },
    ],
  }
}

export type LinkEntry = { name: string; url: string; about: string }

/**
 * A link in a Markdown list. User text is escaped, so that it cannot end the link or start other
 * markup.
 */
export const link = ({ name, url, about }: LinkEntry) =>
  `- [${escapeMarkdown(name)}](${url})${about ? `: ${escapeMarkdown(about)}` : ''}`
export const escapeMarkdown = (text: string) =>
  text.replace(/\s+/g, ' ').replace(/[\\[\]<>`*_#|]/g, (character) => `\\${character}`)

function apiLinks({ base_url }: Addresses): LinkEntry[] {
  const api = `${base_url}/api/v1/public`
  return [
    {
      name: 'API description',
      url: `${api}/openapi.json`,
      about: 'OpenAPI 3.1 of every public route; human-readable at /docs/api',
    },
    {
      name: 'Search',
      url: `${api}/search`,
      about: 'words and filters, for example ?q=space&genres=strategy&os=linux',
    },
    {
      name: 'Popular tags',
      url: `${api}/tags/popular`,
      about: 'with counts; filter with ?prefix=',
    },
    {
      name: 'Sitemap as JSON',
      url: `${api}/sitemap`,
      about: 'every indexable listing and developer',
    },
    {
      name: 'Catalog export',
      url: `${api}/export`,
      about: 'every indexable listing with its fields, one JSON object per line, with a cursor',
    },
  ]
}

function agentLinks({ base_url, web_url }: Addresses): LinkEntry[] {
  return [
    {
      name: 'Tools for agents',
      url: `${web_url}/docs/agents/tools.md`,
      about: 'all tools of the two servers below, with their arguments',
    },
    {
      name: 'Tool server for developers',
      url: `${base_url}/.well-known/mcp/server-card.json`,
      about: `Model Context Protocol at ${base_url}/mcp, with OAuth or a key`,
    },
    {
      name: 'Tool server for players',
      url: `${base_url}/.well-known/mcp/player-server-card.json`,
      about: `Model Context Protocol at ${base_url}/player, for players`,
    },
    {
      name: 'API catalog',
      url: `${base_url}/.well-known/api-catalog`,
      about: 'the APIs of this service (RFC 9727)',
    },
  ]
}

const linkSection = (title: string, links: readonly LinkEntry[]) =>
  links.length ? ['', `## ${title}`, '', ...links.map(link)] : []

/** An overview of the whole service. */
export function platformLlms({ addresses, settings }: Core, newest: readonly LinkEntry[]): string {
  const { store_name, tagline } = settings.current
  const about =
    tagline || 'A platform for playing and publishing games, applications, mods and assets.'
  const { base_url, web_url } = addresses
  const shelves = shelfKinds.map((kind) => ({
    name: kind,
    url: `${base_url}/api/v1/public/shelves/${kind}`,
    about: '',
  }))
  const feeds: LinkEntry[] = [
    { name: 'New listings', url: `${web_url}/feeds/new.atom`, about: 'Atom' },
    { name: 'Updated listings', url: `${web_url}/feeds/updated.atom`, about: 'Atom' },
  ]
  return [
    `# ${escapeMarkdown(store_name)}`,
    '',
    `> ${escapeMarkdown(about)}`,
    '',
    'Everything public can be read without an account. Append `/llms.txt` to the URL of a ' +
      'developer or listing page to read it as plain text.',
    ...linkSection('For programs', [...apiLinks(addresses), ...agentLinks(addresses)]),
    ...linkSection('Shelves', shelves),
    ...linkSection('Feeds', feeds),
    ...linkSection('Newest', newest),
    '',
  ].join('\n')
}

type DeveloperLinks = {
  username: string
  url: string
  listings: readonly LinkEntry[]
  /** Whether there are more listings than these. */
  more: boolean
}

export const developerLlms = (
  { settings }: Core,
  { username, url, listings, more }: DeveloperLinks,
): string =>
  [
    `# ${escapeMarkdown(username)}`,
    '',
    `> Listings published by ${escapeMarkdown(username)} on ` +
      `${escapeMarkdown(settings.current.store_name)}.`,
    '',
    link({ name: 'Page', url, about: '' }),
    link({ name: 'Feed', url: `${url}/feed.atom`, about: 'Atom' }),
    '',
    '## Listings',
    '',
    ...listings.map(link),
    ...(more ? ['', `For all listings, see ${url}/sitemap.xml`] : []),
    '',
  ].join('\n')
