import { formatBytes } from '../../core/runtime/format-bytes.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import { type PackageShape, packageTypes } from '../fields/editor.ts'
import { type AssetType, assetTypes, type Taxonomy } from '../fields/fields.ts'
import { listingFields } from '../fields/table.ts'
import type { WebProblem, WebReport, WebWarning } from '../fields/web-build.ts'
import { type Dimensions, fitsSlot, galleryLimits, imageSlots } from '../media/image-rules.ts'
import { parentRule } from '../relations/parent.ts'

const GRACE_DAYS = 30

type Needed =
  | 'tags'
  | 'genres'
  | 'inputs'
  | 'engines'
  | 'session_bucket'
  | 'net'
  | 'players_min'
  | 'players_max'
export type ListingFacts = Pick<Taxonomy, Needed> & {
  asset_type: AssetType
  tagline: string
  has_parent: boolean
  cover: Dimensions | null
  thumbnail: Dimensions | null
  /** The number of images. */
  gallery: number
  clean_builds: number
  similar: number
  /**
   * The newest stable zip of a package that editors install. Null for other listings, and while
   * the shape of the zip is unknown.
   */
  editor_package: PackageShape | null
  /** What was found in the newest stable build for browsers; null if there is none. */
  web_build: WebReport | null
}

export type CheckItem = {
  id: string
  field: string
  message: string
  /** The files that the message is about. */
  details?: string[]
}
export type CheckReport = {
  ready: boolean
  errors: CheckItem[]
  warnings: CheckItem[]
  passes: CheckItem[]
}

type Rule = {
  id: string
  field: string
  /** Another field that the rule is about. */
  second_field?: string
  level: 'error' | 'warning'
  applies_to: readonly AssetType[]
  /** Limits the rule to some of the listings of those types. */
  when?: (facts: ListingFacts) => boolean
  holds: (facts: ListingFacts) => boolean
  todo: string
  done: string
  /** What exactly is wrong, such as the names of files. */
  details?: (facts: ListingFacts) => string[]
}

const all = assetTypes
const games = ['game'] as const
const madeForEngines = ['mod', 'plugin', 'game_asset', 'dev_asset'] as const
const withParent = assetTypes.filter((type) => parentRule[type] === 'required')
const sizes = (slot: 'cover' | 'thumbnail') =>
  `${imageSlots[slot].min.join('x')} to ${imageSlots[slot].max.join('x')}, 16:9`

const MAX_DETAILS = 10

const hasWebBuild = ({ web_build }: ListingFacts) => web_build !== null
const hasProblem = ({ web_build }: ListingFacts, problem: WebProblem) =>
  web_build?.problem === problem
const webDetail = ({ web_build }: ListingFacts) => (web_build?.detail ? [web_build.detail] : [])
const webWarnings = ({ web_build }: ListingFacts, kind: WebWarning['kind']) =>
  (web_build?.warnings ?? []).filter((warning) => warning.kind === kind)
const warningDetails = (facts: ListingFacts, kind: WebWarning['kind']) =>
  webWarnings(facts, kind)
    .slice(0, MAX_DETAILS)
    .map(({ file, reference, entry }) =>
      [`${file}: ${reference}`, ...(entry ? [entry] : [])].join(' → '),
    )

