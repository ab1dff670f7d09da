import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { HOUR, MINUTE } from '../core/runtime/units.ts'
import { normalizeTags } from '../listings/fields/taxonomy.ts'
import { type Field, invalidField } from '../listings/fields/text.ts'

export const tagLimits = {
  suggestions: 5,
  votes_to_show: 3,
  play_seconds: HOUR,
} as const

export type TagVotes = { tag: string; votes: number }

/** Suggesting tags needs some play time, so that those who suggest them know the game. */
export function checkPlayedEnough(play_seconds: number): void {
  const minutes = tagLimits.play_seconds / MINUTE
  if (play_seconds < tagLimits.play_seconds)
    refuse(
      'NOT_PLAYED_ENOUGH',
      { play_seconds, needed_seconds: tagLimits.play_seconds },
      explain('play_longer', `Play for at least ${minutes} minutes before you suggest tags`, {
        count: minutes,
      }),
    )
}

/** All the tags that one player suggests for a game; an empty list removes them. */
export function checkSuggestions(value: unknown): string[] {
  const field: Field = { refusal: 'INVALID_COMMUNITY_TAG', field: 'tags' }
  const tags = normalizeTags(field, value)
  const { suggestions: max } = tagLimits
  if (tags.length > max)
    invalidField(
      field,
      explain('suggest_tags', `suggest at most ${max} tags; you sent ${tags.length}`, {
        max,
        count: tags.length,
      }),
    )
  return tags
}
