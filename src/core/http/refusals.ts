import type { FastifyReply } from 'fastify'
import { isDatabaseUnavailable } from '../database/unavailable.ts'
import { type ErrorName, Refusal } from '../runtime/errors.ts'
import type { Log } from '../runtime/log.ts'
import { isStorageUnavailable } from '../storage/storage.ts'
import { securityHeaders } from './response-headers.ts'
import { declaredErrors, type Route } from './route.ts'

const errorNames: Record<string, ErrorName> = {
  // A foreign key: the row that the request refers to was deleted meanwhile.
  '23503': 'NOT_FOUND',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}
/** After this many seconds a client should try again what was refused with 503. */
const RETRY_SECONDS = 5

/** Turns whatever a request failed with into one of our errors. */
export function asRefusal(
  error: Error & { code?: string; statusCode?: number; syscall?: string },
  log: Log,
  request_id: string,
): Refusal {
  if (error instanceof Refusal) {
    const { log_entry } = error
    if (log_entry) log.error({ id: request_id, ...log_entry.fields }, log_entry.message)
    return error
  }
  const known = errorNames[error.code ?? '']
  if (known) return new Refusal(known)
  if (error.statusCode && error.statusCode < 500) return new Refusal('MALFORMED')
  if (isDatabaseUnavailable(error)) {
    log.warn(
      { id: request_id, error: error.message },
      'database unavailable; requests are refused with 503',
    )
    return new Refusal('UNAVAILABLE')
  }
  if (isStorageUnavailable(error)) {
    log.warn(
      { id: request_id, error: error.message },
      'storage unavailable; requests are refused with 503',
    )
    return new Refusal('UNAVAILABLE')
  }
  log.error({ id: request_id, err: error }, 'unexpected error')
  return new Refusal('INTERNAL')
}

/**
 * Whether a stream ended because the client hung up before its answer began. Nobody reads what is
 * sent then, and nothing is wrong here.
 */
export const isHangUp = (error: { code?: string }, { raw }: FastifyReply): boolean =>
  raw.destroyed && ['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(error.code ?? '')

/**
 * Turns an error that the route does not declare into one that names it. Tests use this to keep the
 * API description complete.
 */
export function requireDeclared(refusal: Refusal, route: Route | undefined): Refusal {
  if (!route || route.page || refusal.status >= 500) return refusal
  const general: ErrorName[] = [
    'MALFORMED',
    'TOO_MANY_REQUESTS',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ]
  if ([...general, ...declaredErrors(route)].includes(refusal.refusal)) return refusal
  return new Refusal(
    'INTERNAL',
    undefined,
    `${route.method} ${route.url} does not declare ${refusal.refusal}`,
  )
}

export const refusalHeaders = ({ status, headers }: Refusal): Record<string, string> => ({
  ...(status === 429 && { 'retry-after': '60' }),
  ...(status === 503 && { 'retry-after': String(RETRY_SECONDS) }),
  ...headers,
  'cache-control': 'no-store',
})

/** The headers for API clients, with the way to authenticate. */
export const failureHeaders = (refusal: Refusal): Record<string, string> => ({
  ...securityHeaders,
  ...(refusal.status === 401 && { 'www-authenticate': 'Bearer' }),
  ...refusalHeaders(refusal),
})
