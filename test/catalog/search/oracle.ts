import type { Document } from '../../../src/catalog/search/index/document.ts'
import type { SearchQuery } from '../../../src/catalog/search/query/parameters.ts'

/**
 * A brute-force search, written from the documented behavior without any code of the index. It
 * reads every document for every search and keeps no state.
 */
const WORDS_READ = 16
const DEEPEST = 10_000

const known = {
  asset_type: ['game', 'application', 'tool', 'mod', 'plugin', 'game_asset', 'dev_asset'],
  os: ['windows', 'macos', 'linux', 'android', 'ios', 'web'],
  arch: ['x86_64', 'x86', 'arm64', 'arm32', 'arm', 'universal', 'wasm32', 'wasm'],
  tone: ['cozy', 'dark', 'funny', 'relaxing', 'tense', 'wholesome', 'weird', 'serious', 'chaotic'],
  ai_uses: ['art', 'audio', 'code', 'text', 'voice', 'runtime'],
  accessibility: ['subtitles', 'mono-audio'],
  session_bucket: ['15m', '1h', '3h', 'endless'],
  net: ['offline', 'local', 'online', 'local_online'],
  authorship: ['human', 'human_agent', 'agent_heavy'],
  license: ['cc0', 'cc-by', 'cc-by-sa', 'paid', 'source-available', 'proprietary'],
  warnings: [
    'violence',
    'gore',
    'sexual',
    'nudity',
    'language',
    'drugs',
    'gambling',
    'horror',
    'flashing_lights',
  ],
  // biome-ignore format: a table of words reads better in rows
  genres: [
    'action', 'adventure', 'arcade', 'card', 'casual', 'fighting', 'horror', 'idle',
    'management', 'platformer', 'puzzle', 'racing', 'rhythm', 'roguelike', 'rpg', 'sandbox',
    'shooter', 'simulation', 'sports', 'stealth', 'strategy', 'survival', 'tower-defense',
    'visual-novel', 'educational', 'tool', 'utility', 'other',
  ],
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .normalize('NFC')

const HAN = /[\u4e00-\u9fff]/

/**
 * A run of letters and digits is a word. Han text becomes bigrams, and single characters where it
 * is indexed.
 */
function words(text: string, indexed: boolean): string[] {
  const all: string[] = []
  for (const run of plain(text).split(/[^\p{L}\p{N}]+/u)) {
    for (const part of run.split(/([\u4e00-\u9fff]+)/)) {
      if (part === '') continue
      if (!HAN.test(part)) {
        all.push(part.slice(0, 32))
        continue
      }
      if (indexed || part.length === 1) all.push(...part)
      for (let i = 0; i + 1 < part.length; i++) all.push(part.slice(i, i + 2))
    }
  }
  return all
}

/** The weight of each word of a listing. */
function weights(doc: Document): Map<string, number> {
  const name = words(doc.name, true)
  const tags = doc.tags.flatMap((tag) => words(tag, true))
  const texts = [doc, ...Object.values(doc.translations)]
  const tagline = texts.flatMap((text) => words(text.tagline, true))
  const description = texts.flatMap((text) => words(text.description, true))
  const sums = new Map<string, number>()
  for (const word of new Set([...name, ...tags, ...tagline, ...description])) {
    let sum = 0
    if (name.includes(word)) sum += 96 + Math.floor(64 / name.length)
    if (tags.includes(word)) sum += 48
    if (tagline.includes(word)) sum += 24
    sum += 4 * Math.min(3, description.filter((term) => term === word).length)
    sums.set(word, sum)
  }
  return sums
}

/** One letter added, removed or replaced, or two neighbors swapped, except the first letter. */
function oneOff(a: string, b: string): boolean {
  const [x, y] = [[...a], [...b]]
  if (a === b || x[0] !== y[0]) return false
  if (Math.abs(x.length - y.length) > 1) return false
  let same = 0
  while (same < Math.min(x.length, y.length) && x[same] === y[same]) same++
  const rest = (letters: string[], from: number) => letters.slice(from).join('')
  if (x.length > y.length) return rest(x, same + 1) === rest(y, same)
  if (x.length < y.length) return rest(x, same) === rest(y, same + 1)
  if (rest(x, same + 1) === rest(y, same + 1)) return true
  return (
    same + 1 < x.length &&
    x[same] === y[same + 1] &&
    x[same + 1] === y[same] &&
    rest(x, same + 2) === rest(y, same + 2)
  )
}

const lower = (values: readonly string[] | undefined) =>
  (values ?? []).map((value) => value.trim().toLowerCase())
const pick = (values: readonly string[] | undefined, of: readonly string[]) =>
  lower(values).filter((value) => of.includes(value))
const tagsOf = (values: readonly string[] | undefined) => [
  ...new Set(
    lower(values)
      .map((tag) => tag.replace(/[ _-]+/g, '-').replace(/^-|-$/g, ''))
      .filter((tag) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(tag) && tag.length <= 32),
  ),
]
const meets = (accepted: string[], has: readonly (string | null)[]) =>
  accepted.length === 0 || accepted.some((value) => has.includes(value))
const slugs = (values: readonly string[] | undefined) =>
  lower(values).filter((value) => /^[a-z0-9][a-z0-9-]{0,31}$/.test(value))

/** Versions in these catalogs are `major.minor` or `major.minor.patch`. */
function inRange(
  version: string,
  { min_version, max_version }: { min_version: string | null; max_version: string | null },
): boolean {
  const numbers = (text: string) => text.split('.').map(Number)
  const compare = (a: number[], b: number[]) => {
    for (let i = 0; i < 3; i++) if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) - (b[i] ?? 0)
    return 0
  }
  const requested = numbers(version)
  if (min_version !== null && compare(requested, numbers(min_version)) < 0) return false
  if (max_version === null) return true
  const max = numbers(max_version)
  return compare(requested.slice(0, max.length), max) <= 0
}

