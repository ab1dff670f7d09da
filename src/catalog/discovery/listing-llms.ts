import type { Addresses } from '../../core/runtime/config.ts'
import {
  type FieldName,
  fieldOf,
  type TaxonomyField,
  taxonomyFields,
} from '../../listings/fields/fields.ts'
import { labeledValues } from '../../listings/fields/labels.ts'
import { playablePlaces } from '../../listings/fields/web-build.ts'
import { parentAndChildren } from '../../listings/page/parent-and-children.ts'
import type { PageRow } from '../../listings/page/queries.ts'
import { developerUrl, pageUrl, pressUrl } from '../../listings/page/url.ts'
import { listingSale } from '../../listings/prices/offers.ts'
import { priceText } from '../price-text.ts'
import { escapeMarkdown, type LinkEntry, link } from './discovery.ts'

const words = (values: readonly string[]) => values.map(escapeMarkdown).join(', ')

function players({ players_min: min, players_max: max }: PageRow): string {
  if (min === null || max === null) return ''
  return min === max ? String(min) : `${min} to ${max}`
}

/** A URL with its brackets escaped, so that it cannot end the Markdown link around it. */
const escapeUrl = (url: string) =>
  url.replace(/[()[\]]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)

function parentOf(
  addresses: Addresses,
  { parent_game, parent_external_name, parent_external_url }: PageRow,
  parent_username: string | null,
): string {
  if (parent_external_name !== null)
    return `[${escapeMarkdown(parent_external_name)}](${escapeUrl(parent_external_url ?? '')})`
  if (!parent_game) return ''
  const { name, vanity_name } = parent_game
  if (!parent_username) return escapeMarkdown(name)
  const url = pageUrl(addresses, { owner_username: parent_username, vanity_name })
  return `[${escapeMarkdown(name)}](${url})`
}

const plays = (addresses: Addresses, { files }: PageRow) =>
  playablePlaces(
    addresses,
    files.some(({ playable }) => playable),
  ).length > 0

type FactName = TaxonomyField | 'asset_type' | 'status' | 'license_kind'

/** Fields whose line is not the list of the labels of their values. */
const shownApart = new Set<FieldName>(['tags', 'players_min', 'players_max'])

function fact(page: PageRow, name: FactName): [string, string] {
  const values = labeledValues(name, page[name])
  const texts = values.map(({ label, details }) => (details ? `${label} (${details})` : label))
  return [fieldOf(name).label, words(texts)]
}

/** The facts of a listing with their labels; those without a value are empty. */
function factsOf(
  addresses: Addresses,
  page: PageRow,
  parent_username: string | null,
): [string, string][] {
  const { username } = page.developer
  return [
    fact(page, 'asset_type'),
    fact(page, 'status'),
    ['Developer', `[${escapeMarkdown(username)}](${developerUrl(addresses, username)})`],
    ['Price', priceText(page.price_cents, listingSale(page.offer_facts))],
    ['Platforms', words(page.platforms)],
    ['Playable', plays(addresses, page) ? 'in the browser, without installing it' : ''],
    ...taxonomyFields.filter((name) => !shownApart.has(name)).map((name) => fact(page, name)),
    ['Tags', words(page.tags)],
    ['Community tags', words(page.community_tags)],
    ['Players', players(page)],
    fact(page, 'license_kind'),
    ['Belongs to', parentOf(addresses, page, parent_username)],
    ['Updated', page.updated_at.toISOString().slice(0, 10)],
  ]
}

function linksOf(addresses: Addresses, page: PageRow): LinkEntry[] {
  const path = { owner_username: page.developer.username, vanity_name: page.vanity_name }
  const url = pageUrl(addresses, path)
  const { has_mods, has_tools } = parentAndChildren(page, false)
  return [
    { name: 'Store page', url, about: '' },
    ...(plays(addresses, page)
      ? [{ name: 'Play in the browser', url: `${url}/play`, about: '' }]
      : []),
    { name: 'Press kit', url: pressUrl(addresses, path), about: '' },
    ...(has_tools ? [{ name: 'Tools', url: `${url}/tools`, about: '' }] : []),
    ...(has_mods ? [{ name: 'Mods', url: `${url}/mods`, about: '' }] : []),
    {
      name: 'Listing as JSON',
      url: `${addresses.base_url}/api/v1/public/games/${page.uid}`,
      about: '',
    },
  ]
}

/** A listing as Markdown. Empty fields are left out. */
export function listingLlms(
  addresses: Addresses,
  page: PageRow,
  parent_username: string | null,
): string {
  const facts = factsOf(addresses, page, parent_username).filter(([, value]) => value)
  return [
    `# ${escapeMarkdown(page.name)}`,
    ...(page.tagline ? ['', `> ${escapeMarkdown(page.tagline)}`] : []),
    '',
    ...facts.map(([name, value]) => `- ${name}: ${value}`),
    '',
    '## Links',
    '',
    ...linksOf(addresses, page).map(link),
    ...(page.description.trim() ? ['', '## About', '', page.description.trim()] : []),
    '',
  ].join('\n')
}
