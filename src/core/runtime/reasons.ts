/**
 * Why something was refused or left out: id → the names of its values. A message is for
 * programmers; from the id and the values a page writes a sentence in the language of its reader.
 * Ids are a part of the answers of the API: they are added, but neither renamed nor removed.
 */
export const reasons = {
  // Schemas
  required: [],
  unknown_field: [],
  unreadable_form: [],
  wrong_type: [],
  not_in_list: ['allowed'],
  not_boolean: [],
  not_number: [],
  not_identifier: [],
  not_date: [],
  not_email: [],
  bad_characters: [],
  min_length: ['count'],
  max_length: ['count'],
  no_items: [],
  min_items: ['count'],
  max_items: ['count'],
  duplicates: [],
  min: ['count'],
  max: ['count'],
  not_accepted: [],

  // Settings of the store
  price_order: [],
  setting_fixed: ['variable'],

  // Policies of the store
  policy_placeholder: ['placeholder'],
  policy_date: ['first', 'last'],
  policy_changed: [],

  // What the store allows
  import_paid_off: [],

  // Fields of a listing
  whole_number: ['min', 'max'],
  write_something: ['count'],
  one_line: [],
  control_characters: [],
  https_link: [],
  link_characters: [],
  link_credentials: [],
  link_host: ['host'],
  link_length: ['max', 'length'],
  link_port: [],
  link_bytes: ['count'],
  public_link: ['count'],
  store_host: ['host', 'hosts'],
  tag: ['value', 'max'],
  tag_count: ['min', 'max', 'count'],
  slug: ['value'],
  range_order: ['min', 'max'],
  parent: [],
  no_parent: [],
  own_parent: [],
  parent_type: [],
  own_listing: [],
  similar_type: [],
  dependency_from: ['types'],
  dependency_to: ['types'],
  mods_only: [],
  path_backslash: [],
  path_absolute: [],
  path_colon: [],
  path_outside: [],
  no_listing: [],
  no_listing_named: ['ref'],
  listing_address: [],
  no_requirement: [],
  set_flag: ['names'],
  address: ['count'],
  address_taken: [],
  address_uid: [],
  name_of_service: ['name'],
  choose_at_most: ['max', 'count'],
  list_length: ['max', 'count'],
  named_twice: [],
  language_code: ['value'],
  language_twice: ['code'],
  translation: [],
  version: ['value'],

  // Accounts
  username: ['min', 'max'],
  username_reserved: [],
  username_taken: [],
  not_your_username: [],
  own_projects: [],
  invalid_email: [],
  email_taken: [],
  email_same: [],
  already_verified: [],
  length: ['min', 'max'],
  password_wrong: [],
  password_own_name: [],
  password_common: [],
  code_wait: ['count'],
  code_wrong: [],
  code_missing: [],
  code_expired: [],
  code_attempts: [],
  player_keys: ['count'],
  agent_keys: ['count'],
  app_request_expired: [],
  link_expired: [],
  account_linked: [],
  linked_elsewhere: [],

  // Players
  buy_to_review: [],
  play_longer: ['count'],
  suggest_tags: ['max', 'count'],
  no_suggestion: [],
  free_copies_only: [],
  listing_changed: [],
  bug_reporter_off: [],
  describe_bug: [],
  log_size: ['bytes'],
  not_released: [],
  search_busy: [],

  // Projects
  price: ['min_cents', 'max_cents'],
  edition: ['slug'],
  editions: ['count'],
  no_edition: [],
  bundle_seller: [],
  bundle_self: [],
  bundle_count: ['max'],
  adds_errors: ['count'],
  listing_errors: ['count'],
  press_email: [],
  line_link: [],
  line_quote: [],
  line_credit: [],
  no_user: [],
  owner_is_admin: [],
  admins: ['count'],
  owner_unverified: [],
  owner_email: [],
  has_children: [],
  app: ['value'],
  app_missing: [],
  http_link: [],
  channel: ['value'],
  channel_missing: [],
  no_clean_file: [],
  webhook_url: [],
  webhook_port: [],
  no_crash_group: [],
  symbols_module: [],
  symbols_system: ['allowed'],
  symbols_debug_id: [],
  symbols_name: [],
  symbols_file: [],
  symbols_zip: ['max'],

  // Uploads of builds
  not_zip: [],
  checksum: [],
  file_not_stored: [],
  upload_sessions: ['count'],
  zip_damaged: [],
  zip_entries: ['count', 'max'],
  zip_unpacked: ['bytes', 'max_bytes'],
  zip_encrypted: ['path'],
  zip_compression: ['path'],
  zip_name: ['path'],
  zip_twice: ['path'],
  zip_link: ['path'],

  // The external store
  app_id: [],
  app_no_page: [],
  app_not_game: [],
  publisher_key: [],
  publisher_key_missing: [],
  linked_app_changed: [],
  sign_in_on: [],

  // Images
  image_not_image: [],
  image_damaged: [],
  image_not_profile_image: [],
  no_image: [],
  image_too_small: ['width', 'height', 'min_width', 'min_height'],
  image_too_wide: ['width', 'height', 'max_width', 'max_height'],
  image_wrong_ratio: ['width', 'height', 'example_width', 'example_height'],
  image_too_many_bytes: ['bytes', 'max_bytes'],
  image_over_bytes: ['max_bytes'],
  image_megapixels: ['width', 'height', 'max'],
  image_missing: [],
  image_count: ['count'],
  image_send_again: [],
  gallery_free: ['max', 'count'],
  order_changed: [],

  // Trailers
  not_video: [],
  no_video_track: [],
  video_damaged: [],
  video_missing: [],
  file_bytes: ['max_bytes'],
  file_empty: [],
  not_captions: [],
  captions_line: ['line'],
  captions_empty: [],
  captions_missing: [],
  captions_count: ['count'],
  outside_video: ['hosts'],
  outside_files: [],
  trailers: ['count'],
  trailer_unchanged: [],

  // Parts of a page of the external store
  import_not_selected: ['group'],
  import_not_saved: [],
  import_edited: [],
  import_shortened: ['max'],
  import_shortened_description: [],
  import_no_tagline: [],
  import_no_description: [],
  import_no_players: [],
  import_no_genre: [],
  import_no_tone: [],
  import_no_input: [],
  import_no_tags: [],
  import_few_tags: ['min'],
  import_kept_players: [],
  import_assumed_players: ['count'],
  import_kept_session: [],
  import_guessed_session: [],
  import_no_status: [],
  import_no_screenshot: [],
  import_few_screenshots: ['min', 'count'],
  import_no_release_date: [],
  import_no_website: [],
  import_no_trailer: [],
  import_no_https_trailer: [],
  import_no_credits: [],
  import_editions_price: [],
  import_no_price: [],
  import_no_dollar_price: [],
  import_must_be_free: [],
  import_no_warnings: [],
  import_stays_adult: [],
  import_same_image: [],
  import_other_image_host: [],
  import_image_redirect: [],
  import_image_status: ['status'],
  import_image_url: [],
  import_image_large: ['max_bytes'],
  import_image_small: ['width', 'height', 'min_width', 'min_height'],
  import_image_damaged: [],
  import_gallery_full: ['max'],
  import_screenshot_limit: ['max'],
  import_never_languages: [],
  import_never_requirements: [],
  import_never_achievements: [],
  import_never_add_ons: [],
  import_never_systems: [],
} as const satisfies Record<string, readonly string[]>

