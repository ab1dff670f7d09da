import { MAX_CHANGELOG, MAX_FILE_SIZE, MAX_TITLE } from '../src/builds/limits.ts'
import { MAX_VERSION } from '../src/listings/fields/versions.ts'

/** Exit codes other than 0. */
export const exits = { usage: 1, refused: 2, network: 3, not_clean: 4, interrupted: 130 } as const

/** Ends a command with a message, an exit code and a hint. */
export class Failure extends Error {
  readonly exit_code: number
  readonly hint: string | undefined
  /** Additional fields of the JSON output. */
  readonly more: Record<string, unknown>

  constructor(
    exit_code: number,
    message: string,
    hint?: string,
    more: Record<string, unknown> = {},
  ) {
    super(message)
    this.exit_code = exit_code
    this.hint = hint
    this.more = more
  }
}

/** A local error: nothing was sent. */
export class UsageError extends Failure {
  constructor(message: string, hint?: string) {
    super(exits.usage, message, hint)
  }
}

export const changedWhileReading = (path: string) =>
  new UsageError(
    `${path} changed while it was being uploaded`,
    'let the build finish, then run the command again',
  )

/** The server could not be reached, or its answer was not valid HTTP. */
export class NetworkError extends Failure {
  /** Whether a retry may succeed. */
  readonly can_retry: boolean

  constructor(message: string, hint?: string, can_retry = true) {
    super(exits.network, message, hint)
    this.can_retry = can_retry
  }
}

/** The server refused the request. */
export class ApiError extends Failure {
  readonly code: number | undefined
  readonly status: number
  readonly current_size: number | undefined
  readonly retry_after: number | undefined

  constructor(answer: {
    status: number
    code?: number
    message: string
    current_size?: number
    retry_after?: number
    hint?: string
  }) {
    const { status, code, message, current_size, retry_after } = answer
    super(exits.refused, message, answer.hint ?? (code === undefined ? undefined : hints[code]))
    this.status = status
    this.code = code
    this.current_size = current_size
    this.retry_after = retry_after
  }
}

/** Hints for refusals, by error code. */
export const hints: Record<number, string> = {
  4020: 'set SVC_ACCESS_TOKEN, or use --access',
  4021: 'set SVC_SECRET_KEY, or use --secret-stdin or --secret-file',
  4022: 'check SVC_ACCESS_TOKEN: a new key pair revokes the previous one',
  4023: 'issue a new key pair in the dashboard and store both halves in your CI',
  4024: 'the access token and the secret must belong to the same pair',
  4025: 'check SVC_ACCESS_TOKEN and SVC_SECRET_KEY: they must be a deploy key of this game',
  4026:
    `a version has at most ${MAX_VERSION} characters, a title ${MAX_TITLE}, ` +
    `a changelog ${MAX_CHANGELOG} items`,
  4037: 'the file did not arrive; a proxy in between may have truncated the form',
  4038: 'name the build with --build-id, or register it first with slipway build',
  4039: 'register the build first with slipway build, and check --app',
  4041: 'check --os, --arch and --channel; the message names the problem',
  4043: `a zip may have up to ${MAX_FILE_SIZE}: exclude files with .slipwayignore`,
  4044: 'run the same command again to resume the upload',
  4045: 'the upload session expired; run the same command again',
  4046: 'the bytes changed on disk or in transit; run the same command again',
  4049: 'symbols are Breakpad .sym files that begin with a MODULE line, or a zip of them',
  4096: 'the owner of the game must verify their email address on the website first',
  4150: 'an image is a cover, a thumbnail or a gallery image',
  4151: 'see the sizes in docs/uploader.md; PNG, JPEG, GIF and WebP are accepted',
  4152: 'remove one first: slipway media delete <uid>',
  4153: 'replace it instead: slipway media cover <image>',
  4154: 'slipway media list shows the uids; name each of them once',
  4166: 'check the filters; slipway builds list --help shows them',
  4290: 'rate limit reached; wait and run the command again',
  4291: 'upload limit of this game reached; wait and run the command again',
}
