import { explain } from '../../core/runtime/reasons.ts'
import { type Field, flag, httpsUrl, invalidField, list, markdown } from '../fields/text.ts'

export const profileLimits = { bio: 2000, links: 8 } as const

/** What a person says about themselves, and whether it has a page of its own. */
export type Profile = { bio: string; links: string[]; is_public: boolean }
export const emptyProfile: Profile = { bio: '', links: [], is_public: false }

const at = (field: string): Field => ({ refusal: 'MALFORMED', field })

/** Validates the given parts of a profile; the others stay as they are. */
export function checkProfile(
  { bio, links, is_public }: Partial<Record<keyof Profile, unknown>>,
  current: Profile,
): Profile {
  return {
    bio: bio === undefined ? current.bio : markdown(at('bio'), bio, profileLimits.bio),
    links: links === undefined ? current.links : checkLinks(links),
    is_public: is_public === undefined ? current.is_public : flag(at('is_public'), is_public),
  }
}

function checkLinks(value: unknown): string[] {
  const entries = list(at('links'), value)
  const { links: max } = profileLimits
  if (entries.length > max)
    invalidField(
      at('links'),
      explain('choose_at_most', `choose at most ${max}; this list has ${entries.length}`, {
        max,
        count: entries.length,
      }),
    )
  return [...new Set(entries.map((entry, i) => httpsUrl(at(`links[${i}]`), entry)))]
}
