import { type Static, type TSchema, Type } from 'typebox'
import { OneOf } from '../http/route.ts'
import { checkValue } from '../http/validate.ts'
import { recipientProblem, senderProblem } from '../mail/mail.ts'
import type { Explanation } from '../runtime/reasons.ts'
import { checkUrl } from '../security/address-guard.ts'
import { ACCOUNT_REQUESTS_PER_MINUTE } from '../security/limits.ts'
import {
  type Announcement,
  announcementProblem,
  type ColorTheme,
  colorProblem,
  contactProblem,
  contrastProblem,
  linkProblem,
} from './branding.ts'
import { integer, listOf, oneOf, onOff } from './parse.ts'

/**
 * A setting that operators change while the store runs. Every process has all of them in
 * `core.settings`. An environment variable of the same name in capitals wins; then it cannot be
 * changed from inside.
 */
type Setting<Schema extends TSchema> = {
  about: string
  schema: Schema
  fallback: Static<Schema>
  /** Reads the environment variable; throws text that completes "NAME must be …". */
  parse: (text: string) => Static<Schema>
}
const setting = <Schema extends TSchema>(definition: Setting<Schema>) => definition

export const PRODUCT_NAME = 'Slipway'

const MAX_NAME = 60
/** One line of visible text. A line that must not be empty has more than spaces. */
const Line = (maxLength: number, minLength = 0) =>
  Type.String({
    minLength,
    maxLength,
    pattern: minLength ? '^[^\\p{C}]*[^\\p{C}\\p{Z}][^\\p{C}]*$' : '^[^\\p{C}]*$',
  })
const line = (about: string, maxLength: number, fallback: string) =>
  setting({
    about,
    schema: Line(maxLength, fallback ? 1 : 0),
    fallback,
    parse(text) {
      if (text.length > maxLength || /\p{C}/u.test(text))
        throw `one line of at most ${maxLength} characters`
      return text
    },
  })
const flag = (about: string, fallback: boolean) =>
  setting({ about, schema: Type.Boolean(), fallback, parse: onOff })
const count = (about: string, [minimum, maximum]: readonly [number, number], fallback: number) =>
  setting({
    about,
    schema: Type.Integer({ minimum, maximum }),
    fallback,
    parse: integer(minimum, maximum),
  })

/** Some of a list of values, in the order in which they were chosen. */
const someOf = <const Values extends readonly string[]>(about: string, values: Values) =>
  setting({
    about,
    schema: Type.Array(OneOf(values), { minItems: 1, uniqueItems: true }),
    fallback: [...values] as Values[number][],
    parse: listOf(values),
  })

/** The types of listings, see `assetTypes` of listings/fields. */
export const listingTypes = [
  'game',
  'application',
  'tool',
  'mod',
  'plugin',
  'game_asset',
  'dev_asset',
] as const

const throwProblem = (problem: Explanation | undefined): void => {
  if (problem) throw problem.message
}

const color = (about: string, theme: ColorTheme) =>
  setting({
    about,
    schema: Type.String({ maxLength: 7 }),
    fallback: '',
    parse(text) {
      if (colorProblem(text)) throw 'a color such as #1b6f5c'
      const problem = contrastProblem(text, theme)
      if (problem) throw `another color: ${problem.message}`
      return text
    },
  })

/** The schema checks the value; `check` throws what else is wrong with it. */
const json = <Schema extends TSchema>(
  definition: Omit<Setting<Schema>, 'parse'> & { check: (value: Static<Schema>) => void },
) => {
  const { check, ...rest } = definition
  const parse = (text: string) => {
    const value = parseJson(text)
    throwProblem(checkValue(rest.schema, value, 'JSON'))
    check(value as Static<Schema>)
    return value as Static<Schema>
  }
  return setting({ ...rest, parse })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw 'JSON'
  }
}

const MAX_FOOTER_LINKS = 12
const MAX_LINK = 500
const DAY = '^$|^\\d{4}-\\d\\d-\\d\\d$'
const noAnnouncement: Announcement = { text: '', url: '', starts_on: '', ends_on: '' }

