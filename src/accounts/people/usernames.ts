import { refuse } from '../../core/runtime/errors.ts'

const USERNAME = /^[a-z0-9](?:[a-z0-9-]{2,30})[a-z0-9]$/i

/** A username is part of an address, so names that look like a part of the service are reserved. */
const reservedUsernames = new Set(
  `about account admin administrator agent agents approve assets auth billing blog browse catalog
  community crash-files dashboard deploy developer developers docs download downloads edit embed
  feed feeds files games health help home invites legal library login logout mail media metrics
  moderator news oauth official operator password player press privacy public ready redeem register
  root search security settings setup signin signup sitemap sitemaps slipway staff static status
  store support system terms upload user users`.split(/\s+/),
)

export function checkUsername(username: string): string {
  if (!USERNAME.test(username))
    refuse(
      'MALFORMED',
      undefined,
      'body.username: 4 to 32 letters, digits and hyphens, with a letter or digit at both ends',
    )
  if (reservedUsernames.has(username.toLowerCase()))
    refuse('MALFORMED', undefined, 'body.username: this name is reserved')
  return username
}
