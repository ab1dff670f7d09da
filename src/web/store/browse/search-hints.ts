import type { FastifyRequest } from 'fastify'
import { readParameters } from '../../../catalog/search/query/parameters.ts'
import { fold } from '../../../catalog/search/query/tokenize.ts'
import { correctQuery, find, findTerms, type Viewer } from '../../../catalog/search/search.ts'
import { findDevelopers } from '../../../catalog/search/suggest-queries.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../../core/text/languages.ts'
import { joinTexts, type Text, t, writeText } from '../../../core/text/text.ts'
import { osAliases } from '../../../listings/fields/platforms.ts'
import { normalizeTag } from '../../../listings/fields/taxonomy.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import type { PageOfList } from '../../components/pager.ts'
import { avatarImage } from '../../images/avatar.ts'
import { languageOf } from '../../language.ts'
import { type Filters, type FilterValue, filterValues, hasFilter, searchWith } from './filters.ts'
import { sessionLengthOf } from './read-session-length.ts'

/** Searches with fewer results are checked for misspelled words. */
const FEW_RESULTS = 3
const MAX_DEVELOPERS = 2
const MAX_FILTERS = 4
/** Shorter texts begin the names of too many developers. */
const MIN_DEVELOPER_LENGTH = 3

type Input = { core: Core; who: Viewer; request: FastifyRequest }
type Hint = { url: string; text: Text; image?: Html }

/**
 * What a person may have meant by the words of a search: another spelling, filters, or a developer.
 * Only the first page has them. The words themselves are searched for as the API does.
 */
export async function searchHints(
  { core, who, request }: Input,
  filters: Filters,
  { total, page }: PageOfList,
): Promise<Html | string> {
  const [q] = filters.q ?? []
  if (!q || page > 1) return ''
  const sees_adult = who?.show_adult ?? false
  const query = { core, q, filters, sees_adult }
  const [spelling, developers, tags] = await Promise.all([
    total < FEW_RESULTS ? betterSpelling(query, total) : undefined,
    matchingDevelopers(query),
    matchingTags(query),
  ])
  const matches = matchFilters(q, filters, languageOf(request))
  const hints = [...developers, ...filterHints(filters, matches), ...(matches.length ? [] : tags)]
  if (!spelling && !hints.length) return ''
  return html`
    <div class="search-hints">
      ${spelling && didYouMean(filters, spelling)}
      ${hints.length > 0 && hintList(hints)}
    </div>
  `
}

const didYouMean = (filters: Filters, q: string): Html => html`
  <p class="lede" role="status">
    ${richText('search-did-you-mean', { q, link: linkTo(searchWith(filters, q, [])) })}
  </p>
`

const hintList = (hints: readonly Hint[]): Html => html`
  <p class="soft" id="hints">${t('search-hints')}</p>
  <ul class="hints" aria-labelledby="hints">
    ${hints.map(hintItem)}
  </ul>
`

const hintItem = ({ url, text, image }: Hint): Html => html`
  <li><a class="hint" href="${url}">${image}${text}</a></li>
`

type Query = { core: Core; q: string; filters: Filters; sees_adult: boolean }

/** Another spelling that has more results with the same filters. */
async function betterSpelling(
  { core, q, filters, sees_adult }: Query,
  total: number,
): Promise<string | undefined> {
  const corrected = await correctQuery(core, { q }, sees_adult)
  if (!corrected) return undefined
  const parameters = readParameters({ ...filters, q: corrected, facets: '' })
  const better = await find(core, parameters, sees_adult, { offset: 0, limit: 1, facets: [] })
  return better.total > total ? corrected : undefined
}

async function matchingDevelopers({ core, q, sees_adult }: Query): Promise<Hint[]> {
  const prefix = q.trim().replace(/\s+/g, '-')
  if (prefix.length < MIN_DEVELOPER_LENGTH) return []
  const developers = await core.read((sql) =>
    findDevelopers(sql, { prefix, sees_adult, limit: MAX_DEVELOPERS }),
  )
  return developers.map(({ username, avatar }) => ({
    url: `/${username}`,
    image: avatarImage({ username, avatar }, 'small'),
    text: t('filter-value', { name: t('developer'), value: username }),
  }))
}