const branding = {
  tagline: line('What the store is about, in one sentence; empty for our own', 160, ''),
  contact: setting({
    about: 'An email address or an https address for questions; shown on every page',
    schema: Type.String({ maxLength: 254 }),
    fallback: '',
    parse(text) {
      throwProblem(contactProblem(text))
      return text
    },
  }),
  accent_color: color(
    'The color of buttons and marks, such as #1b6f5c; empty for our own',
    'light',
  ),
  accent_color_dark: color(
    'The same in the dark theme; empty to derive it from accent_color',
    'dark',
  ),
  footer_links: json({
    about: 'Links at the end of every page: a path, https or mailto',
    schema: Type.Array(
      Type.Object(
        { label: Line(60, 1), url: Type.String({ minLength: 1, maxLength: MAX_LINK }) },
        { additionalProperties: false },
      ),
      { maxItems: MAX_FOOTER_LINKS },
    ),
    fallback: [],
    check: (links) => {
      for (const { url } of links) throwProblem(linkProblem(url))
    },
  }),
  announcement: json({
    about: 'A bar above every page, from its first to its last day (UTC); empty text for none',
    schema: Type.Object(
      {
        text: Line(300),
        url: Type.String({ maxLength: MAX_LINK }),
        starts_on: Type.String({ pattern: DAY }),
        ends_on: Type.String({ pattern: DAY }),
      },
      { additionalProperties: false },
    ),
    fallback: noAnnouncement,
    check: (announcement) => throwProblem(announcementProblem(announcement)?.problem),
  }),
}
const choice = <const Values extends readonly string[]>(
  about: string,
  values: Values,
  fallback: Values[number],
) => setting({ about, schema: OneOf(values), fallback, parse: oneOf(values) })

/** The shelves of the home page in their usual order. */
export const homeShelves = [
  'editors_picks',
  'tonight',
  'unheard_of',
  'new',
  'recently_updated',
  'tools_and_assets',
] as const
const MAX_PICKS = 12

const home = {
  hero_title: line('The heading of the home page; empty for our own', 120, ''),
  hero_text: line('The sentence below it; empty for our own', 400, ''),
  hero_image: flag('Whether the home page shows a popular listing with a large image', true),
  shelves: someOf('The shelves of the home page, in their order', homeShelves),
  picks: json({
    about: 'The shelf editors_picks: uids or vanity names of listings, with a word about each',
    schema: Type.Array(
      Type.Object({ listing: Line(100, 1), note: Line(200) }, { additionalProperties: false }),
      { maxItems: MAX_PICKS },
    ),
    fallback: [] as { listing: string; note: string }[],
    check: () => {},
  }),
}

const identity = {
  store_name: line('The name of the store', MAX_NAME, PRODUCT_NAME),
  powered_by: flag('Whether pages and feeds name the software', true),
}

const access = {
  registration: choice('Who may sign up', ['open', 'invitation', 'closed'], 'open'),
  publishing: choice('Who may make listings public', ['open', 'approval', 'invited'], 'open'),
  review_first_release: flag('Whether operators review the first release of a listing', false),
  adult_content: flag('Whether listings may have adult content', true),
  paid_listings: flag('Whether listings may have a price', true),
  asset_types: someOf('The types of listings that can be made', listingTypes),
}

const security = {
  require_mfa: choice(
    'Who must have a second factor; moderators count as operators',
    ['off', 'operators', 'developers', 'everyone'],
    'operators',
  ),
  second_factor_reset_wait: count(
    'How long a reset of a second factor by an operator waits, in hours',
    [1, 168],
    72,
  ),
  security_event_days: count('How long security events are kept, in days', [30, 3650], 365),
  session_idle_days: count('After how many days without use a session ends', [1, 90], 30),
  operator_idle_hours: count('The same for operators and moderators, in hours', [1, 2160], 12),
}

