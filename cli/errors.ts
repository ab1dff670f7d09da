import { MAX_CHANGELOG, MAX_TITLE } from '../src/builds/build-limits.ts'
import { MAX_FILE_SIZE } from '../src/builds/upload-limits.ts'
import { MAX_VERSION } from '../src/listings/fields/text.ts'
import { jsonLine } from './lines.ts'
import { later, type Text, t } from './messages.ts'

/** Exit codes other than 0. */
export const exits = {
  usage: 1,
  refused: 2,
  network: 3,
  not_clean: 4,
  damaged: 5,
  interrupted: 130,
} as const

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

/** Any error as one that ends a command; what nobody foresaw is a local error. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const { message, code, path } = error as NodeJS.ErrnoException
  const disk_failure = code && diskErrors[code]?.(path)
  if (disk_failure) return disk_failure
  const where = path && !message.includes(path) ? ` (${path})` : ''
  return new Failure(exits.usage, `${message}${where}`, code ? undefined : t('bug-hint'))
}

/** Without a path it may be a port or an address that is refused. */
const noPermission = (path: string | undefined) =>
  path === undefined
    ? undefined
    : new UsageError(t('file-no-permission', { path }), t('file-no-permission-hint'))
const readOnly = (path: string | undefined) =>
  path === undefined
    ? undefined
    : new UsageError(t('file-read-only', { path }), t('file-read-only-hint'))
const notFolder = (path: string | undefined) =>
  path === undefined ? undefined : new UsageError(t('file-not-folder', { path }))
/** What is written into a file that is open has no path. */
const diskFull = (path: string | undefined) =>
  new UsageError(
    path === undefined ? t('disk-full') : t('file-disk-full', { path }),
    t('file-disk-full-hint'),
  )

/** What the codes of errors of the disk mean to the person at the terminal. */
const diskErrors: Record<string, (path: string | undefined) => Failure | undefined> = {
  EACCES: noPermission,
  EPERM: noPermission,
  ENOTDIR: notFolder,
  EROFS: readOnly,
  ENOSPC: diskFull,
  EDQUOT: diskFull,
}

/** What programs read about a failure. */
export function failureFields(failure: Failure): Record<string, unknown> {
  const { exit_code, message, hint, more } = failure
  const api = failure instanceof ApiError ? { code: failure.code, status: failure.status } : {}
  return { exit_code, error: message, ...api, hint, ...more }
}

/** A failure as a line for programs that read standard error while a command runs. */
export const errorEvent = (failure: Failure, place: object = {}): string =>
  jsonLine({ event: 'error', ...place, ...failureFields(failure) })

/** A local error: nothing was sent. */
export class UsageError extends Failure {
  constructor(message: string, hint?: string) {
    super(exits.usage, message, hint)
  }
}

export const changedWhileReading = (path: string) =>
  new UsageError(t('file-changed-uploading', { path }), t('file-changed-uploading-hint'))

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
    super(exits.refused, message, answer.hint ?? (code === undefined ? undefined : hints[code]?.()))
    this.status = status
    this.code = code
    this.current_size = current_size
    this.retry_after = retry_after
  }
}

/** The same refusal with another hint, or with another message. */
export function withText(error: ApiError, text: { message?: string; hint?: string }): ApiError {
  const { status, code, message, hint, current_size, retry_after } = error
  return new ApiError({
    status,
    message,
    ...(hint !== undefined && { hint }),
    ...text,
    ...(code !== undefined && { code }),
    ...(current_size !== undefined && { current_size }),
    ...(retry_after !== undefined && { retry_after }),
  })
}

/** Hints for refusals, by error code. */
export const hints: Record<number, Text> = {
  4020: later('hint-4020'),
  4021: later('hint-4021'),
  4022: later('hint-4022'),
  4023: later('hint-4023'),
  4024: later('hint-4024'),
  4025: later('hint-4025'),
  4026: later('hint-4026', {
    version: String(MAX_VERSION),
    title: String(MAX_TITLE),
    changelog: String(MAX_CHANGELOG),
  }),
  4037: later('hint-4037'),
  4038: later('hint-4038'),
  4039: later('hint-4039'),
  4041: later('hint-4041'),
  4043: later('hint-4043', { max: MAX_FILE_SIZE }),
  4044: later('hint-4044'),
  4045: later('hint-4045'),
  4046: later('hint-4046'),
  4049: later('hint-4049'),
  4096: later('hint-4096'),
  4150: later('hint-4150'),
  4151: later('hint-4151'),
  4152: later('hint-4152'),
  4153: later('hint-4153'),
  4154: later('hint-4154'),
  4166: later('hint-4166'),
  4290: later('hint-4290'),
  4291: later('hint-4291'),
}
