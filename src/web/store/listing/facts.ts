import { formatDate, formatPlayers, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { ListingPage } from './head.ts'

/** What it is, in the order people ask. */
export function factsPanel(listing: ListingPage): Html {
  const find = (name: string, value: string) =>
    html`<a href="/search?${name}=${encodeURIComponent(value)}">${labelOf(value)}</a>`
  const several = (name: string, values: readonly string[]) =>
    values.map((value, i) => html`${i > 0 && ', '}${find(name, value)}`)
  const rows: [string, Html | Html[] | string | false][] = [
    ['Runs on', listing.platforms.length > 0 && several('os', listing.platforms)],
    ['Genre', listing.genres.length > 0 && several('genres', listing.genres)],
    ['Feel', listing.tone.length > 0 && several('tone', listing.tone)],
    [
      'A session',
      listing.session_bucket !== null && find('session_bucket', listing.session_bucket),
    ],
    ['Players', formatPlayers(listing.players_min, listing.players_max)],
    ['Together', listing.net !== null && find('net', listing.net)],
    ['Played with', listing.inputs.map(labelOf).join(', ')],
    ['Made with', listing.engines.length > 0 && several('engine', listing.engines)],
    ['Works with', listing.engine_compat.length > 0 && compat(listing)],
    ['Licence', listing.license_kind !== null && find('license', listing.license_kind)],
    ['Belongs to', parent(listing)],
    ['Out since', listing.published_at !== null && formatDate(listing.published_at)],
    ['Last edited', formatDate(listing.updated_at)],
  ]
  const shown = rows.filter(([, value]) => value)
  return html`<section class="panel" aria-labelledby="facts"><h2 id="facts">The facts</h2><dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${tags('Tags', listing.tags)}${tags('Players say', listing.community_tags)}</section>`
}

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