const prices = {
  min_price_cents: count('The lowest price, in cents', [1, 1_000_000], 99),
  max_price_cents: count('The highest price, in cents', [1, 1_000_000], 50_000),
  sale_fee_fixed_cents: count('The fixed part of the fee of a sale, in cents', [0, 100_000], 25),
  sale_fee_percent: count('The fee of a sale in percent of the price', [0, 100], 8),
  editions_max: count('How many editions a listing may have', [1, 100], 8),
  refund_window_hours: count('How long a purchase can be returned, in hours', [0, 8760], 168),
}

const limits = {
  gifts_per_day: count('How many copies a person may give away per day', [0, 100_000], 200),
  account_requests_per_minute: count(
    'How many requests an account may make per minute to private routes without another limit',
    [60, 1_000_000],
    ACCOUNT_REQUESTS_PER_MINUTE,
  ),
  account_uploads: count(
    'How many files an account, or a listing with a deploy key, may upload at the same time',
    [1, 10_000],
    20,
  ),
  service_uploads: count(
    'How many files each process of the store receives at the same time',
    [1, 100_000],
    200,
  ),
}

const MAX_QUOTA_MIB = 2 ** 30

const storage = {
  listing_quota_mib: count(
    'How much a listing may store, in MiB; 0 for no limit',
    [0, MAX_QUOTA_MIB],
    100 * 1024,
  ),
  account_quota_mib: count(
    'How much the listings of one owner may store together, in MiB; 0 for no limit',
    [0, MAX_QUOTA_MIB],
    500 * 1024,
  ),
  service_quota_mib: count(
    'How much all listings may store together, in MiB; 0 for no limit',
    [0, MAX_QUOTA_MIB],
    0,
  ),
  player_files_percent: count(
    'The share of each quota for crash dumps, logs and screenshots that players send, in percent',
    [0, 90],
    10,
  ),
}

const mail = {
  mail_from: setting({
    about: 'The sender of mails: an address, or a name and an address in angle brackets',
    schema: Type.String({ maxLength: 254 }),
    fallback: '',
    parse(text) {
      if (senderProblem(text)) throw 'an email address, or a name and an address in angle brackets'
      return text
    },
  }),
}

const reports = {
  reports_email: setting({
    about: 'Where to send a mail about new reports; empty for none',
    schema: Type.String({ maxLength: 254 }),
    fallback: '',
    parse(text) {
      if (recipientProblem(text)) throw 'an email address'
      return text
    },
  }),
  reports_webhook_url: setting({
    about: 'Where to send a signed message about each new report, https; empty for none',
    schema: Type.String({ maxLength: 2000 }),
    fallback: '',
    parse(text) {
      if (text.length > 2000 || !checkUrl(text, { loopback: true }).ok)
        throw 'an https URL with a public host, or http://127.0.0.1'
      return text
    },
  }),
}

/** The settings as the console groups them; messages name groups, settings and their values. */
export const settingGroups = {
  identity,
  branding,
  home,
  access,
  security,
  prices,
  limits,
  storage,
  mail,
  reports,
} as const

export const settingsTable = {
  ...identity,
  ...branding,
  ...home,
  ...access,
  ...security,
  ...prices,
  ...limits,
  ...storage,
  ...mail,
  ...reports,
}

type Table = typeof settingsTable
export type SettingName = keyof Table
export type StoreSettings = { [Name in SettingName]: Table[Name]['fallback'] }
/** The settings that the environment fixes. */
export type FixedSettings = Partial<StoreSettings>

export const settingNames = Object.keys(settingsTable) as SettingName[]

export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => [name, settingsTable[name].fallback]),
) as StoreSettings

/** The environment variable that fixes a setting. */
export const variableOf = (name: SettingName) => name.toUpperCase()

/** Reads the settings that the environment fixes, and adds what is wrong with them. */
export function readFixedSettings(
  env: Record<string, string | undefined>,
  problems: string[],
): FixedSettings {
  const entries = settingNames.flatMap((name) => {
    const value = env[variableOf(name)]?.trim()
    if (!value) return []
    try {
      return [[name, settingsTable[name].parse(value)]]
    } catch (expectation) {
      problems.push(`${variableOf(name)} must be ${expectation}`)
      return []
    }
  })
  return Object.fromEntries(entries)
}
