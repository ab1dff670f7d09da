import type { FastifyRequest } from 'fastify'
import {
  needsSecondFactor,
  needsSecondFactorInSetup,
} from '../../../accounts/second-factor/requirement.ts'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import type { Core } from '../../../core/runtime/core.ts'
import type { MaybePromise } from '../../../core/runtime/maybe-promise.ts'
import { open_pages } from '../../policies/terms-gate.ts'
import { CONFIRM_PAGE, PASSKEY_CONFIRM, SECURITY_PAGE } from './paths.ts'

/** The pages of people who must set up a second factor first. */
const second_factor_pages = new Set([
  ...open_pages,
  SECURITY_PAGE,
  `${SECURITY_PAGE}/totp`,
  `${SECURITY_PAGE}/totp/remove`,
  `${SECURITY_PAGE}/recovery-codes`,
  `${SECURITY_PAGE}/passkeys`,
  `${SECURITY_PAGE}/passkeys/new`,
  `${SECURITY_PAGE}/passkeys/:uid`,
  `${SECURITY_PAGE}/passkeys/:uid/remove`,
  CONFIRM_PAGE,
  PASSKEY_CONFIRM,
])

/** The first operator finishes the set-up before. */
const SETUP = '/setup/'

/** Whether a person must set up a second factor before this page. */
export const secondFactorBeforePage = (
  core: Core,
  { route }: FastifyRequest,
  who: Identity,
): MaybePromise<boolean> => {
  const url = route?.url ?? ''
  if (second_factor_pages.has(url)) return false
  return url.startsWith(SETUP) ? needsSecondFactorInSetup(core, who) : needsSecondFactor(core, who)
}
