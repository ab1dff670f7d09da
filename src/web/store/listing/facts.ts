import type { Text } from '../../../core/text/text.ts'
import { type FactField, factFields, fieldOf } from '../../../listings/fields/fields.ts'
import { type LabeledValue, labeledValues } from '../../../listings/fields/labels.ts'
import { formatDate, formatPlayers, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { ugcLink } from '../../components/link.ts'
import type { ListingPage } from './head.ts'

type Fact = Html | Html[] | Text | false | null

/** The fields that the table of fields marks as facts, and other properties of the listing. */
export function factsPanel(listing: ListingPage): Html {
  const { platforms, players_min, players_max, engine_compat, published_at } = listing
  const rows: [string, Fact][] = [
    ['Platforms', platforms.length > 0 && platformLinks(platforms)],
    ...factFields.map((name): [string, Fact] => [fieldOf(name).label, fieldFact(listing, name)]),
    ['Players', formatPlayers(players_min, players_max)],
    ['Works with', engine_compat.length > 0 && engine_compat.map(engineLine)],
    ['Made for', parentLink(listing)],
    ['Published', published_at !== null && formatDate(published_at)],
    ['Updated', formatDate(listing.updated_at)],
  ]
  const row = ([name, value]: [string, Fact]) => html`<dt>${name}</dt><dd>${value}</dd>`
  return html`
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <dl class="facts">${rows.filter(([, value]) => value).map(row)}</dl>
      ${tagList('Tags', listing.tags)}
      ${tagList('Community tags', listing.community_tags)}
    </section>
  `
}

const searchLink = (parameter: string, value: string, label: Text) =>
  html`<a href="/search?${parameter}=${encodeURIComponent(value)}">${label}</a>`
const listed = (items: readonly (Html | string)[]) =>
  items.map((item, i) => html`${i > 0 && ', '}${item}`)
const platformLinks = (platforms: readonly string[]) =>
  listed(platforms.map((os) => searchLink('os', os, labelOf(os))))

/** The values of a field, as links where the search offers it as a filter. */
function fieldFact(listing: ListingPage, name: FactField): Fact {
  const values = labeledValues(name, listing[name])
  const filter = fieldOf(name).include
  const item = ({ value, label, details }: LabeledValue) => {
    const text = filter?.description ? searchLink(filter.parameter, value, label) : label
    return html`${text}${details && ` (${details})`}`
  }
  return values.length > 0 && listed(values.map(item))
}

const tagList = (title: string, tags: readonly string[]): Html | string =>
  tags.length
    ? html`
        <h3 class="eyebrow">${title}</h3>
        <p class="tags">
          ${tags.map((tag) => html`<a class="tag" href="/search?tags=${tag}">${tag}</a> `)}
        </p>
      `
    : ''

type EngineRange = ListingPage['engine_compat'][number]

function versionRange({ min_version, max_version }: EngineRange): string {
  if (min_version && max_version) return `${min_version} to ${max_version}`
  if (min_version) return `${min_version} and later`
  return max_version ? `up to ${max_version}` : ''
}

function engineLine(range: EngineRange): Html {
  const { engine, renderer, platform } = range
  const parts = [labelOf(engine), versionRange(range), renderer, platform && labelOf(platform)]
  return html`<span class="line">${parts.filter(Boolean).join(' ')}</span>`
}

function parentLink({ parent, parent_game }: ListingPage): Html | false {
  if (parent_game) return html`<a href="/games/${parent_game.uid}">${parent_game.name}</a>`
  if (!parent || 'game' in parent) return false
  return ugcLink(parent.external_url, parent.external_name)
}
