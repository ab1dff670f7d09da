import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'

/** The longest email address, and so the longest text to sign in with. */
export const MAX_EMAIL = 320
export const usernameLengths = { min: 4, max: 32 } as const
/** Between its first and last character, which are letters or digits, hyphens are allowed. */
const USERNAME = new RegExp(
  `^[a-z0-9][a-z0-9-]{${usernameLengths.min - 2},${usernameLengths.max - 2}}[a-z0-9]$`,
  'i',
)

/** A username is part of an address, so names that look like a part of the service are reserved. */
const reservedUsernames = new Set(
  `about account admin administrator agent agents appeal appeals approve assets auth billing blog brand browse catalog
  community crash-files dashboard deploy developer developers device docs download downloads edit embed
  feed feeds files games health help home imprint invites legal library login logout mail media
  metrics moderation moderator news oauth official operator password player press privacy public ready redeem
  register report reports root rules search security settings setup signin signup sitemap sitemaps slipway staff
  static status store support system terms upload user users`.split(/\s+/),
)

/** Whether the first segment of a path is that of a page of the service, not of a person. */
export const isReservedUsername = (name: string): boolean =>
  reservedUsernames.has(name.toLowerCase())

export const isSameUsername = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

export function checkUsername(username: string): string {
  const { min, max } = usernameLengths
  if (!USERNAME.test(username))
    refuse(
      'MALFORMED',
      undefined,
      explain(
        'username',
        `body.username: ${min} to ${max} letters, digits and hyphens, ` +
          'with a letter or digit at both ends',
        { min, max },
      ),
    )
  if (isReservedUsername(username))
    refuse(
      'MALFORMED',
      undefined,
      explain('username_reserved', 'body.username: this name is reserved'),
    )
  return username
}