/** A build for browsers that cannot be played can still be downloaded, so these are warnings. */
const webRules: readonly Rule[] = [
  {
    id: 'web_index',
    field: 'builds',
    level: 'warning',
    applies_to: all,
    when: hasWebBuild,
    holds: (facts) => !hasProblem(facts, 'no_index'),
    todo:
      'Put index.html at the top of the zip, or of its only folder: ' +
      'without it the build cannot be played in the browser',
    done: 'The build for browsers has its index.html',
    details: webDetail,
  },
  {
    id: 'web_files',
    field: 'builds',
    level: 'warning',
    applies_to: all,
    when: hasWebBuild,
    holds: (facts) => !hasProblem(facts, 'too_many_files'),
    todo: 'Pack fewer files: the build has too many to be played in the browser',
    done: 'The build for browsers has few enough files to be played',
    details: webDetail,
  },
  {
    id: 'web_size',
    field: 'builds',
    level: 'warning',
    applies_to: all,
    when: hasWebBuild,
    holds: (facts) => !hasProblem(facts, 'too_large'),
    todo: 'Make the build smaller: unpacked it is too large to be played in the browser',
    done: 'The build for browsers is small enough to be played',
    details: ({ web_build }) => [formatBytes(Number(web_build?.detail))],
  },
  {
    id: 'web_file_size',
    field: 'builds',
    level: 'warning',
    applies_to: all,
    when: hasWebBuild,
    holds: (facts) => !hasProblem(facts, 'file_too_large'),
    todo: 'Split this file: it is too large for the build to be played in the browser',
    done: 'No file of the build for browsers is too large to be played',
    details: webDetail,
  },
  {
    id: 'web_paths',
    field: 'builds',
    level: 'warning',
    applies_to: all,
    when: hasWebBuild,
    holds: (facts) => !webWarnings(facts, 'absolute').length,
    todo:
      'Use relative paths, such as game.js instead of /game.js: ' +
      'the build is not at the top of its address when it is played in the browser',
    done: 'The build for browsers uses relative paths',
    details: (facts) => warningDetails(facts, 'absolute'),
  },
  {
    id: 'web_case',
    field: 'builds',
    level: 'warning',
    applies_to: all,
    when: hasWebBuild,
    holds: (facts) => !webWarnings(facts, 'case').length,
    todo: 'Write references with the same letters, upper and lower case, as the names of the files',
    done: 'The build for browsers spells references like the names of its files',
    details: (facts) => warningDetails(facts, 'case'),
  },
]

export const rules: readonly Rule[] = [
  {
    id: 'tags',
    field: 'tags',
    level: 'error',
    applies_to: all,
    holds: ({ tags }) => tags.length >= listingFields.tags.min,
    todo: `Add at least ${listingFields.tags.min} tags`,
    done: 'Has enough tags',
  },
  {
    id: 'genre',
    field: 'genres',
    level: 'error',
    applies_to: games,
    holds: ({ genres }) => genres.length > 0,
    todo: 'Choose at least one genre',
    done: 'Has a genre',
  },
  {
    id: 'session_length',
    field: 'session_bucket',
    level: 'error',
    applies_to: games,
    holds: ({ session_bucket }) => session_bucket !== null,
    todo: 'Say how long one session takes',
    done: 'Says how long a session takes',
  },
  {
    id: 'player_count',
    field: 'players_min',
    second_field: 'players_max',
    level: 'error',
    applies_to: games,
    holds: ({ players_min, players_max }) => players_min !== null && players_max !== null,
    todo: 'Say for how many players it is: set players_min and players_max',
    done: 'Says for how many players it is',
  },
  {
    id: 'network_mode',
    field: 'net',
    level: 'error',
    applies_to: games,
    holds: ({ net }) => net !== null,
    todo: 'Say whether it is played offline, locally or online',
    done: 'Says whether it is played offline, locally or online',
  },
  {
    id: 'input',
    field: 'inputs',
    level: 'error',
    applies_to: games,
    holds: ({ inputs }) => inputs.length > 0,
    todo: 'Choose at least one input',
    done: 'Has an input',
  },
  {
    id: 'engine',
    field: 'engines',
    level: 'error',
    applies_to: madeForEngines,
    holds: ({ engines }) => engines.length > 0,
    todo: 'Name at least one engine it is for',
    done: 'Names an engine',
  },
  {
    id: 'parent',
    field: 'parent',
    level: 'error',
    applies_to: withParent,
    holds: ({ has_parent }) => has_parent,
    todo: 'Choose the game or application it belongs to',
    done: 'Names what it belongs to',
  },
  {
    id: 'gallery',
    field: 'gallery',
    level: 'error',
    applies_to: all,
    holds: ({ gallery }) => gallery >= galleryLimits.min,
    todo: `Add at least ${galleryLimits.min} images to the gallery`,
    done: 'Has enough gallery images',
  },
  {
    id: 'cover',
    field: 'cover',
    level: 'error',
    applies_to: all,
    holds: ({ cover }) => cover !== null && fitsSlot('cover', cover),
    todo: `Add a cover image of ${sizes('cover')}`,
    done: 'Has a cover image',
  },
  {
    id: 'thumbnail',
    field: 'thumbnail',
    level: 'error',
    applies_to: all,
    holds: ({ thumbnail }) => thumbnail !== null && fitsSlot('thumbnail', thumbnail),
    todo: `Add a thumbnail image of ${sizes('thumbnail')}`,
    done: 'Has a thumbnail image',
  },
  {
    id: 'clean_build',
    field: 'builds',
    level: 'error',
    applies_to: all,
    holds: ({ clean_builds }) => clean_builds > 0,
    todo: 'Upload a build and wait until its scan is clean',
    done: 'Has a build with a clean scan',
  },
  {
    id: 'tagline',
    field: 'tagline',
    level: 'warning',
    applies_to: all,
    holds: ({ tagline }) => tagline.trim() !== '',
    todo: 'Write a tagline: one sentence for lists and share cards',
    done: 'Has a tagline',
  },
  {
    id: 'similar',
    field: 'similar',
    level: 'warning',
    applies_to: all,
    holds: ({ similar }) => similar > 0,
    todo: 'Name similar titles, so that players of those find this one',
    done: 'Names similar titles',
  },
  {
    id: 'editor_wrapper',
    field: 'builds',
    level: 'warning',
    applies_to: packageTypes,
    // Editors find a project file anywhere in the zip, so projects need no outer folder.
    when: ({ editor_package }) => editor_package !== null && !editor_package.has_project_file,
    holds: ({ editor_package }) => editor_package!.has_wrapper,
    todo:
      'Put everything in the zip into one folder, such as name-1.0/addons/name/: ' +
      'editors leave the first folder out when they install',
    done: 'Has the one outer folder that editors leave out when they install',
  },
  {
    id: 'editor_folders',
    field: 'builds',
    level: 'warning',
    applies_to: packageTypes,
    when: ({ editor_package }) => editor_package !== null,
    holds: ({ editor_package }) => editor_package!.has_folders,
    todo:
      'Zip it again with an entry for each folder (zip -r writes them): ' +
      'editors before 4.0 skip the files of folders without one',
    done: 'Has an entry for each folder, which older editors need',
  },
  ...webRules,
]

