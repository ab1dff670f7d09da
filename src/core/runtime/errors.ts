import { type Explanation, type Reason, toExplanation } from './reasons.ts'

/**
 * Every error the service answers: name → code, HTTP status, message for a person. A code may
 * repeat, because its meaning depends on the route; a name may not. The message says what happened
 * and, where the caller can act, what to do next.
 */
export const errors = {
  // Generic
  MALFORMED: [4000, 400, 'The request is not valid; check its parameters and body'],
  REQUEST_TIMEOUT: [4000, 408, 'The request took too long to arrive; send it again'],
  HEADERS_TOO_LARGE: [4000, 431, 'The request headers are too large; send fewer or shorter ones'],
  UNAUTHENTICATED: [4010, 401, 'Sign in, or send a valid credential'],
  FORBIDDEN: [4030, 403, 'You do not have permission to do this'],
  CROSS_SITE_REQUEST: [
    4030,
    403,
    'A request with the session cookie must come from the website itself',
  ],
  SCOPE_MISSING: [4031, 403, 'This token does not have the scope that this route requires'],
  WRONG_TOKEN_KIND: [4033, 403, 'This route does not accept this kind of token'],
  NOT_FOUND: [4040, 404, 'Not found'],
  METHOD_NOT_ALLOWED: [
    4050,
    405,
    'This address does not support that method; see the Allow header',
  ],
  CONFLICT: [4090, 409, 'This conflicts with the current state; reload and try again'],
  BODY_TOO_LARGE: [4130, 413, 'The request body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [4150, 415, 'Send the body as application/json'],
  TOO_MANY_REQUESTS: [
    4290,
    429,
    'Too many requests; wait for the number of seconds in Retry-After',
  ],
  INTERNAL: [
    5000,
    500,
    'Something went wrong on our side; report the request ID if it keeps happening',
  ],
  UNAVAILABLE: [5031, 503, 'Part of the service is temporarily unavailable; try again shortly'],
  DISK_FULL: [5031, 503, 'The store has too little free disk space for uploads; try again later'],
  SHUTTING_DOWN: [5031, 504, 'This server is shutting down; send the request again'],

  // Accounts
  INVALID_CREDENTIALS: [4010, 401, 'The username, email address or password is wrong'],
  EMAIL_NOT_VERIFIED: [4096, 403, 'Verify your email address first'],
  DEVELOPER_MODE_REQUIRED: [4105, 403, 'Turn on developer mode in your account first'],
  DEVELOPER_TERMS_NOT_ACCEPTED: [
    4106,
    400,
    'Accept the current developer terms with accept_terms: true',
  ],
  DEVELOPER_MODE_IN_USE: [
    4107,
    409,
    'Developer mode cannot be turned off while you own or help run a project',
  ],
  AGE_NOT_CONFIRMED: [4108, 400, 'Confirm that you are 18 or older with confirm_18: true'],
  STORE_TERMS_NOT_ACCEPTED: [
    4270,
    400,
    'Accept the terms of the store with store_terms_version; see data.version',
  ],
  STORE_TERMS_REQUIRED: [
    4271,
    403,
    'Accept the terms of the store before you go on; see data.version',
  ],
  SETUP_LINK_INVALID: [
    4272,
    403,
    'This set-up link was used, has expired or is unknown; make one with admin setup-link',
  ],
  // Second factors
  STEP_UP_REQUIRED: [
    4032,
    403,
    'Confirm that it is you with account/confirm-password or account/confirm-code, then repeat',
  ],
  SECOND_STEP_REQUIRED: [
    4293,
    401,
    'This account has a second factor; finish with data.ticket at account/login/second-step',
  ],
  SECOND_FACTOR_REQUIRED: [
    4292,
    403,
    'This account must set up a second factor first; see account/second-factor',
  ],
  SECOND_STEP_FAILED: [4294, 401, 'The code is wrong or was used'],
  // Operators
  SETTING_FIXED: [4260, 409, 'This setting is set in the environment; change it there'],
  COLOR_CONTRAST: [4261, 422, 'Text in this color would be hard to read; choose another color'],
  // What the store allows
  REGISTRATION_CLOSED: [4262, 403, 'This store does not take new accounts'],
  INVITATION_REQUIRED: [4263, 403, 'Signing up needs a valid invitation'],
  PUBLISHING_NOT_ALLOWED: [4264, 403, 'The operators of this store decide who may publish'],
  RELEASE_HELD: [4265, 409, 'The first release of this listing waits for a review'],
  ADULT_CONTENT_OFF: [4266, 422, 'This store does not allow adult content'],
  PAID_LISTINGS_OFF: [4267, 422, 'This store has only free listings'],
  ASSET_TYPE_OFF: [4268, 422, 'This store does not take listings of this type'],
  // Moderation
  REPORT_OPEN: [4281, 409, 'You have reported this already; we will answer that report'],
  GROUND_AND_FACTS_REQUIRED: [4282, 422, 'A decision needs a ground and the facts it rests on'],
  APPEAL_NOT_POSSIBLE: [
    4283,
    409,
    'This decision was appealed before, or is too old to be appealed',
  ],
  SUSPENDED: [4284, 403, 'This account is suspended'],
  // Approvals of agent requests
  APPROVAL_REQUIRED: [
    4214,
    202,
    'A person must approve this: see data.approval, then repeat with the same Idempotency-Key',
  ],
  APPROVAL_DENIED: [4215, 403, 'This request was denied; do not send it again'],
  APPROVAL_USED: [
    4097,
    409,
    'This approval was already used; ask again with another Idempotency-Key',
  ],
  APPROVAL_CLOSED: [
    4098,
    409,
    'This approval was already decided or has expired; ask again with another Idempotency-Key',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    4095,
    409,
    'This Idempotency-Key was used for a different request; choose another',
  ],
  INVALID_EMAIL_CODE: [4216, 400, 'The code is wrong or has expired; request a new one'],
  RESET_LINK_EXPIRED: [4216, 400, 'This link was used or has expired; request a new one'],
  RESET_STOP_EXPIRED: [4216, 400, 'This link was used or has expired'],
  EMAIL_UNDO_EXPIRED: [4216, 400, 'This link was used or has expired'],

  // Downloads
  DOWNLOAD_REQUIRES_SIGN_IN: [
    4001,
    401,
    'Sign in to download this; if it has a price, buy it first',
  ],
  DOWNLOAD_REQUIRES_PURCHASE: [4023, 402, 'Buy this game to download it'],
  STILL_SCANNING: [
    4099,
    409,
    'This file is still being scanned for viruses; try again in a few minutes',
  ],
  CONTENT_BLOCKED: [
    4099,
    409,
    'The moderation team has blocked this content; it cannot be uploaded. Ask the store why',
  ],
  BUILD_WITHDRAWN: [
    4286,
    410,
    'The publisher has withdrawn this build; see data.reason and data.replacement',
  ],
  CHANNEL_NOT_ACCESSIBLE: [4074, 403, 'You do not have access to the channel of this file'],
  BETA_REQUIRES_PURCHASE: [4165, 402, 'The beta of this game requires an edition; see data.skus'],
  RANGE_NOT_SATISFIABLE: [4000, 416, 'The requested range is outside the file'],
  LINK_SIGNING_FAILED: [5030, 503, 'The download link could not be signed; try again'],
  ANONYMOUS_DOWNLOADS_NOT_CONFIRMED: [
    4109,
    400,
    'Anonymous downloads grant no license; confirm with confirm_no_license: true',
  ],
  ANONYMOUS_DOWNLOADS_REQUIRE_FREE: [
    4113,
    409,
    'Anonymous downloads require a free project without active editions',
  ],
  PRICE_REQUIRES_SIGN_IN: [
    4114,
    409,
    'Turn off anonymous downloads before you set a price or add an edition',
  ],

  // Listings
  PRICE_OUT_OF_RANGE: [4050, 422, 'The price is out of range'],
  INVALID_TAXONOMY: [4071, 422, 'A value is not in the list of allowed values'],
  INVALID_SIMILAR: [4072, 422, 'Similar titles must be other public games'],
  COPY_REQUIRED: [4076, 403, 'You need a copy of this game to do this'],
  OWN_GAME: [4077, 403, 'You cannot do this for your own game'],
  OWNER_ONLY: [4034, 403, 'Only the owner of the project can do this'],
  ADMIN_AGENTS_OFF: [
    4080,
    403,
    'The owner has turned off agent access for the admins of this project; use the website',
  ],
  LISTING_CHECK_FAILED: [4225, 422, 'The listing check found errors; see data.lint'],
  INVALID_REVIEW: [4227, 422, 'The review is not valid'],
  INVALID_DEPENDENCY: [
    4229,
    422,
    'A dependency must be another public listing, of kind uses, supports or made_with',
  ],
  INVALID_COMPAT: [4230, 422, 'An engine range is not valid'],
  GIFT_NOT_POSSIBLE: [4217, 409, 'This gift cannot be made'],
  GIFT_NOT_WAITING: [4218, 409, 'This gift cannot be accepted or declined'],
  PAYMENTS_CLOSED: [4232, 409, 'Buying is not open here yet'],
  PAYMENT_ACCOUNT_REQUIRED: [
    4239,
    422,
    'Set up payments in your settings before a listing with a price goes public',
  ],
  REFUND_NOT_POSSIBLE: [4239, 409, 'This order cannot be refunded'],
  INVALID_SIGNATURE: [4239, 400, 'The signature is missing, wrong or too old'],
  INVALID_LICENSE: [4231, 422, 'The license kind is not known'],
  INVALID_PARENT: [4233, 422, 'This listing cannot be used as the parent'],
  INVALID_MOD_SETTINGS: [4234, 422, 'The mod settings are not valid'],
  INVALID_PRESS_KIT: [4235, 422, 'The press kit is not valid'],
  INVALID_COMMUNITY_TAG: [4236, 422, 'The suggested tags are not valid'],
  NOT_PLAYED_ENOUGH: [4237, 403, 'Play longer before you suggest tags'],
  INVALID_STORE_LINK: [4238, 422, 'A store link is not valid'],
  INVALID_EDITION: [4155, 422, 'The edition is not valid'],
  INVALID_OFFER: [4250, 422, 'The prices of this offer are not valid'],
  INVALID_SALE: [4251, 422, 'The sale is not valid'],
  CURRENCY_NOT_OFFERED: [4252, 409, 'This listing has no price in this currency'],
  AMOUNT_TOO_LOW: [4253, 422, 'The amount is less than the price'],
  INVALID_COUPON: [4254, 422, 'The coupon is not valid'],
  COUPON_NOT_VALID: [4255, 409, 'This coupon cannot be used for this order'],
  INVALID_KEY_BATCH: [4256, 422, 'The batch of keys is not valid'],
  KEY_NOT_VALID: [4257, 409, 'This key cannot be redeemed'],
  KEY_REQUESTS_CLOSED: [4258, 409, 'The developer takes no requests for keys'],
  INVALID_KEY_REQUEST: [4259, 422, 'The request for a key is not valid'],
  TOO_MANY_EDITIONS: [4156, 422, 'The listing has too many editions'],
  PRICE_FROM_EDITIONS: [
    4164,
    409,
    'The price follows the cheapest active edition; change the editions instead',
  ],

  // Media
  INVALID_MEDIA: [4150, 400, 'The media request is not valid; kind is cover, thumbnail or gallery'],
  IMAGE_REJECTED: [4151, 422, 'The image was rejected'],
  GALLERY_FULL: [4152, 409, 'The gallery is full; delete an image first'],
  IMAGE_REQUIRED: [4153, 409, 'A public listing keeps its cover and thumbnail; replace it instead'],
  INVALID_ORDER: [4154, 422, 'The order must name every gallery image exactly once'],

  // Deploy keys, builds and uploads
  ACCESS_TOKEN_MISSING: [4020, 401, 'Send the deploy key in X-Access-Token'],
  SECRET_KEY_MISSING: [4021, 401, 'Send the deploy secret in X-Secret-Key'],
  DEPLOY_KEY_UNKNOWN: [4022, 401, 'This deploy key does not exist'],
  DEPLOY_KEY_REVOKED: [4023, 401, 'This deploy key was revoked; issue a new pair'],
  DEPLOY_KEY_INVALID: [4024, 401, 'This deploy key is not valid for this game'],
  GAME_NOT_AUTHENTICATED: [4025, 401, 'The request does not identify a game'],
  INVALID_REGISTRATION: [4026, 400, 'A field of the registration is missing or too long'],
  FILE_MISSING: [4037, 400, 'The file is missing, or the form could not be read'],
  BUILD_NOT_SPECIFIED: [
    4038,
    400,
    'Specify the build: send build_id, or build with build_type and version',
  ],
  BUILD_NOT_IN_PROJECT: [4006, 404, 'This project has no such build'],
  BUILD_NOT_REGISTERED: [4039, 404, 'Build not found; register it first'],
  INVALID_UPLOAD: [
    4041,
    400,
    'The checksum, os, arch or channel is not valid, or the file is not a .zip',
  ],
  UPLOAD_TOO_LARGE: [
    4043,
    413,
    'The file is too large, or the chunk is larger than its Content-Range',
  ],
  INVALID_CHUNK: [4044, 400, 'The upload session id or Content-Range is missing or not valid'],
  CHUNK_OUT_OF_ORDER: [
    4044,
    409,
    'The chunk does not continue the session; resume from current_size',
  ],
  UPLOAD_SESSION_NOT_FOUND: [
    4045,
    404,
    'The upload session was not found or expired; open a new one and start over',
  ],
  CHECKSUM_MISMATCH: [
    4046,
    422,
    'The received bytes do not match the checksum; send the file again',
  ],
  CHUNK_IN_PROGRESS: [
    4047,
    409,
    'Another chunk of this session is being uploaded; wait for it to finish',
  ],
  DELTA_BASE_GONE: [
    4222,
    409,
    'A build that the delta refers to is not available any more; upload the whole zip',
  ],
  FILE_NOT_RECORDED: [4048, 500, 'The file could not be recorded; try again'],
  INVALID_SYMBOLS: [4049, 422, 'This is not a Breakpad symbol file'],
  SYMBOLS_NOT_STORED: [5020, 502, 'A symbol file could not be stored; try again'],
  NOTHING_TO_ROLL_BACK: [4075, 409, 'There is no earlier build to roll back to'],
  INVALID_CHANNEL: [4226, 422, 'The channel name or expiry is not valid'],
  INVALID_BUILD_FILTER: [4166, 400, 'A filter of the build list is not valid'],

  // Ingest
  TOO_MANY_EVENTS: [4130, 413, 'Too many events or metadata keys in one request'],
  INVALID_EVENT: [4158, 422, 'A standard event is not valid'],

  // External-store sign-in and import
  INVALID_EXTSTORE_REQUEST: [4240, 400, 'The account ID, app ID, key or groups are not valid'],
  EXTSTORE_APP_REFUSED: [
    4240,
    422,
    'The external store has no page for this app, or it is not a game',
  ],
  NOT_A_PUBLISHER_KEY: [4241, 403, 'The key is not a publisher key for this app'],
  EXTSTORE_APP_TAKEN: [
    4242,
    409,
    'Another listing has this app, or this listing is linked to a different app',
  ],
  EXTSTORE_UNAVAILABLE: [
    4243,
    502,
    'The external store did not answer, or refused the Web API key',
  ],
  EXTSTORE_NOT_LINKED: [4244, 404, 'This listing is not linked to the external store'],
  EXTSTORE_SIGN_IN_OFF: [4245, 404, 'External-store sign-in is off for this game'],
  TICKET_MALFORMED: [4246, 400, 'The ticket must be a hex string'],
  TICKET_REFUSED: [4246, 401, 'The external store did not accept the ticket'],
  GAME_NOT_OWNED: [4247, 403, 'The account does not own the game, or has a publisher ban'],
  SESSION_ENDED: [
    4248,
    401,
    'The token is not valid for this game, or its session ended; sign in with a new ticket',
  ],
  TOKEN_OF_OTHER_GAME: [4248, 422, 'The token does not belong to this game'],
  ACCOUNT_LINK_REFUSED: [
    4030,
    403,
    'The external store did not confirm this account; start again from your account settings',
  ],
  AUTH_KEY_REQUIRED: [4249, 401, 'Send the game auth key as a Bearer token'],

  // Play in the browser
  SAVE_CHANGED: [
    4219,
    412,
    'The save is another version by now; read it, merge, and send its ETag as If-Match',
  ],
  TOO_MANY_SAVES: [4220, 409, 'All save slots of this game are used; delete one first'],
  PLAYER_NOT_SHARED: [
    4221,
    403,
    'The player does not let this game know who they are; they can allow it on its page',
  ],

  // Storage
  STORAGE_QUOTA_EXCEEDED: [
    4285,
    413,
    'The storage quota is used up; delete files you no longer need, or ask the operators for more',
  ],

  // Bug reporter
  BUG_REPORT_LIMIT_REACHED: [
    4291,
    429,
    'The daily limit for bug reports is reached; try again tomorrow',
  ],
  UPLOADS_BUSY: [4290, 429, 'Too many uploads at the same time; wait until one has ended'],
  TOO_MANY_UPLOADS: [
    4291,
    429,
    'Too many uploads, chunks or sessions for this game; wait and try again',
  ],
} as const satisfies Record<string, readonly [code: number, status: number, message: string]>

export type ErrorName = keyof typeof errors
export type Details = Record<string, unknown>

export type LogEntry = { fields: Record<string, unknown>; message: string }

export class Refusal extends Error {
  readonly refusal: ErrorName
  readonly code: number
  readonly status: number
  readonly data: Details | undefined
  /** What the message says, for pages that write it in the language of their reader. */
  readonly reasons: Reason[]
  /** Response headers that belong to the refusal, such as Retry-After. */
  readonly headers: Record<string, string>
  /** What the log says about it, where the fault is ours. */
  log_entry: LogEntry | undefined

  constructor(
    refusal: ErrorName,
    data?: Details,
    explanation?: string | Explanation,
    headers: Record<string, string> = {},
  ) {
    const [code, status, text] = errors[refusal]
    const { message, reasons } = toExplanation(explanation ?? text)
    super(message)
    this.refusal = refusal
    this.code = code
    this.status = status
    this.data = data
    this.reasons = reasons
    this.headers = headers
  }
}

/**
 * Ends the request with a documented error. `message` replaces the default where it is more
 * specific.
 */
export function refuse(
  refusal: ErrorName,
  data?: Details,
  message?: string | Explanation,
  headers?: Record<string, string>,
): never {
  throw new Refusal(refusal, data, message, headers)
}

/**
 * Ends the request with a documented error for a failure on our side. What happened is logged with
 * the id of the request, by the server.
 */
export function refuseAndLog(log_entry: LogEntry, ...refusal: Parameters<typeof refuse>): never {
  throw Object.assign(new Refusal(...refusal), { log_entry })
}

/** One refusal for several: the first, which lists all of them in `data.refusals`. */
export function combineRefusals(refusals: readonly [Refusal, ...Refusal[]]): Refusal {
  const [first] = refusals
  if (refusals.length === 1) return first
  const list = refusals.map(({ code, message, reasons, data }) => ({
    code,
    message,
    field: data?.field,
    ...reasonsOf(reasons),
  }))
  return new Refusal(first.refusal, { ...first.data, refusals: list }, first, first.headers)
}

/** Runs every check and returns their results, or refuses with everything that is wrong. */
export function checkAll<Checks extends Record<string, () => unknown>>(
  checks: Checks,
): { [Name in keyof Checks]: ReturnType<Checks[Name]> } {
  const refusals: Refusal[] = []
  const results = Object.entries(checks).map(([name, check]) => {
    try {
      return [name, check()]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.push(error)
      return [name, undefined]
    }
  })
  const [first, ...others] = refusals
  if (first) throw combineRefusals([first, ...others])
  return Object.fromEntries(results)
}

/**
 * The failure envelope. Released uploaders read `current_size` under `error`, other clients under
 * `data`, so it is in both.
 */
export function failure({ code, message, reasons, data }: Refusal) {
  const about = { code, message, ...reasonsOf(reasons) }
  const error =
    data && 'current_size' in data ? { ...about, data: { current_size: data.current_size } } : about
  return data ? { success: false, error, data } : { success: false, error }
}

const reasonsOf = (reasons: Reason[]) => (reasons.length ? { reasons } : {})