function engineFits(doc: Document, query: SearchQuery): boolean {
  const engines = slugs(query.engine)
  const renderers = slugs(query.renderer)
  const version = /^\d+(\.\d+)*$/.test(query.engine_version ?? '') ? query.engine_version! : null
  if (version === null && renderers.length === 0)
    return meets(engines, [...doc.engines, ...doc.ranges.map(({ engine }) => engine)])
  return doc.ranges.some(
    (range) =>
      meets(engines, [range.engine]) &&
      (version === null || inRange(version, range)) &&
      (range.renderer === null || meets(renderers, [range.renderer])),
  )
}

function platformFits(doc: Document, query: SearchQuery): boolean {
  const os = pick(query.os, known.os)
  const arch = pick(query.arch, known.arch)
  if (os.length === 0) return true
  return doc.platforms.some((platform) => {
    const [its_os, its_arch] = platform.split('/')
    return (
      os.includes(its_os!) &&
      (arch.length === 0 || its_arch === 'universal' || arch.includes(its_arch!))
    )
  })
}

/** A code finds itself and everything that begins with it and a dash. */
function languageFits(doc: Document, query: SearchQuery): boolean {
  const isCode = (text: string) => /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/.test(text)
  const requested = lower(query.languages).filter(isCode)
  const codes = doc.languages.map(({ code }) => `${code.toLowerCase()}-`)
  const isSpoken = (code: string) => codes.some((own) => own.startsWith(`${code}-`))
  return requested.length === 0 || requested.some(isSpoken)
}

/** Of at least three reviews, this percentage or more enjoyed it. */
function ratingFits({ reviews, enjoyed }: Document, query: SearchQuery): boolean {
  const levels = pick(query.rating, ['60', '70', '80', '90']).map(Number)
  const percent = reviews < 3 ? -1 : (100 * enjoyed) / reviews
  return levels.length === 0 || percent >= Math.min(...levels)
}

/** The lower end of the Wilson interval, as in textbooks. */
function wilson({ reviews: n, enjoyed }: Document): number {
  if (n === 0) return 0
  const z = 1.96
  const p = enjoyed / n
  const center = p + z ** 2 / (2 * n)
  const spread = z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))
  return (center - spread) / (1 + z ** 2 / n)
}