export type ReasonId = keyof typeof reasons
/** What an answer says about a reason. */
export type Reason = { id: string; values?: Record<string, string | number> }
/** A message with the reasons that it names; usually one. */
export type Explanation = { message: string; reasons: Reason[] }

type ValueName<Id extends ReasonId> = (typeof reasons)[Id][number]
type Values<Id extends ReasonId> = Record<ValueName<Id>, string | number>

/** A message with its reason and the values of it. */
export const explain = <Id extends ReasonId>(
  id: Id,
  message: string,
  ...[values]: [ValueName<Id>] extends [never] ? [] : [Values<Id>]
): Explanation => ({ message, reasons: [values ? { id, values } : { id }] })

/** A message as an explanation; one without a reason is shown to people as it is. */
export const toExplanation = (message: string | Explanation): Explanation =>
  typeof message === 'string' ? { message, reasons: [] } : message

/** The same reasons with another message, such as one that starts with the name of the field. */
export const withMessage = (
  explanation: string | Explanation,
  rewrite: (message: string) => string,
): Explanation => {
  const { message, reasons } = toExplanation(explanation)
  return { message: rewrite(message), reasons }
}

export const joinExplanations = (
  explanations: readonly Explanation[],
  separator: string,
): Explanation => ({
  message: explanations.map(({ message }) => message).join(separator),
  reasons: explanations.flatMap(({ reasons }) => reasons),
})
