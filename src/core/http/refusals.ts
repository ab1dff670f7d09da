import type { Core } from '../runtime/core.ts'
import { type ErrorName, Refusal } from '../runtime/errors.ts'
import { isStorageUnavailable } from '../storage/storage.ts'
import { declaredErrors, type Route } from './route.ts'

const errorNames: Record<string, ErrorName> = {
  // A foreign key: the row that the request refers to was deleted meanwhile.
  '23503': 'NOT_FOUND',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}
const databaseUnavailable = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08001',
  '53300',
  '55000',
  // A deadlock or serialization failure that lasted through every retry.
  '40P01',
  '40001',
])

/** Turns whatever a request failed with into one of our errors. */
export function asRefusal(
  error: Error & { code?: string; statusCode?: number; syscall?: string },
  core: Core,
): Refusal {
  if (error instanceof Refusal) return error
  const known = errorNames[error.code ?? '']
  if (known) return new Refusal(known)
  if (error.statusCode && error.statusCode < 500) return new Refusal('MALFORMED')
  if (isDatabaseUnavailable(error)) {
    core.log.warn({ error: error.message }, 'database unavailable; requests are refused with 503')
    return new Refusal('UNAVAILABLE')
  }
  if (isStorageUnavailable(error)) {
    core.log.warn({ error: error.message }, 'storage unavailable; requests are refused with 503')
    return new Refusal('UNAVAILABLE')
  }
  core.log.error({ err: error }, 'unexpected error')
  return new Refusal('INTERNAL')
}

const isDatabaseUnavailable = (error: { code?: string; syscall?: string }) =>
  databaseUnavailable.has(error.code ?? '') &&
  (error.code !== 'ENOENT' || error.syscall === 'connect')

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
  ...headers,
  'cache-control': 'no-store',
})

/** The headers for API clients, with the way to authenticate. */
export const failureHeaders = (refusal: Refusal): Record<string, string> => ({
  ...(refusal.status === 401 && { 'www-authenticate': 'Bearer' }),
  ...refusalHeaders(refusal),
})
