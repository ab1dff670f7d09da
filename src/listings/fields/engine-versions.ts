import { explain } from '../../core/runtime/reasons.ts'
import { type OperatingSystem, operatingSystems, osAliases } from './platforms.ts'
import {
  boundedList,
  choice,
  excerptOf,
  type Field,
  invalidField,
  isEmpty,
  MAX_VERSION,
  quoteValue,
  record,
  slug,
} from './text.ts'

export const MAX_RANGES = 10
const VERSION = /^\d+(\.\d+){0,3}(-[a-z0-9.]+)?$/

/** The numbers of a release, and the parts of its pre-release label (null for a final release). */
export type Version = { numbers: number[]; pre: (string | number)[] | null }
export type VersionRange = { min_version: string | null; max_version: string | null }
export type CompatRange = VersionRange & {
  engine: string
  renderer: string | null
  platform: OperatingSystem | null
}
/** Normalizes a version for storage: `V4.2-Beta1` becomes `4.2-beta1`. Null if it is invalid. */
export function normalizeVersion(text: string): string | null {
  const version = text.trim().toLowerCase().replace(/^v/, '')
  return version.length <= MAX_VERSION && VERSION.test(version) ? version : null
}

export function parseVersion(text: string): Version | null {
  const version = normalizeVersion(text)
  if (version === null) return null
  const dash = version.indexOf('-')
  const release = dash < 0 ? version : version.slice(0, dash)
  return {
    numbers: release.split('.').map(Number),
    pre: dash < 0 ? null : wordsOf(version.slice(dash + 1)),
  }
}

/** A comparison function for sorting: 4.2 = 4.2.0, 4.3-beta2 < 4.3-beta10 < 4.3. */
export function compareVersions(a: Version, b: Version): number {
  return compareNumbers(a.numbers, b.numbers) || comparePre(a.pre, b.pre)
}

/**
 * Whether a range includes a version. A maximum includes all versions that start with it:
 * 4.2 includes all of its patches, and 4 all of its minor versions.
 */
export function covers({ min_version, max_version }: VersionRange, version: Version): boolean {
  const min = min_version === null ? null : parseVersion(min_version)
  const max = max_version === null ? null : parseVersion(max_version)
  return (!min || compareVersions(version, min) >= 0) && (!max || isUpTo(version, max))
}

/** Validates the engine ranges of a request. An empty minimum or maximum means no limit. */
export function checkCompat(value: unknown): CompatRange[] {
  const message = `give at most ${MAX_RANGES} ranges`
  const ranges = boundedList(at('ranges'), value, MAX_RANGES, message)
  return ranges.map((range, index) => compatRange(range, `ranges[${index}]`))
}

function compatRange(value: unknown, name: string): CompatRange {
  const { engine, min_version, max_version, renderer, platform } = record(at(name), value)
  const range = {
    engine: slug(at(`${name}.engine`), engine),
    min_version: rangeEnd(at(`${name}.min_version`), min_version),
    max_version: rangeEnd(at(`${name}.max_version`), max_version),
    renderer: isEmpty(renderer) ? null : slug(at(`${name}.renderer`), renderer),
    platform: isEmpty(platform) ? null : readPlatform(at(`${name}.platform`), platform),
  }
  const min = range.min_version === null ? null : parseVersion(range.min_version)
  if (min && !covers({ min_version: null, max_version: range.max_version }, min)) {
    invalidField(
      at(`${name}.min_version`),
      explain(
        'range_order',
        `${range.min_version} is above max_version, ${range.max_version}; change one of them`,
        { min: String(range.min_version), max: String(range.max_version) },
      ),
    )
  }
  return range
}

function rangeEnd(field: Field, value: unknown): string | null {
  if (isEmpty(value)) return null
  const version = typeof value === 'string' ? normalizeVersion(value) : null
  return (
    version ??
    invalidField(
      field,
      explain(
        'version',
        `${quoteValue(value)} is not a version; ` +
          'write numbers such as 4.2, 4.2.1 or 4.3-beta2, or leave it empty',
        { value: excerptOf(value) },
      ),
    )
  )
}

function readPlatform(field: Field, value: unknown): OperatingSystem {
  const name = typeof value === 'string' ? value.trim().toLowerCase() : value
  const alias =
    typeof name === 'string' && Object.hasOwn(osAliases, name) ? osAliases[name] : undefined
  return alias ?? choice(field, name, operatingSystems)
}

function wordsOf(pre: string): (string | number)[] {
  return (pre.match(/\d+|[a-z]+/g) ?? []).map((word) => (/\d/.test(word) ? Number(word) : word))
}

function isUpTo(version: Version, max: Version): boolean {
  if (max.pre) return compareVersions(version, max) <= 0
  return compareNumbers(version.numbers.slice(0, max.numbers.length), max.numbers) <= 0
}

function compareNumbers(a: number[], b: number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

function comparePre(a: Version['pre'], b: Version['pre']): number {
  if (!a || !b) return Number(b !== null) - Number(a !== null)
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = compareWords(a[i]!, b[i]!)
    if (difference !== 0) return difference
  }
  return Math.sign(a.length - b.length)
}

function compareWords(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

function at(field: string): Field {
  return { refusal: 'INVALID_COMPAT', field }
}