function passes(doc: Document, query: SearchQuery): boolean {
  const tags = tagsOf(query.tags)
  return (
    meets(pick(query.asset_type, known.asset_type), [doc.asset_type]) &&
    meets(pick(query.genres, known.genres), doc.genres) &&
    meets(pick(query.tone, known.tone), doc.tone) &&
    meets(pick(query.ai_uses, known.ai_uses), doc.ai_uses) &&
    meets(pick(query.accessibility, known.accessibility), doc.accessibility) &&
    languageFits(doc, query) &&
    meets(pick(query.session_bucket, known.session_bucket), [doc.session_bucket]) &&
    meets(pick(query.net, known.net), [doc.net]) &&
    meets(pick(query.authorship, known.authorship), [doc.authorship]) &&
    meets(pick(query.license, known.license), [doc.license_kind]) &&
    meets(pick(query.price, ['free', 'paid']), [doc.price_cents > 0 ? 'paid' : 'free']) &&
    (pick(query.on_sale, ['true']).length === 0 || typeof doc.sale_price_cents === 'number') &&
    (query.max_price === undefined ||
      (doc.sale_price_cents ?? doc.price_cents) <= query.max_price) &&
    ratingFits(doc, query) &&
    meets(lower(query.owner), [doc.owner_uid]) &&
    meets(tags, doc.tags) &&
    platformFits(doc, query) &&
    engineFits(doc, query) &&
    (query.players === undefined ||
      (doc.players_min !== null &&
        doc.players_max !== null &&
        doc.players_min <= query.players &&
        query.players <= doc.players_max)) &&
    !pick(query.exclude_types, known.asset_type).includes(doc.asset_type) &&
    !pick(query.exclude_genres, known.genres).some((value) => doc.genres.includes(value)) &&
    !pick(query.exclude_tone, known.tone).some((value) => doc.tone.includes(value)) &&
    !tagsOf(query.exclude_tags).some((value) => doc.tags.includes(value)) &&
    !pick(query.exclude_warnings, known.warnings).some((value) =>
      doc.content_warnings.includes(value),
    ) &&
    !pick(query.exclude_ai_uses, known.ai_uses).some((value) => doc.ai_uses.includes(value))
  )
}

/** The score of one word of the search by listing. */
function worth(
  word: string,
  is_last: boolean,
  visible: { doc: Document; terms: Map<string, number> }[],
): Map<Document, number> {
  const scores = new Map<Document, number>()
  const best = (doc: Document, value: number) =>
    scores.set(doc, Math.max(scores.get(doc) ?? 0, value))
  for (const { doc, terms } of visible)
    for (const [term, weight] of terms) {
      if (term === word) best(doc, weight)
      else if (is_last && [...word].length >= 2 && term.startsWith(word))
        best(doc, Math.floor(weight / 2))
    }
  if (scores.size > 0 || [...word].length < 4) return scores
  for (const { doc, terms } of visible)
    for (const [term, weight] of terms) if (oneOff(word, term)) best(doc, Math.floor(weight / 4))
  return scores
}

export function oracle(docs: readonly Document[], query: SearchQuery, sees_adult: boolean) {
  const visible = docs
    .filter((doc) => sees_adult || !doc.adult)
    .map((doc) => ({ doc, terms: weights(doc) }))
  const typed = words(query.q ?? '', false).slice(0, WORDS_READ)
  const worths = [...new Set(typed)].map((word) => worth(word, word === typed.at(-1), visible))
  const tags = tagsOf(query.tags)
  const results = visible
    .map(({ doc }) => doc)
    .filter((doc) => passes(doc, query) && worths.every((scores) => scores.has(doc)))
    .map((doc) => {
      const text = worths.reduce((sum, scores) => sum + scores.get(doc)!, 0)
      return { doc, score: text + 48 * tags.filter((tag) => doc.tags.includes(tag)).length }
    })
  const newest = (a: Document, b: Document) =>
    b.published_us - a.published_us || (a.uid < b.uid ? -1 : 1)
  const flip = query.reverse ? -1 : 1
  const byName = (a: Document, b: Document) =>
    Buffer.compare(Buffer.from(plain(a.name)), Buffer.from(plain(b.name)))
  const problem = (doc: Document) => (doc.health === 'problematic' ? 1 : 0)
  results.sort((a, b) => {
    if (query.sort === 'newest')
      return flip * (b.doc.published_us - a.doc.published_us) || newest(a.doc, b.doc)
    if (query.sort === 'updated')
      return flip * (b.doc.updated_us - a.doc.updated_us) || newest(a.doc, b.doc)
    if (query.sort === 'popular')
      return flip * (b.doc.popularity - a.doc.popularity) || newest(a.doc, b.doc)
    if (query.sort === 'top_rated') {
      const difference = wilson(b.doc) - wilson(a.doc)
      return (Math.abs(difference) < 1e-9 ? 0 : flip * difference) || newest(a.doc, b.doc)
    }
    if (query.sort === 'name') return flip * byName(a.doc, b.doc) || newest(a.doc, b.doc)
    return problem(a.doc) - problem(b.doc) || b.score - a.score || newest(a.doc, b.doc)
  })
  const page_size = Math.min(50, Math.max(1, query.page_size ?? 20))
  const offset = (Math.max(1, query.page ?? 1) - 1) * page_size
  const page = offset + page_size > DEEPEST ? [] : results.slice(offset, offset + page_size)
  return {
    total: results.length,
    uids: page.map(({ doc }) => doc.uid),
    scores: page.map(({ score }) => score),
    all: results.map(({ doc }) => doc),
  }
}
