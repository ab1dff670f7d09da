import { joinTexts, type Text, t } from '../core/text/text.ts'
import { flagText } from './components/field-text.ts'
import { formatBytes, formatPrice } from './components/format.ts'

/** The sentences for messages of schemas and rules, which are recognized by their wording. */
type Rewrite = [pattern: RegExp, text: Text | ((...groups: string[]) => Text)]

const FILL_IN = t('rule-fill-in')
const CHOOSE = t('rule-choose-option')
const UNREADABLE = t('rule-unreadable')

/** The names of flags, such as where a language is available. */
const flagList = (names: string) =>
  joinTexts(
    names.split(', ').map((name) => flagText(name, name)),
    ', ',
  )

const schemaRules: Rewrite[] = [
  [/^The form could not be read/, UNREADABLE],
  [/^send an image$/, FILL_IN],
  [/^this field is required$|^send a JSON body$/, FILL_IN],
  [/^this field is not known$|^there is no such field/, UNREADABLE],
  [/^must be one of |is not one of |must be equal to (one of|constant)/, CHOOSE],
  [/^must be boolean$|^send true or false/, t('rule-choose-answer')],
  [/^must be (integer|number)$/, t('rule-number')],
  [/^must be (string|object|array|null)/, FILL_IN],
  [/^must match format "email"/, t('rule-email')],
  [/^must match format "uuid"/, CHOOSE],
  [/^must match format "date/, t('rule-date')],
  [/^must match (format|pattern)/, t('rule-characters')],
  [/^must NOT have fewer than 1 characters$/, FILL_IN],
  [/^must NOT have fewer than (\d+) characters$/, (n) => t('rule-min-length', count(n))],
  [/^must NOT have more than (\d+) characters$/, (n) => t('rule-max-length', count(n))],
  [/^must NOT have fewer than 1 items$/, t('rule-choose-any')],
  [/^must NOT have fewer than (\d+) items$/, (n) => t('rule-min-items', count(n))],
  [/^must NOT have more than (\d+) items$/, (n) => t('rule-max-items', count(n))],
  [/^must NOT have duplicate items/, t('rule-duplicates')],
  [/^must be >= (\S+)$/, (n) => t('rule-min', count(n))],
  [/^must be <= (\S+)$/, (n) => t('rule-max', count(n))],
  [/^must (?:match|be) /, t('rule-not-accepted')],
]

const fieldRules: Rewrite[] = [
  [
    /^send a whole number from (\d+)(?: \(\w+\))? to (\d+)/,
    (min, max) => t('rule-whole-number', range(min, max)),
  ],
  [/^write something, up to (\d+) characters$/, (n) => t('rule-write-something', count(n))],
  [/^use at most (\d+) characters$/, (n) => t('rule-max-length', count(n))],
  [
    /^use at most (\d+) characters; this link has (\d+)$/,
    (max, length) => t('rule-link-length', { max: Number(max), length: Number(length) }),
  ],
  [/^write one line without control characters$/, t('rule-one-line')],
  [/^remove the control characters$/, t('rule-control-characters')],
  [/^send an https link$|^send a whole link that starts with https/, t('rule-https-link')],
  [/^a link holds no spaces/, t('rule-link-characters')],
  [/^leave the user name and password out of the link$/, t('rule-link-credentials')],
  [/^"(.*)" is not the name of a public host$/s, (host) => t('rule-link-host', { host })],
  [
    /^send (\d+) to (\d+) different tags.*this list has (\d+)$/,
    (min, max, n) => t('rule-tag-count', { ...range(min, max), count: Number(n) }),
  ],
  [/^"(.*)" cannot be a tag; .* (\d+) characters$/s, (value, n) => tagRule(value, n)],
  [/^"(.*)" is not a slug; .*$/s, (value) => t('rule-slug', { value })],
  [
    /^(\S+) is above \w+, (\S+); change one of them$/,
    (min, max) => t('rule-range-order', { min, max }),
  ],
  [/^send either game, or external_name with external_url$/, t('rule-parent')],
  [/^there is no such public listing$/, t('rule-no-listing')],
  [/^there is no public listing "(.*)"$/s, (ref) => t('rule-no-listing-named', { ref })],
  [/^name a listing by its uid/, t('rule-listing-address')],
  [/^write at least one requirement/, FILL_IN],
  [/^set at least one of (.+)$/, (names) => t('rule-set-flag', { names: flagList(names) })],
  [/^Edited since the last import/, t('rule-edited')],
  [/^This vanity_name is already taken$/, t('rule-address-taken')],
  [
    /^choose at most (\d+); this list has (\d+)$/,
    (max, n) => t('rule-choose-at-most', { max: Number(max), count: Number(n) }),
  ],
]

const accountRules: Rewrite[] = [
  [
    /^(\d+) to (\d+) letters, digits and hyphens/,
    (min, max) => t('rule-username', range(min, max)),
  ],
  [/^this name is reserved$/, t('rule-username-reserved')],
  [/^This username is already taken$/, t('rule-username-taken')],
  [/^This email is already taken$/, t('rule-email-taken')],
  [/^this is not your username$/, t('rule-not-your-username')],
  [/^You own projects; /, t('rule-own-projects')],
  [/^The password is wrong$/, t('rule-password-wrong')],
  [/^This is already the address of your account$/, t('rule-email-same')],
  [/^Only free copies can be removed/, t('rule-free-copies-only')],
  [/^this is not an email address$/, t('rule-not-email')],
  [/^(\d+) to (\d+) characters$/, (min, max) => t('rule-length', range(min, max))],
  [/^must not be your username or email$/, t('rule-password-own-name')],
  [/^this password is too common/, t('rule-password-common')],
  [/^This email address is already verified$/, t('rule-already-verified')],
  [/^A code was sent moments ago.* (\d+) seconds$/, (n) => t('rule-code-wait', count(n))],
  [/^This code is wrong; /, t('rule-code-wrong')],
  [/^This code has expired; /, t('rule-code-expired')],
  [/^No code is waiting for you; /, t('rule-code-missing')],
  [/^Too many wrong codes were entered; /, t('rule-code-attempts')],
  [/^An account can have at most (\d+) player keys/, (n) => t('rule-player-keys', count(n))],
  [/^An account can have at most (\d+) agent keys/, (n) => t('rule-agent-keys', count(n))],
  [/^This request has expired. Start again from the app$/, t('rule-app-request-expired')],
  [/^This link has expired; request a new one$/, t('rule-link-expired')],
  [/^Account linked$/, t('account-linked')],
  [/^This account is linked to another user, or you /, t('rule-linked-elsewhere')],
]

const playerRules: Rewrite[] = [
  [/^This game has a price now; buy it to review it$/, t('rule-buy-to-review')],
  [/^Play for at least (\d+) minutes/, (n) => t('rule-play-longer', count(n))],
  [
    /^suggest at most (\d+) tags; you sent (\d+)$/,
    (max, n) => t('rule-suggest-tags', { max: Number(max), count: Number(n) }),
  ],
  [/^describe what went wrong$/, t('rule-describe-bug')],
  [/^The listing changed at this moment; try again$/, t('rule-listing-changed')],
  [/^The bug reporter of this game is turned off$/, t('rule-bug-reporter-off')],
  [
    /^send at most (\d+) bytes, preferably the end of it$/,
    (bytes) => t('rule-log-size', { size: formatBytes(Number(bytes)) }),
  ],
]

const projectRules: Rewrite[] = [
  [
    /^use 1 to (\d+) lowercase letters and digits, with single dashes between them$/,
    (n) => t('rule-address', count(n)),
  ],
  [/^"(.*)" is taken by the service itself; /s, (name) => t('rule-name-of-service', { name })],
  [/^send 0 for free, or whole cents from (\d+) to (\d+)$/, (min, max) => priceRule(min, max)],
  [/^use an address such as press@example\.com$/, t('rule-press-email')],
  [/^write the line as: Label \|/, t('rule-line-link')],
  [/^write the line as: Quote \|/, t('rule-line-quote')],
  [/^write the line as: Name \|/, t('rule-line-credit')],
  [/^"(.*)" is not a version; /s, (value) => t('rule-version', { value })],
  [/^"(.*)" is not a BCP 47 language code/s, (value) => t('rule-language-code', { value })],
  [
    /^(\S+) is (?:already \w+\[\d+\]|named twice); send each code once$/,
    (code) => t('rule-language-twice', { code }),
  ],
  [/^is named twice; leave one out$/, t('rule-named-twice')],
  [
    /^(?:name|give|send) at most (\d+)(?: \w+)?; this list has (\d+)$/,
    (max, n) => t('rule-list-length', { max: Number(max), count: Number(n) }),
  ],
  [
    /^use at most (\d+) entries; you sent (\d+)$/,
    (max, n) => t('rule-list-length', { max: Number(max), count: Number(n) }),
  ],
  [/^another edition is called (\S+); choose another slug$/, (slug) => t('rule-edition', { slug })],
  [/^a listing has at most (\d+); retire one first$/, (n) => t('rule-editions', count(n))],
  [/^translate the tagline, the description, or both$/, t('rule-translation')],
  [/^nobody suggested this tag$/, t('rule-no-suggestion')],
  [/^there is no such user$/i, t('rule-no-user')],
  [/^The owner runs the listing already$/, t('rule-owner-is-admin')],
  [/^A listing has at most (\d+) admins and invites$/, (n) => t('rule-admins', count(n))],
  [/^The owner must verify their email address before /, t('rule-owner-unverified')],
  [/^Mods or tools hang under this listing, /, t('rule-has-children')],
  [/^send the name of a channel$/, t('rule-channel-missing')],
  [/^"(.*)" is not a channel name; /s, (value) => t('rule-channel', { value })],
]

const bytesOf = (bytes: string) => ({ max: formatBytes(Number(bytes)) })

const trailerRules: Rewrite[] = [
  [/^it is not an MP4 or WebM video$/, t('rule-not-video')],
  [/^it has no video track$/, t('rule-no-video-track')],
  [/^the video is damaged or cut short/, t('rule-video-damaged')],
  [/^send a video$/, t('rule-video-missing')],
  [/^the file has more than (\d+) bytes$/, (bytes) => t('rule-file-bytes', bytesOf(bytes))],
  [/^the file is empty$/, t('rule-file-empty')],
  [/^the captions are not (?:UTF-8|a WebVTT)/, t('rule-not-captions')],
  [/^line (\d+) is not a time such as/, (line) => t('rule-captions-line', { line: Number(line) })],
  [/^the captions have no text$/, t('rule-captions-empty')],
  [/^send a file for this language$/, t('rule-captions-missing')],
  [/^a trailer has captions in at most (\d+)/, (n) => t('rule-captions-count', count(n))],
  [
    /^this is not the address of a video on .*\((.+)\)$/,
    (hosts) => t('rule-outside-video', { hosts }),
  ],
  [/^a video of another host has no files here/, t('rule-outside-files')],
  [/^a listing has at most (\d+); delete one first$/, (n) => t('rule-trailers', count(n))],
  [/^Send at least one of title, video, /, t('rule-trailer-unchanged')],
]

export const refusalRules: readonly Rewrite[] = [
  ...schemaRules,
  ...fieldRules,
  ...accountRules,
  ...playerRules,
  ...projectRules,
  ...trailerRules,
]

const count = (n: string) => ({ count: Number(n) })
const range = (min: string, max: string) => ({ min: Number(min), max: Number(max) })
const priceRule = (min: string, max: string) =>
  t('rule-price', { min: formatPrice(Number(min)), max: formatPrice(Number(max)) })
const tagRule = (value: string, n: string) => t('rule-tag', { value, max: Number(n) })
