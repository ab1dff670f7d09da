import type { FacetCounts } from '../../../catalog/search/query/plan.ts'
import { type FieldName, fieldNames, fieldOf } from '../../../listings/fields/fields.ts'
import { operatingSystems } from '../../../listings/fields/versions.ts'
import { formatNumber, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'

/** The filters of the address, each with its values; what the catalog does not know is not carried on. */
export type Asked = Record<string, string[]>

/** Groups of the rail: what including and leaving out are called in the address, and what counts them. */
type Group = {
  title: string
  facet: keyof FacetCounts
  include?: string
  exclude?: string
  values?: readonly string[]
  open?: boolean
}
/** The group of a listing field that can be counted and filtered by. */
function fieldGroup(name: FieldName): Group[] {
  const field = fieldOf(name)
  const include = field.include?.description && field.include.parameter
  const exclude = field.exclude?.description && field.exclude.parameter
  if (!field.facet || !(include || exclude)) return []
  return [
    {
      title: include ? field.label : `Exclude ${field.label.toLowerCase()}`,
      facet: field.facet as keyof FacetCounts,
      ...(include && { include }),
      ...(exclude && { exclude }),
      ...('values' in field && { values: Object.keys(field.values) }),
      open: field.filter_open ?? false,
    },
  ]
}
const platformGroup: Group = {
  title: 'Platform',
  facet: 'os',
  include: 'os',
  values: operatingSystems,
  open: true,
}
const [typeGroup, ...otherGroups] = fieldNames.flatMap(fieldGroup)
/** The groups that start open come first. */
const groups: Group[] = [typeGroup!, platformGroup, ...otherGroups].sort(
  (a, b) => Number(b.open ?? false) - Number(a.open ?? false),
)
const fields = [
  { name: 'players', label: 'Players', type: 'number' },
  { name: 'arch', label: 'Processor', type: 'text' },
  { name: 'engine', label: 'Engine', type: 'text' },
  { name: 'engine_version', label: 'Its version', type: 'text' },
  { name: 'renderer', label: 'Renderer', type: 'text' },
]
const MOST_TAGS = 16
/** Counting tags looks at every tag of the catalog, so a large one is asked without; its rail offers the tags of what is on the page. */
export const facetsWanted = (is_large: boolean) =>
  groups.flatMap(({ facet }) => (facet === 'tags' && is_large ? [] : [facet])).join(',')

/** What the rail shows of a filter; a count that nobody made is not shown. */
export type Counts = Partial<Record<keyof FacetCounts, { value: string; count: number | null }[]>>

export const tagsOf = (items: readonly { tags: readonly string[] }[]) =>
  [...new Set(items.flatMap(({ tags }) => tags))].map((value) => ({ value, count: null }))

const aliases: Record<string, string> = { search: 'q', type: 'asset_type' }
const listed = new Set(groups.flatMap(({ include, exclude }) => [include, exclude]))
const plain = ['q', ...fields.map(({ name }) => name), 'sort', 'page']
const known = new Set([...listed, ...plain])
const MAX = 200

/** Every filter that was sent, in one spelling: by its own name, each value once. */
export function askedOf(sent: Record<string, unknown>): Asked {
  const asked: Asked = {}
  for (const [sent_name, value] of Object.entries(sent)) {
    const name = aliases[sent_name] ?? sent_name
    if (!known.has(name)) continue
    const texts = [value].flat().filter((one): one is string => typeof one === 'string')
    const values = listed.has(name) ? texts.flatMap((one) => one.split(',')) : texts.slice(0, 1)
    const kept = [...new Set(values.map((one) => one.trim().slice(0, MAX)).filter(Boolean))]
    if (kept.length) asked[name] = kept
  }
  return asked
}

/** The address of a search that differs in these; what is undefined is taken away. */
export function urlWith(asked: Asked, change: Record<string, string[] | undefined>): string {
  const entries = Object.entries({ ...asked, ...change }).filter(([, values]) => values?.length)
  const query = entries
    .map(([name, values]) => `${name}=${values!.map(encodeURIComponent).join(',')}`)
    .join('&')
  return query ? `/search?${query}` : '/search'
}

const toggled = (asked: Asked, name: string, value: string): string[] => {
  const now = asked[name] ?? []
  return now.includes(value) ? now.filter((one) => one !== value) : [...now, value]
}
const without = (asked: Asked, name: string | undefined, value: string) =>
  name ? { [name]: (asked[name] ?? []).filter((one) => one !== value) } : {}

/** All filters in force, each to be taken away by a press. */
export function chips(asked: Asked): Html | string {
  const shown = Object.entries(asked).filter(
    ([name]) => name !== 'sort' && name !== 'page' && name !== 'q',
  )
  if (!shown.length) return ''
  const chip = (name: string, value: string) => {
    const out = name.startsWith('exclude_')
    const label = listed.has(name)
      ? labelOf(value)
      : `${fields.find((field) => field.name === name)?.label}: ${value}`
    return html`<li><a class="chip${out && ' chip-out'}" href="${urlWith(asked, { ...without(asked, name, value), page: undefined })}">${out && html`<span class="sr">without </span>`}${label}<span class="sr">, take away</span>${icon('bad')}</a></li>`
  }
  return html`<ul class="chips" aria-label="Filters in force">${shown.flatMap(([name, values]) => values.map((value) => chip(name, value)))}
<li><a href="${urlWith({ q: asked.q ?? [] }, {})}">Take all away</a></li></ul>`
}

/** The rail: a column on a wide screen, a sheet on a phone, all of it links and one form. */
export function rail(asked: Asked, facets: Counts): Html {
  return html`<aside id="filters" class="rail" popover aria-label="Filters"><div class="rail-head"><h2>Filters</h2><button class="button button-quiet button-small" popovertarget="filters" popovertargetaction="hide">Done</button></div>
${groups.map((group) => groupOf(asked, group, facets[group.facet] ?? []))}${moreForm(asked)}</aside>`
}

function groupOf(
  asked: Asked,
  group: Group,
  counts: { value: string; count: number | null }[],
): Html | string {
  const { title, include, exclude, values, open } = group
  const counted = new Map(counts.map(({ value, count }) => [value, count]))
  const chosen = [
    ...(include ? (asked[include] ?? []) : []),
    ...(exclude ? (asked[exclude] ?? []) : []),
  ]
  const all = values ?? [
    ...new Set([...chosen, ...counts.slice(0, MOST_TAGS).map(({ value }) => value)]),
  ]
  const shown = all.filter(
    (value) => counted.get(value) || counted.get(value) === null || chosen.includes(value),
  )
  if (!shown.length) return ''
  return html`<details class="group"${(open || chosen.length > 0) && html` open`}><summary>${title}${chosen.length > 0 && html` <span class="mono">${chosen.length}</span>`}</summary><ul>${shown.map((value) => rowOf(asked, group, value, counted.has(value) ? counted.get(value)! : 0))}</ul></details>`
}

function rowOf(
  asked: Asked,
  { include, exclude }: Group,
  value: string,
  amount: number | null,
): Html {
  const is_in = include !== undefined && (asked[include] ?? []).includes(value)
  const is_out = exclude !== undefined && (asked[exclude] ?? []).includes(value)
  const label = labelOf(value)
  const put =
    include &&
    urlWith(asked, {
      [include]: toggled(asked, include, value),
      ...without(asked, exclude, value),
      page: undefined,
    })
  const leave =
    exclude &&
    urlWith(asked, {
      [exclude]: toggled(asked, exclude, value),
      ...without(asked, include, value),
      page: undefined,
    })
  const mark = html`<span class="box" aria-hidden="true">${is_in ? icon('ok') : is_out ? icon('minus') : ''}</span>`
  return html`<li${(is_in || is_out) && html` class="${is_out ? 'is-out' : 'is-in'}"`}><a class="value" rel="nofollow" href="${put ?? leave}"${(is_in || (is_out && !put)) && html` aria-current="true"`}>${mark}<span>${label}</span>${amount !== null && html`<span class="amount">${formatNumber(amount)}</span>`}</a>${
    put &&
    leave &&
    html`<a class="not" rel="nofollow" href="${leave}"${is_out && html` aria-current="true"`}><span class="sr">${is_out ? 'No longer leave out' : 'Leave out'} ${label}</span>${icon(is_out ? 'plus' : 'minus')}</a>`
  }</li>`
}

function moreForm(asked: Asked): Html {
  const names = new Set(fields.map(({ name }) => name))
  const carried = Object.entries(asked).filter(([name]) => !names.has(name) && name !== 'page')
  const field = ({ name, label, type }: (typeof fields)[number]) =>
    html`<div class="field"><label for="x-${name}">${label}</label><input id="x-${name}" name="${name}" type="${type}" value="${asked[name]?.[0]}"${type === 'number' ? html` min="1" max="64"` : html` maxlength="64"`}></div>`
  return html`<details class="group"${fields.some(({ name }) => asked[name]) && html` open`}><summary>More</summary><form class="form" action="/search">${carried.map(([name, values]) => html`<input type="hidden" name="${name}" value="${values.join(',')}">`)}${fields.map(field)}<button class="button button-quiet">Narrow down</button></form></details>`
}
