import { archAliases } from '../../../builds/builds/fields.ts'
import type { FacetCounts } from '../../../catalog/search/query/plan.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { approvalLevels } from '../../../library/approval.ts'
import { normalizeVersion } from '../../../listings/fields/engine-versions.ts'
import { fieldNames, fieldOf } from '../../../listings/fields/fields.ts'
import { languageCodes } from '../../../listings/fields/languages.ts'
import { architectures, operatingSystems, osAliases } from '../../../listings/fields/platforms.ts'
import { MAX_PLAYERS } from '../../../listings/fields/table.ts'
import { normalizeTag } from '../../../listings/fields/taxonomy.ts'
import { playables } from '../../../listings/fields/web-build.ts'
import { exclusionLabel, fieldLabel, fieldValueText } from '../../components/field-text.ts'
import { formatNumber, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'

/** The filters in the address of a search: known names, each with its values. */
export type Filters = Record<string, string[]>

/** A group of the filter rail, with the parameters that include and exclude its values. */
type Group = {
  title: Text
  /** Values of a group without a facet are offered without counts. */
  facet?: keyof FacetCounts
  /** A further value replaces the one that is set. */
  is_single?: boolean
  include?: string | undefined
  exclude?: string | undefined
  /** Without a fixed list, the rail offers the most frequent values. */
  values?: readonly string[] | undefined
  open?: boolean | undefined
  labelOf: (value: string) => Text
}

/** The fields that the search offers as filters; those that only exclude are titled so. */
const fieldGroups = fieldNames.flatMap((name): Group[] => {
  const field = fieldOf(name)
  const include = field.include?.description ? field.include.parameter : undefined
  const exclude = field.exclude?.description ? field.exclude.parameter : undefined
  if (!field.facet || !(include || exclude)) return []
  return [
    {
      title: include ? fieldLabel(name) : exclusionLabel(name),
      facet: field.facet as keyof FacetCounts,
      include,
      exclude,
      values: 'values' in field ? Object.keys(field.values) : undefined,
      open: field.filter_open,
      labelOf: (value) => fieldValueText(name, value),
    },
  ]
})
const platformGroup: Group = {
  title: t('filter-platform'),
  facet: 'os',
  include: 'os',
  values: operatingSystems,
  open: true,
  labelOf,
}
const priceGroup: Group = {
  title: t('filter-price'),
  facet: 'price',
  include: 'price',
  values: ['free', 'paid'],
  open: true,
  labelOf: (value) => t(`price-${value}`),
}
const saleGroup: Group = {
  title: t('filter-sale'),
  include: 'on_sale',
  values: ['true'],
  open: true,
  labelOf: () => t('on-sale-now'),
}
const maxPriceGroup: Group = {
  title: t('filter-max-price'),
  include: 'max_price',
  is_single: true,
  values: ['500', '1000', '2000', '4000'],
  labelOf: (cents) => t('max-price', { price: formatPrice(Number(cents)) }),
}
const playableGroup: Group = {
  title: t('filter-playable'),
  facet: 'playable',
  include: 'playable',
  values: playables,
  open: true,
  labelOf: () => t('playable-browser'),
}
const ratingGroup: Group = {
  title: t('filter-rating'),
  facet: 'rating',
  include: 'rating',
  values: approvalLevels.toReversed(),
  labelOf: (percent) => t('filter-rating-value', { percent: Number(percent) }),
}
const [typeGroup, ...otherGroups] = fieldGroups
/** Groups that start open come first. */
const groups = [
  typeGroup!,
  platformGroup,
  playableGroup,
  priceGroup,
  saleGroup,
  maxPriceGroup,
  ratingGroup,
  ...otherGroups,
].sort((a, b) => Number(b.open ?? false) - Number(a.open ?? false))

const textFields = [
  { name: 'players', label: t('filter-players'), type: 'number' },
  { name: 'arch', label: t('filter-arch'), type: 'text' },
  { name: 'engine', label: t('filter-engine'), type: 'text' },
  { name: 'engine_version', label: t('filter-engine-version'), type: 'text' },
  { name: 'renderer', label: t('filter-renderer'), type: 'text' },
]
const MAX_TAGS = 16

/**
 * The facets to count. Counting tags reads every tag of the catalog, so a large catalog leaves
 * them out, and its rail offers the tags of the listings on the page.
 */
export const facetsToCount = (is_large: boolean) =>
  groups.flatMap(({ facet }) => (!facet || (facet === 'tags' && is_large) ? [] : [facet])).join(',')

type FacetValue = { value: string; count: number | null }
/** The values of each facet. A count of null was not counted and is not shown. */
export type Facets = Partial<Record<keyof FacetCounts, FacetValue[]>>

export const tagsOf = (items: readonly { tags: readonly string[] }[]): FacetValue[] =>
  [...new Set(items.flatMap(({ tags }) => tags))].map((value) => ({ value, count: null }))

/** The orders of results, in the order of the menu. The first one is not part of an address. */
export const sorts: Record<string, Text> = {
  relevance: t('sort-relevance'),
  newest: t('sort-newest'),
  updated: t('sort-updated'),
  popular: t('sort-popular'),
  top_rated: t('sort-top-rated'),
  name: t('sort-name'),
}
export const DEFAULT_SORT = 'relevance'
const sortNames = Object.keys(sorts)

const aliases: Record<string, string> = { search: 'q', type: 'asset_type' }
const listParameters = new Set(groups.flatMap(({ include, exclude }) => [include, exclude]))
const parameters = new Set([
  ...listParameters,
  ...textFields.map(({ name }) => name),
  'q',
  'sort',
  'page',
])
const MAX_LENGTH = 200
const SLUG = /^[a-z0-9][a-z0-9-]{0,31}$/

type Reader = (text: string) => string | null
const oneOf =
  (values: readonly string[], aliases: Record<string, string> = {}): Reader =>
  (text) =>
    values.find((value) => value === text) ?? (Object.hasOwn(aliases, text) ? aliases[text]! : null)
const slug: Reader = (text) => (SLUG.test(text) ? text : null)
const tag: Reader = (text) => normalizeTag(text)
const numberUpTo =
  (max: number): Reader =>
  (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= max ? text : null

/** How a value of each parameter is spelled; null for one that the search does not know. */
const readers: Record<string, Reader> = {
  ...Object.fromEntries(
    groups.flatMap(({ include, exclude, values }) =>
      values ? [include, exclude].map((name) => [name ?? '', oneOf(values)]) : [],
    ),
  ),
  os: oneOf(operatingSystems, osAliases),
  arch: oneOf(architectures, archAliases),
  tags: tag,
  exclude_tags: tag,
  languages: languageCodes.normalize,
  engine: slug,
  renderer: slug,
  engine_version: normalizeVersion,
  players: numberUpTo(MAX_PLAYERS),
  page: numberUpTo(1_000_000),
  sort: oneOf(sortNames),
}

function readFilter(name: string, text: string): string[] {
  const trimmed = text.trim().slice(0, MAX_LENGTH)
  const reader = readers[name]
  const value = reader ? reader(trimmed.toLowerCase()) : trimmed
  return value ? [value] : []
}

/**
 * The known filters of a query, under their own names, each value once. Values that the search
 * does not know are left out, so that the page never shows a filter that does nothing.
 */
export function parseFilters(query: Record<string, unknown>): Filters {
  const filters: Filters = {}
  for (const [alias, value] of Object.entries(query)) {
    const name = aliases[alias] ?? alias
    if (!parameters.has(name)) continue
    const texts = [value].flat().filter((text) => typeof text === 'string')
    const values = listParameters.has(name)
      ? texts.flatMap((text) => text.split(','))
      : texts.slice(0, 1)
    const known = values.flatMap((text) => readFilter(name, text))
    const is_single = name === maxPriceGroup.include
    if (known.length) filters[name] = is_single ? known.slice(0, 1) : [...new Set(known)]
  }
  return filters
}

type FilterChange = Record<string, string[] | undefined>

/** The address of a search with changed filters; undefined removes one. */
export function searchUrl(filters: Filters, change: FilterChange = {}): string {
  const query = Object.entries({ ...filters, ...change })
    .filter(([, values]) => values?.length)
    .map(([name, values]) => `${name}=${values!.map(encodeURIComponent).join(',')}`)
    .join('&')
  return query ? `/search?${query}` : '/search'
}

/** A change of filters leads to the first page. */
const filterUrl = (filters: Filters, change: FilterChange) =>
  searchUrl(filters, { ...change, page: undefined })

const valuesOf = (filters: Filters, name: string | undefined) => (name ? (filters[name] ?? []) : [])
const withToggled = (filters: Filters, name: string, value: string): FilterChange => {
  const values = valuesOf(filters, name)
  const is_set = values.includes(value)
  return { [name]: is_set ? values.filter((other) => other !== value) : [...values, value] }
}
const withRemoved = (filters: Filters, name: string | undefined, value: string): FilterChange =>
  name ? { [name]: valuesOf(filters, name).filter((other) => other !== value) } : {}

/** The search with its text but without filters. */
export const unfilteredUrl = ({ q = [] }: Filters) => searchUrl({ q })

/** The active filters, each as a link that removes it. */
export function activeFilters(filters: Filters): Html | string {
  const active = Object.entries(filters).filter(([name]) => !['sort', 'page', 'q'].includes(name))
  if (!active.length) return ''
  return html`
    <ul class="chips" aria-label="${t('filters-active')}">
      ${active.flatMap(([name, values]) => values.map((value) => chip(filters, name, value)))}
      <li><a href="${unfilteredUrl(filters)}">${t('filters-clear')}</a></li>
    </ul>
  `
}

function chip(filters: Filters, name: string, value: string): Html {
  const is_excluded = name.startsWith('exclude_')
  const field = textFields.find((field) => field.name === name)
  const group = groups.find(({ include, exclude }) => name === include || name === exclude)
  const label = group?.labelOf(value) ?? t('filter-value', { name: field?.label ?? name, value })
  const url = filterUrl(filters, withRemoved(filters, name, value))
  const text = is_excluded
    ? richText('filter-chip-excluded', { label, hidden: hiddenText })
    : richText('filter-chip', { label, hidden: hiddenText })
  return html`
    <li>
      <a class="chip${is_excluded && ' chip-excluded'}" href="${url}">${text}${icon('bad')}</a>
    </li>
  `
}

/** A value of a filter with a fixed list of values, and the parameter that sets it. */
export type FilterValue = { title: Text; parameter: string; value: string; label: Text }

export const filterValues: FilterValue[] = groups.flatMap(
  ({ title, include, values = [], labelOf }) =>
    include
      ? values.map((value) => ({ title, parameter: include, value, label: labelOf(value) }))
      : [],
)

/** The search for another text with further filters. */
export function searchWith(
  filters: Filters,
  q: string,
  values: readonly Pick<FilterValue, 'parameter' | 'value'>[],
): string {
  const change: FilterChange = { q: q ? [q] : [] }
  for (const { parameter, value } of values)
    change[parameter] = [...(change[parameter] ?? valuesOf(filters, parameter)), value]
  return filterUrl(filters, change)
}

export const hasFilter = (filters: Filters, { parameter, value }: FilterValue) =>
  valuesOf(filters, parameter).includes(value)

/** The filter rail: a column on wide screens, a sheet on phones, made of links and one form. */
export function filterRail(filters: Filters, facets: Facets, total: number): Html {
  const done = html`popovertarget="filters" popovertargetaction="hide"`
  return html`
    <aside id="filters" class="rail" popover aria-label="${t('filters-title')}">
      <div class="rail-head">
        <h2>${t('filters-title')}</h2>
        <button class="button button-primary button-small" ${done}>
          ${t('filters-show', { count: total })}
        </button>
      </div>
      ${groups.map((group) => filterGroup(filters, group, facetOf(facets, group)))}
      ${textFilterForm(filters)}
    </aside>
  `
}

const facetOf = (facets: Facets, { facet, values = [] }: Group): FacetValue[] =>
  facet ? (facets[facet] ?? []) : values.map((value) => ({ value, count: null }))

function filterGroup(filters: Filters, group: Group, facet: FacetValue[]): Html | string {
  const { title, include, exclude, open } = group
  const counts = new Map(facet.map(({ value, count }) => [value, count]))
  const chosen = [...valuesOf(filters, include), ...valuesOf(filters, exclude)]
  const most_frequent = facet.slice(0, MAX_TAGS).map(({ value }) => value)
  const values = group.values ?? [...new Set([...chosen, ...most_frequent])]
  const isFound = (value: string) => counts.has(value) && counts.get(value) !== 0
  const rows = values.filter((value) => isFound(value) || chosen.includes(value))
  if (!rows.length) return ''
  const is_open = (open || chosen.length > 0) && html` open`
  const chosen_count = chosen.length > 0 && html` <span class="mono">${chosen.length}</span>`
  const countOf = (value: string) => (counts.has(value) ? counts.get(value)! : 0)
  return html`
    <details class="group"${is_open}>
      <summary>${title}${chosen_count}</summary>
      <ul>${rows.map((value) => filterRow(filters, group, value, countOf(value)))}</ul>
    </details>
  `
}

function filterRow(filters: Filters, group: Group, value: string, count: number | null): Html {
  const { include, exclude } = group
  const label = group.labelOf(value)
  const is_included = valuesOf(filters, include).includes(value)
  const is_excluded = valuesOf(filters, exclude).includes(value)
  const include_url =
    include &&
    filterUrl(filters, {
      ...(group.is_single && !is_included
        ? { [include]: [value] }
        : withToggled(filters, include, value)),
      ...withRemoved(filters, exclude, value),
    })
  const exclude_url =
    exclude &&
    filterUrl(filters, {
      ...withToggled(filters, exclude, value),
      ...withRemoved(filters, include, value),
    })
  const is_current = is_included || (is_excluded && !include_url)
  const current = is_current && html` aria-current="true"`
  const state = is_excluded ? 'is-excluded' : is_included && 'is-included'
  const mark = is_included ? icon('ok') : is_excluded && icon('minus')
  return html`
    <li${state && html` class="${state}"`}>
      <a class="value" rel="nofollow" href="${include_url ?? exclude_url}"${current}>
        <span class="box" aria-hidden="true">${mark}</span>
        <span>${label}</span>
        ${count !== null && html`<span class="amount">${formatNumber(count)}</span>`}
      </a>
      ${include_url && exclude_url && excludeLink(exclude_url, label, is_excluded)}
    </li>
  `
}

function excludeLink(url: string, label: Text, is_excluded: boolean): Html {
  const current = is_excluded && html` aria-current="true"`
  const text = is_excluded
    ? richText('filter-stop-excluding', { label, hidden: hiddenText })
    : richText('filter-exclude', { label, hidden: hiddenText })
  return html`<a class="exclude" rel="nofollow" href="${url}"${current}>${text}</a>`
}

/** A form for filters that are typed. It carries the other filters as hidden fields. */
function textFilterForm(filters: Filters): Html {
  const names = new Set(textFields.map(({ name }) => name))
  const others = Object.entries(filters).filter(([name]) => !names.has(name) && name !== 'page')
  const open = textFields.some(({ name }) => filters[name]) && html` open`
  return html`
    <details class="group"${open}>
      <summary>${t('filters-more')}</summary>
      <form class="form" action="/search">
        ${others.map(
          ([name, values]) =>
            html`<input type="hidden" name="${name}" value="${values.join(',')}">`,
        )}
        ${textFields.map((field) => textFilter(field, filters[field.name]?.[0]))}
        <button class="button button-quiet">${t('filters-apply')}</button>
      </form>
    </details>
  `
}

function textFilter({ name, label, type }: (typeof textFields)[number], value = ''): Html {
  const limits = type === 'number' ? html`min="1" max="${MAX_PLAYERS}"` : html`maxlength="64"`
  return html`
    <div class="field">
      <label for="x-${name}">${label}</label>
      <input id="x-${name}" name="${name}" type="${type}" value="${value}" ${limits}>
    </div>
  `
}
