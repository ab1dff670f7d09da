import { choice, type Field, list, plainText, shown, slug, wholeNumber, wrong } from './text.ts'

export const assetTypes = [
  'game',
  'application',
  'tool',
  'mod',
  'plugin',
  'game_asset',
  'dev_asset',
] as const
export const visibilities = ['draft', 'owner', 'invisible', 'public'] as const
export const statuses = ['released', 'development', 'prototype'] as const
// biome-ignore format: a table of words reads better in rows
export const genres = [
  'action', 'adventure', 'arcade', 'card', 'casual', 'fighting', 'horror', 'idle', 'management', 'platformer', 'puzzle', 'racing', 'rhythm',
  'roguelike', 'rpg', 'sandbox', 'shooter', 'simulation', 'sports', 'stealth', 'strategy', 'survival', 'tower-defense', 'visual-novel',
  'educational', 'tool', 'utility', 'other',
] as const
export const tones = [
  'cozy',
  'dark',
  'funny',
  'relaxing',
  'tense',
  'wholesome',
  'weird',
  'serious',
  'chaotic',
] as const
export const inputs = ['keyboard_mouse', 'gamepad', 'touch', 'vr', 'motion'] as const
// biome-ignore format: a table of words reads better in rows
export const contentWarnings = [
  'violence', 'gore', 'sexual', 'nudity', 'language', 'drugs', 'gambling', 'horror', 'flashing_lights',
] as const
export const sessionBuckets = ['15m', '1h', '3h', 'endless'] as const
export const nets = ['offline', 'local', 'online', 'local_online'] as const
export const authorships = ['human', 'human_agent', 'agent_heavy'] as const
export const aiUses = ['art', 'audio', 'code', 'text', 'voice', 'runtime'] as const

export const authorshipLabels: Record<Authorship, string> = {
  human: 'made by people',
  human_agent: 'people with AI agents',
  agent_heavy: 'mostly AI agents',
}

export const limits = {
  genres: 3,
  tags_min: 3,
  tags: 20,
  tag: 32,
  tone: 3,
  engines: 5,
  players: 64,
  authorship_credit: 120,
} as const

export type AssetType = (typeof assetTypes)[number]
export type Visibility = (typeof visibilities)[number]
export type Status = (typeof statuses)[number]
export type Genre = (typeof genres)[number]
export type Tone = (typeof tones)[number]
export type Input = (typeof inputs)[number]
export type ContentWarning = (typeof contentWarnings)[number]
export type SessionBucket = (typeof sessionBuckets)[number]
export type Net = (typeof nets)[number]
export type Authorship = (typeof authorships)[number]
export type AiUse = (typeof aiUses)[number]

export type Taxonomy = {
  genres: Genre[]
  tags: string[]
  tone: Tone[]
  inputs: Input[]
  content_warnings: ContentWarning[]
  engines: string[]
  session_bucket: SessionBucket | null
  net: Net | null
  players_min: number | null
  players_max: number | null
  authorship: Authorship | null
  authorship_credit: string | null
  ai_uses: AiUse[]
}
export type Players = Pick<Taxonomy, 'players_min' | 'players_max'>

type Reader<T> = (at: Field, value: unknown) => T

const readers: { [Name in keyof Taxonomy]: Reader<Taxonomy[Name]> } = {
  genres: several(genres, limits.genres),
  tags: readTags,
  tone: several(tones, limits.tone),
  inputs: several(inputs, inputs.length),
  content_warnings: several(contentWarnings, contentWarnings.length),
  engines: readEngines,
  session_bucket: oneOf(sessionBuckets),
  net: oneOf(nets),
  players_min: readPlayers,
  players_max: readPlayers,
  authorship: oneOf(authorships),
  authorship_credit: (at, value) => plainText(at, value, limits.authorship_credit) || null,
  ai_uses: several(aiUses, aiUses.length),
}

/** Any subset of the taxonomy: a field given replaces that field, a field left out stays. `current` is what the listing holds now. */
export function checkTaxonomy(patch: Record<string, unknown>, current: Players): Partial<Taxonomy> {
  const next: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(patch)) {
    if (value === undefined) continue
    const at: Field = { refusal: 'INVALID_TAXONOMY', field }
    if (!isTaxonomyField(field))
      wrong(at, `there is no such field; the fields are ${Object.keys(readers).join(', ')}`)
    next[field] = readers[field](at, value)
  }
  if ('players_min' in next || 'players_max' in next) checkPlayers({ ...current, ...next })
  return next
}

/** The slug a tag is kept as, or null when nothing but a refusal can be made of it. */
export function normaliseTag(text: string): string | null {
  const tag = text
    .trim()
    .toLowerCase()
    .replace(/[ _-]+/g, '-')
    .replace(/^-|-$/g, '')
  return tag.length <= limits.tag && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(tag) ? tag : null
}

/** Normalised tags without repeats, in the order given. */
export function normaliseTags(at: Field, value: unknown): string[] {
  const tags = list(at, value).map((entry) => {
    const tag = typeof entry === 'string' ? normaliseTag(entry) : null
    return (
      tag ??
      wrong(
        at,
        `${shown(entry)} cannot be a tag; use lowercase letters, digits and dashes, at most ${limits.tag} characters`,
      )
    )
  })
  return [...new Set(tags)]
}

function readTags(at: Field, value: unknown): string[] {
  const tags = normaliseTags(at, value)
  if (tags.length === 0 || (tags.length >= limits.tags_min && tags.length <= limits.tags))
    return tags
  wrong(
    at,
    `give ${limits.tags_min} to ${limits.tags} different tags, or an empty list to clear them; this list has ${tags.length}`,
  )
}

function readEngines(at: Field, value: unknown): string[] {
  return atMost(
    at,
    limits.engines,
    list(at, value).map((entry) => slug(at, entry)),
  )
}

function readPlayers(at: Field, value: unknown): number | null {
  return value === null ? null : wholeNumber(at, value, 1, limits.players)
}

function checkPlayers({ players_min, players_max }: Players) {
  if (players_min === null || players_max === null || players_min <= players_max) return
  wrong(
    { refusal: 'INVALID_TAXONOMY', field: 'players_min' },
    `${players_min} is above players_max, ${players_max}; change one of them`,
  )
}

function oneOf<T extends string>(allowed: readonly T[]): Reader<T | null> {
  return (at, value) => (value === null ? null : choice(at, value, allowed))
}

function several<T extends string>(allowed: readonly T[], max: number): Reader<T[]> {
  return (at, value) =>
    atMost(
      at,
      max,
      list(at, value).map((entry) => choice(at, entry, allowed)),
    )
}

function atMost<T>(at: Field, max: number, values: T[]): T[] {
  const unique = [...new Set(values)]
  return unique.length <= max
    ? unique
    : wrong(at, `choose at most ${max}; this list has ${unique.length}`)
}

function isTaxonomyField(field: string): field is keyof Taxonomy {
  return Object.hasOwn(readers, field)
}
