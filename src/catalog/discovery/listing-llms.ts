import type { Addresses } from '../../core/runtime/config.ts'
import { valueLabel } from '../../listings/fields/fields.ts'
import type { PageRow } from '../../listings/page/queries.ts'
import { developerUrl, pageUrl, pressUrl } from '../../listings/page/url.ts'
import { link, plain } from './discovery.ts'

const price = (cents: number) => (cents === 0 ? 'free' : `${(cents / 100).toFixed(2)} USD`)
const words = (values: readonly string[]) => values.map(plain).join(', ')

function players({ players_min: min, players_max: max }: PageRow): string {
  if (min === null || max === null) return ''
  return min === max ? String(min) : `${min} to ${max}`
}

/** An address that cannot end the link it stands in. */
const within = (url: string) =>
  url.replace(/[()[\]]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)

function parentOf(
  addresses: Addresses,
  { parent }: PageRow,
  parent_username: string | null,
): string {
  if (!parent) return ''
  if ('external_name' in parent)
    return `[${plain(parent.external_name)}](${within(parent.external_url)})`
  const { name, vanity_name } = parent.game
  return parent_username
    ? `[${plain(name)}](${pageUrl(addresses, { owner_username: parent_username, vanity_name })})`
    : plain(name)
}

/** A listing in plain text; what it does not say is left out. */
export function listingLlms(
  addresses: Addresses,
  page: PageRow,
  parent_username: string | null,
): string {
  const named = { owner_username: page.developer.username, vanity_name: page.vanity_name }
  const url = pageUrl(addresses, named)
  const facts: [string, string][] = [
    ['Type', page.asset_type],
    ['Status', page.status],
    [
      'Developer',
      `[${plain(named.owner_username)}](${developerUrl(addresses, named.owner_username)})`,
    ],
    ['Price', price(page.price_cents)],
    ['Platforms', words(page.platforms)],
    ['Genres', words(page.genres)],
    ['Tags', words(page.tags)],
    ['Community tags', words(page.community_tags)],
    ['Players', players(page)],
    ['Session', page.session_bucket ?? ''],
    ['Network', page.net ?? ''],
    ['Engines', words(page.engines)],
    ['Licence', page.license_kind ?? ''],
    ['Authorship', page.authorship ? valueLabel('authorship', page.authorship) : ''],
    ['Generative AI', words(page.ai_uses)],
    ['Content warnings', words(page.content_warnings)],
    ['Belongs to', parentOf(addresses, page, parent_username)],
    ['Updated', page.updated_at.toISOString().slice(0, 10)],
  ]
  const links = [
    { name: 'Store page', url, about: '' },
    { name: 'Press kit', url: pressUrl(addresses, named), about: '' },
    ...(page.has_tools ? [{ name: 'Tools', url: `${url}/tools`, about: '' }] : []),
    ...(page.has_mods ? [{ name: 'Mods', url: `${url}/mods`, about: '' }] : []),
    {
      name: 'Listing as JSON',
      url: `${addresses.base_url}/api/v1/public/games/${page.uid}`,
      about: '',
    },
  ]
  return [
    `# ${plain(page.name)}`,
    ...(page.tagline ? ['', `> ${plain(page.tagline)}`] : []),
    '',
    ...facts.filter(([, value]) => value).map(([name, value]) => `- ${name}: ${value}`),
    '',
    '## Links',
    '',
    ...links.map(link),
    ...(page.description.trim() ? ['', '## About', '', page.description.trim()] : []),
    '',
  ].join('\n')
}
