import { refuse } from '../../core/runtime/errors.ts'
import { isMailAddress } from '../../core/runtime/mail.ts'

export const DEVELOPER_TERMS_VERSION = '2026-11-01'
export const SESSION_SECONDS = 7 * 86_400
export const CODE_SECONDS = 600
export const CODE_TRIES = 5
export const RESEND_SECONDS = 30

const USERNAME = /^[a-z0-9](?:[a-z0-9-]{2,30})[a-z0-9]$/i

/** Names that would be mistaken for a part of the service: a username is also an address. */
const reservedUsernames = new Set([
  ...[
    'about',
    'account',
    'admin',
    'administrator',
    'agent',
    'agents',
    'approve',
    'assets',
    'auth',
    'billing',
    'blog',
    'browse',
    'catalog',
    'community',
    'crash-files',
  ],
  ...[
    'dashboard',
    'deploy',
    'developer',
    'developers',
    'docs',
    'download',
    'downloads',
    'edit',
    'embed',
    'feed',
    'feeds',
    'files',
    'games',
  ],
  ...[
    'health',
    'help',
    'home',
    'invites',
    'legal',
    'library',
    'login',
    'logout',
    'mail',
    'media',
    'metrics',
    'moderator',
    'news',
    'oauth',
  ],
  ...[
    'official',
    'operator',
    'password',
    'player',
    'press',
    'privacy',
    'public',
    'ready',
    'redeem',
    'register',
    'root',
    'search',
    'security',
  ],
  ...[
    'settings',
    'setup',
    'signin',
    'signup',
    'sitemap',
    'sitemaps',
    'slipway',
    'staff',
    'static',
    'status',
    'store',
    'support',
    'system',
    'terms',
    'upload',
    'user',
    'users',
  ],
])

/** Long enough to pass the length rule and still the first ones anybody tries. */
const commonPasswords = new Set([
  ...[
    '1234567890',
    '0123456789',
    '12345678910',
    '123456789a',
    '1234567890a',
    '1q2w3e4r5t',
    '1qaz2wsx3edc',
    'q1w2e3r4t5',
    'qwertyuiop',
    'qwerty123456',
  ],
  ...[
    'qwerty12345',
    '1234qwerasdf',
    'qwertyuiop123',
    'asdfghjkl1',
    'asdfghjkl123',
    'zxcvbnm123',
    'password12',
    'password123',
    'password1234',
    'password12345',
  ],
  ...[
    'password123!',
    'passw0rd123',
    'p@ssw0rd123',
    'mypassword',
    'mypassword1',
    'newpassword',
    'changeme123',
    'letmein123',
    'letmeinnow',
    'welcome123',
  ],
  ...[
    'welcome1234',
    'iloveyou123',
    'iloveyou12',
    'iloveyou1234',
    'administrator',
    'admin12345',
    'admin123456',
    'abcdefghij',
    'abc1234567',
    'abcd123456',
  ],
  ...[
    'a123456789',
    'aa123456789',
    '9876543210',
    '0987654321',
    '1111111111',
    '0000000000',
    '1122334455',
    '1212121212',
    '123123123123',
    '12341234123',
  ],
  ...[
    'princess123',
    'football123',
    'baseball123',
    'basketball',
    'superman123',
    'dragon12345',
    'monkey12345',
    'sunshine123',
    'trustno1trustno1',
    'minecraft123',
  ],
])

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

export function checkEmail(email: string): string {
  const trimmed = email.trim()
  if (!isMailAddress(trimmed))
    refuse('MALFORMED', undefined, 'body.email: this is not an email address')
  return trimmed
}

export function checkPassword(
  password: string,
  { username, email }: { username: string; email: string },
): string {
  const length = [...password].length
  if (length < 10 || length > 128)
    refuse('MALFORMED', undefined, 'body.password: 10 to 128 characters')
  const plain = password.toLowerCase()
  if (plain === username.toLowerCase() || plain === email.toLowerCase())
    refuse('MALFORMED', undefined, 'body.password: must not be your username or email')
  if (commonPasswords.has(plain))
    refuse(
      'MALFORMED',
      undefined,
      'body.password: this password is on the lists that attackers try first',
    )
  return password
}

/** Six digits from keyed bytes; the remainder's bias over 2^32 is beyond measuring. */
export const digitsFrom = (mac: Uint8Array) =>
  String(Buffer.from(mac).readUInt32BE(0) % 1_000_000).padStart(6, '0')

/**
 * A browser sends the session cookie along with requests that other sites cause. Only the site itself may change things with it:
 * the browser's own word for it, or the origin where the browser is too old to say.
 */
export function isSameOrigin(
  headers: { fetch_site?: string; origin?: string; host?: string },
  own: readonly string[],
): boolean {
  const { fetch_site, origin, host } = headers
  if (fetch_site !== undefined) return fetch_site === 'same-origin'
  // On plain http away from this machine browsers say only where the page came from: it must be where the request goes.
  return (
    origin !== undefined &&
    (own.includes(origin) || (URL.canParse(origin) && new URL(origin).host === host))
  )
}
