import { type FactField, factFields, fieldOf, valueLabel } from '../../../listings/fields/fields.ts'
import { formatDate, formatPlayers, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { ListingPage } from './head.ts'

/** What it is, in the order people ask. */
export function factsPanel(listing: ListingPage): Html {
  const rows: [string, Html | Html[] | string | false][] = [
    ['Platforms', listing.platforms.length > 0 && several('os', listing.platforms, labelOf)],
    ...factFields.map((name) => fieldRow(listing, name)),
    ['Players', formatPlayers(listing.players_min, listing.players_max)],
    ['Works with', listing.engine_compat.length > 0 && compat(listing)],
    ['Belongs to', parent(listing)],
    ['Published', listing.published_at !== null && formatDate(listing.published_at)],
    ['Updated', formatDate(listing.updated_at)],
  ]
  const shown = rows.filter(([, value]) => value)
  return html`<section class="panel" aria-labelledby="facts"><h2 id="facts">The facts</h2><dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${tags('Tags', listing.tags)}${tags('Players say', listing.community_tags)}</section>`
}

/** A field of the field table; its values link to a search for them where one can be filtered. */
function fieldRow(listing: ListingPage, name: FactField): [string, Html[] | string | false] {
  const { label, include } = fieldOf(name)
  const values = [listing[name] ?? []].flat()
  if (!values.length) return [label, false]
  const text = (value: string) => valueLabel(name, value)
  if (include?.description) return [label, several(include.parameter, values, text)]
  return [label, values.map(text).join(', ')]
}

const several = (
  parameter: string,
  values: readonly string[],
  label: (value: string) => string,
): Html[] =>
  values.map(
    (value, i) =>
      html`${i > 0 && ', '}<a href="/search?${parameter}=${encodeURIComponent(value)}">${label(value)}</a>`,
  )

const tags = (title: string, some: readonly string[]): Html | string =>
  some.length
    ? html`<h3 class="eyebrow">${title}</h3><p class="tags">${some.map((tag) => html`<a class="tag" href="/search?tags=${tag}">${tag}</a> `)}</p>`
    : ''

const range = ({
  engine,
  min_version,
  max_version,
  renderer,
  platform,
}: ListingPage['engine_compat'][number]) =>
  [
    labelOf(engine),
    min_version && max_version
      ? `${min_version} to ${max_version}`
      : min_version
        ? `${min_version} and later`
        : max_version
          ? `up to ${max_version}`
          : '',
    renderer,
    platform && labelOf(platform),
  ]
    .filter(Boolean)
    .join(' ')
const compat = ({ engine_compat }: ListingPage) =>
  engine_compat.map((one) => html`<span class="line">${range(one)}</span>`)

function parent({ parent }: ListingPage): Html | false {
  if (!parent) return false
  if ('game' in parent) return html`<a href="/games/${parent.game.uid}">${parent.game.name}</a>`
  return html`<a href="${parent.external_url}" rel="nofollow ugc noopener">${parent.external_name}</a>`
}
