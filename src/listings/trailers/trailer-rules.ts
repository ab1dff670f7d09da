import { explain } from '../../core/runtime/reasons.ts'
import { MIB } from '../../core/runtime/units.ts'
import { languageCodes } from '../fields/languages.ts'
import { excerptOf, type Field, invalidField, list, plainText, quoteValue } from '../fields/text.ts'

export const trailerLimits = {
  /** Per listing. */
  max: 4,
  video_bytes: 100 * MIB,
  captions_bytes: MIB,
  /** Per trailer. */
  languages: 20,
  title: 100,
} as const

export const videoTypes = ['video/mp4', 'video/webm'] as const
export type VideoType = (typeof videoTypes)[number]
export const videoEndings: Record<VideoType, string> = { 'video/mp4': 'mp4', 'video/webm': 'webm' }

export const trailerKinds = ['file', 'outside'] as const
export type TrailerKind = (typeof trailerKinds)[number]
export const scanStates = ['scanning', 'clean', 'infected', 'error'] as const
export type ScanState = (typeof scanStates)[number]

export const trailerField = (field: string): Field => ({ refusal: 'INVALID_MEDIA', field })

/** Validates the title of a trailer, which may be empty. */
export const readTitle = (value: unknown): string =>
  plainText(trailerField('title'), value, trailerLimits.title)

export function readLanguage(value: unknown): string {
  const { description, example } = languageCodes
  const code = typeof value === 'string' ? languageCodes.normalize(value) : null
  return (
    code ??
    invalidField(
      trailerField('language'),
      explain(
        'language_code',
        `${quoteValue(value ?? '')} is not ${description}, such as ${example}`,
        { value: excerptOf(value ?? '') },
      ),
    )
  )
}

export function checkTrailerCount(count: number): void {
  if (count > trailerLimits.max)
    invalidField(
      { refusal: 'GALLERY_FULL', field: 'trailers' },
      explain('trailers', `a listing has at most ${trailerLimits.max}; delete one first`, {
        count: trailerLimits.max,
      }),
    )
}

export function checkCaptionCount(count: number): void {
  if (count > trailerLimits.languages)
    invalidField(
      trailerField('captions'),
      explain(
        'captions_count',
        `a trailer has captions in at most ${trailerLimits.languages} languages; delete one first`,
        { count: trailerLimits.languages },
      ),
    )
}

/** Checks that a new order contains every trailer exactly once. */
export function checkTrailerOrder(current: readonly string[], value: unknown): string[] {
  const at: Field = { refusal: 'INVALID_ORDER', field: 'order' }
  const uids = list(at, value)
  const is_complete =
    uids.length === current.length &&
    new Set(uids).size === uids.length &&
    current.every((uid) => uids.includes(uid))
  return is_complete
    ? (uids as string[])
    : invalidField(at, explain('order_changed', 'name every trailer exactly once'))
}
