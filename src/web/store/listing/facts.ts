import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { type FactField, factFields, fieldOf } from '../../../listings/fields/fields.ts'
import { type FieldText, fieldLabel, fieldTexts } from '../../components/field-text.ts'
import { formatDate, formatPlayers, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { ugcLink } from '../../components/link.ts'
import { reportUrl } from '../../reports/report-form.ts'
import type { ListingPage } from './head.ts'

type Fact = Html | Html[] | Text | false | null

/** The fields that the table of fields marks as facts, and other properties of the listing. */
export function factsPanel(listing: ListingPage): Html {
  const { platforms, players_min, players_max, engine_compat, published_at } = listing
  const rows: [Text, Fact][] = [
    [t('platforms'), platforms.length > 0 && platformLinks(platforms)],
    ...factFields.map((name): [Text, Fact] => [fieldLabel(name), fieldFact(listing, name)]),
    [t('filter-players'), formatPlayers(players_min, players_max)],
    [t('works-with'), engine_compat.length > 0 && engine_compat.map(engineLine)],
    [t('made-for'), parentLink(listing)],
    [t('published-on'), published_at !== null && formatDate(published_at)],
    [t('updated-on'), formatDate(listing.updated_at)],
  ]
  const row = ([name, value]: [Text, Fact]) => html`<dt>${name}</dt><dd>${value}</dd>`
  return html`
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">${t('details')}</h2>
      <dl class="facts">${rows.filter(([, value]) => value).map(row)}</dl>
      ${tagList(fieldLabel('tags'), listing.tags)}
      ${tagList(t('community-tags'), listing.community_tags)}
      ${reportTags(listing)}
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
  const values = fieldTexts(name, listing[name])
  const filter = fieldOf(name).include
  const item = ({ value, label, details }: FieldText) => {
    const text = filter?.description ? searchLink(filter.parameter, value, label) : label
    return html`${text}${details && html` (${details})`}`
  }
  return values.length > 0 && listed(values.map(item))
}

const tagList = (title: Text, tags: readonly string[]): Html | string =>
  tags.length
    ? html`
        <h3 class="eyebrow">${title}</h3>
        <p class="tags">
          ${tags.map((tag) => html`<a class="tag" href="/search?tags=${tag}">${tag}</a> `)}
        </p>
      `
    : ''

/** Players suggested these tags, so each has its own report. */
const reportTags = ({ uid, community_tags }: ListingPage): Html | string =>
  community_tags.length
    ? html`
        <details class="soft">
          <summary>${t('report-tag')}</summary>
          <ul class="bare">
            ${community_tags.map(
              (tag) => html`
                <li><a rel="nofollow" href="${reportUrl('community_tag', `${uid}:${tag}`)}">${tag}</a></li>`,
            )}
          </ul>
        </details>
      `
    : ''

type EngineRange = ListingPage['engine_compat'][number]

function versionRange({ min_version: min, max_version: max }: EngineRange): Text {
  if (min && max) return t('version-range', { min, max })
  if (min) return t('version-from', { min })
  return max ? t('version-up-to', { max }) : ''
}

function engineLine(range: EngineRange): Html {
  const { engine, renderer, platform } = range
  const parts = [labelOf(engine), versionRange(range), renderer, platform && labelOf(platform)]
  return html`<span class="line">${joinTexts(parts, ' ')}</span>`
}

export function parentLink({ parent, parent_game }: ListingPage): Html | false {
  if (parent_game) return html`<a href="/games/${parent_game.uid}">${parent_game.name}</a>`
  if (!parent || 'game' in parent) return false
  return ugcLink(parent.external_url, parent.external_name)
}
