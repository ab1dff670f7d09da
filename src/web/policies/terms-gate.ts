import type { FastifyRequest } from 'fastify'
import { type PendingTerms, requiredTerms } from '../../accounts/policies/acceptance.ts'
import { policyKinds } from '../../accounts/policies/policies.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { withNext } from '../next-path.ts'

export const TERMS_PAGE = '/settings/terms'

/** The pages of people who have not accepted the terms: reading them, accepting, and leaving. */
export const open_pages: ReadonlySet<string> = new Set([
  TERMS_PAGE,
  '/login',
  '/logout',
  '/password/forgot',
  '/password/new',
  '/account/email/undo',
  '/account/second-factor-reset',
  '/settings/export',
  '/settings/delete',
  '/settings/language',
  '/settings/theme',
  '/help/refusal-text',
  ...policyKinds.map((kind) => `/${kind}`),
])

/** The terms that a person must accept before this page; undefined for most people. */
export const termsBeforePage = (
  core: Core,
  { route }: FastifyRequest,
  who: Identity,
): MaybePromise<PendingTerms | undefined> =>
  open_pages.has(route?.url ?? '') ? undefined : requiredTerms(core, who)

/** Only a page can be returned to; a form is sent again by its page. */
export const termsUrl = ({ method, url }: FastifyRequest): string =>
  withNext(TERMS_PAGE, method === 'GET' ? url : undefined)