/** The tag that the search spells out, if listings have it. */
async function matchingTags({ core, q, filters, sees_adult }: Query): Promise<Hint[]> {
  const tag = normalizeTag(q)
  if (!tag || filters.tags?.includes(tag)) return []
  const { tags } = await findTerms(core, { prefix: tag, adult: sees_adult, limit: 8 })
  if (!tags.some(({ value }) => value === tag)) return []
  return [
    {
      url: searchWith(filters, '', [{ parameter: 'tags', value: tag }]),
      text: t('filter-value', { name: t('search-tag'), value: tag }),
    },
  ]
}

type Match = FilterValue & { from: number; end: number }

/** A link for each filter, and one for all, each without the words that the filter replaces. */
function filterHints(filters: Filters, matches: readonly Match[]): Hint[] {
  const words = wordsOf(filters.q?.[0] ?? '')
  const textWithout = (replaced: readonly Match[]) =>
    words.filter((_, i) => !replaced.some(({ from, end }) => i >= from && i < end)).join(' ')
  const single = matches.map((match) => ({
    url: searchWith(filters, textWithout([match]), [match]),
    text: t('filter-value', { name: match.title, value: match.label }),
  }))
  if (matches.length < 2) return single
  const labels = joinTexts(
    matches.map(({ label }) => label),
    ' + ',
  )
  return [
    {
      url: searchWith(filters, textWithout(matches), matches),
      text: t('search-all-filters', { filters: labels }),
    },
    ...single,
  ]
}

const wordsOf = (q: string) => q.trim().split(/\s+/)

/** The longest names of filter values have this many words. */
const MAX_PHRASE = 4

/** The filters whose values the text names, longer names first, each word used once. */
function matchFilters(q: string, filters: Filters, language: Language): Match[] {
  const names = namesIn(language)
  const words = wordsOf(q)
  const matches: Match[] = []
  for (let from = 0; from < words.length && matches.length < MAX_FILTERS; ) {
    const match = longestMatch(names, words, from)
    if (match && !hasFilter(filters, match)) matches.push(match)
    from = match?.end ?? from + 1
  }
  return matches
}

function longestMatch(names: Names, words: readonly string[], from: number): Match | undefined {
  for (let end = Math.min(from + MAX_PHRASE, words.length); end > from; end--) {
    const key = nameKey(words.slice(from, end).join(' '))
    const value = names.get(key) ?? sessionLengthFilter(key)
    if (value) return { ...value, from, end }
  }
  return undefined
}

function sessionLengthFilter(key: string): FilterValue | undefined {
  const length = sessionLengthOf(key)
  return length && filterValues.find((entry) => entry.value === length)
}

type Names = Map<string, FilterValue>
const nameKey = (text: string) => fold(text).replace(/[\s_-]+/g, ' ')
const names_by_language = new Map<Language, Names>()

/** The filter values by their names in a language, in English and in addresses. */
function namesIn(language: Language): Names {
  const known = names_by_language.get(language)
  if (known) return known
  const names: Names = new Map()
  const add = (name: string, value: FilterValue) => {
    if (!names.has(nameKey(name))) names.set(nameKey(name), value)
  }
  for (const code of new Set([language, DEFAULT_LANGUAGE]))
    for (const entry of filterValues) add(writeText(entry.label, code), entry)
  for (const entry of filterValues) if (/[a-z]/.test(entry.value)) add(entry.value, entry)
  for (const [alias, value] of Object.entries(osAliases)) {
    const entry = filterValues.find((os) => os.parameter === 'os' && os.value === value)
    if (entry) add(alias, entry)
  }
  names_by_language.set(language, names)
  return names
}