/** The fields without which a listing of this type cannot be published. */
export const fieldsNeededToPublish = (asset_type: AssetType): Set<string> =>
  new Set(
    rules
      .filter(({ level, applies_to }) => level === 'error' && applies_to.includes(asset_type))
      .flatMap(({ field, second_field }) => (second_field ? [field, second_field] : [field])),
  )

/** Reports what a listing needs before it can be published. Warnings do not prevent it. */
export function checkListing(facts: ListingFacts): CheckReport {
  const report: CheckReport = { ready: true, errors: [], warnings: [], passes: [] }
  for (const { id, field, level, applies_to, when, holds, todo, done, details } of rules) {
    if (!applies_to.includes(facts.asset_type) || when?.(facts) === false) continue
    if (holds(facts)) {
      report.passes.push({ id, field, message: done })
      continue
    }
    const files = details?.(facts) ?? []
    const item = { id, field, message: todo, ...(files.length && { details: files }) }
    report[level === 'error' ? 'errors' : 'warnings'].push(item)
  }
  return { ...report, ready: report.errors.length === 0 }
}

/**
 * The ids of errors that an edit would add. Existing errors do not block an edit, so that a public
 * page that already fails can be fixed step by step.
 */
export function newErrors(before: CheckReport, after: CheckReport): string[] {
  const known = new Set(before.errors.map(({ id }) => id))
  return after.errors.map(({ id }) => id).filter((id) => !known.has(id))
}

/**
 * Whether the grace period of a page is over. Pages published after the check was enabled had to
 * pass it then, so they have no grace period.
 */
export function graceOver(at: {
  check_since: Date | null
  public_since: Date | null
  now: Date
}): boolean {
  if (!at.check_since || !at.public_since || at.public_since > at.check_since) return false
  return at.now.getTime() >= at.check_since.getTime() + GRACE_DAYS * DAY_MS
}

/** What to fix in a build for browsers, as the listing check says it. */
export const checkWebReport = (web_build: WebReport): CheckItem[] => {
  const facts = { web_build } as ListingFacts
  return webRules
    .filter(({ holds }) => !holds(facts))
    .map(({ id, field, todo, details }) => {
      const files = details?.(facts) ?? []
      return { id, field, message: todo, ...(files.length && { details: files }) }
    })
}
