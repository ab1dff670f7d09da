import type { FastifyRequest } from 'fastify'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { chain, type MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { explain } from '../../core/runtime/reasons.ts'
import type { PublishedPolicy } from '../../core/settings/queries.ts'
import type { Account } from '../people/queries.ts'
import { hasAcceptedTerms } from './acceptance-queries.ts'
import { newestPolicy, policyInEffect } from './policies.ts'

/** Terms of the store that a person has not accepted yet. */
export type PendingTerms = {
  /** The newest version, which is the one to accept. */
  version: number
  effective_from: string
  /** The version in effect, if the person has not accepted that one either; else undefined. */
  required_version: number | undefined
}

/** What a person still has to accept, by the newest version that they accepted. */
export function pendingTerms(
  policies: readonly PublishedPolicy[],
  accepted: number | null,
  now: Date,
): PendingTerms | undefined {
  const newest = newestPolicy(policies, 'terms')
  const accepted_version = accepted ?? 0
  if (!newest || accepted_version >= newest.version) return undefined
  const in_effect = policyInEffect(policies, 'terms', now)?.version ?? 0
  return {
    version: newest.version,
    effective_from: newest.effective_from,
    required_version: accepted_version < in_effect ? in_effect : undefined,
  }
}

/** The terms that a person must accept before going on; undefined for most people. */
export function requiredTerms(
  { sql, settings }: Core,
  { user_uid, store_terms_version }: Account,
): MaybePromise<PendingTerms | undefined> {
  const pending = pendingTerms(settings.policies, store_terms_version, new Date())
  if (pending?.required_version === undefined) return undefined
  // Another process may have stored the acceptance within the last second.
  return chain(hasAcceptedTerms(sql, user_uid, pending.required_version), (accepted) =>
    accepted ? undefined : pending,
  )
}

const PRIVATE = '/api/v1/private/'

/** What people can still do who have not accepted the terms: accept them, or leave. */
const open_routes = new Set(
  [
    'account/store-terms',
    'account/logout',
    'account/confirm-password',
    'account/second-factor-reset',
    'account/export',
    'account/delete',
    'settings/language',
    'settings/theme',
  ].map((path) => PRIVATE + path),
)

/** Refuses a session that changes something before its person accepted the terms in effect. */
export function requireTerms(
  core: Core,
  { method, route }: FastifyRequest,
  account: Account,
): MaybePromise<void> {
  const url = route?.url ?? ''
  const is_reading = method === 'GET' || method === 'HEAD'
  if (is_reading || !url.startsWith(PRIVATE) || open_routes.has(url)) return
  return chain(requiredTerms(core, account), (pending) => {
    if (pending) refuse('STORE_TERMS_REQUIRED', { version: pending.version })
  })
}

/** The version that a person accepts; undefined while the store has no terms. */
export function checkAcceptance(
  policies: readonly PublishedPolicy[],
  version: number | undefined,
): number | undefined {
  const newest = newestPolicy(policies, 'terms')
  if (newest && version !== newest.version)
    refuse(
      'STORE_TERMS_NOT_ACCEPTED',
      { version: newest.version, field: 'store_terms_version' },
      version === undefined
        ? undefined
        : explain('terms_changed', 'The terms of the store have changed; accept data.version'),
    )
  return newest?.version
}
