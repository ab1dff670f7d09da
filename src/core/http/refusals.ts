import type { Core } from '../runtime/core.ts'
import { type ErrorName, Refusal } from '../runtime/errors.ts'
import { isStorageUnavailable } from '../storage/storage.ts'
import type { Route } from './route.ts'

const frameworkRefusals: Record<string, ErrorName> = {
  // What the request refers to was deleted while it ran.
  '23503': 'NOT_FOUND',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}
const databaseAway = new Set([
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
  // Lost every race it was run in: as good as away for this once.
  '40P01',
  '40001',
])

/** Every way a request can fail ends as one of our refusals. */
export function asRefusal(
  error: Error & { code?: string; statusCode?: number; syscall?: string },
  core: Core,
): Refusal {
  if (error instanceof Refusal) return error
  const known = frameworkRefusals[error.code ?? '']
  if (known) return new Refusal(known)
  if (error.statusCode && error.statusCode < 500) return new Refusal('MALFORMED')
  if (isDatabaseAway(error)) {
    core.log.warn({ error: error.message }, 'the database is away')
    return new Refusal('UNAVAILABLE')
  }
  if (isStorageUnavailable(error)) {
    core.log.warn({ error: error.message }, 'the storage is away')
    return new Refusal('UNAVAILABLE')
  }
  core.log.error({ err: error }, 'unexpected error')
  return new Refusal('INTERNAL')
}

const isDatabaseAway = (error: { code?: string; syscall?: string }) =>
  databaseAway.has(error.code ?? '') && (error.code !== 'ENOENT' || error.syscall === 'connect')

/** A refusal that its route does not declare is a failure that names it: tests keep the API description honest with this. */
export function requireDeclared(refusal: Refusal, route: Route | undefined): Refusal {
  if (!route || route.page || refusal.status >= 500) return refusal
  const kernel: ErrorName[] = [
    'MALFORMED',
    'TOO_MANY_REQUESTS',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ]
  if ([...kernel, ...route.auth.errors, ...(route.errors ?? [])].includes(refusal.refusal))
    return refusal
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

/** Programs are told how to sign in as well; people see a page for that. */
export const failureHeaders = (refusal: Refusal): Record<string, string> => ({
  ...(refusal.status === 401 && { 'www-authenticate': 'Bearer' }),
  ...refusalHeaders(refusal),
})
