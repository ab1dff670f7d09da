import type { FastifyRequest } from 'fastify'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { chain, type MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import type { StoreSettings } from '../../core/settings/table.ts'
import type { Account } from '../people/queries.ts'
import { isSecondFactorMissing, isSettingUp, readFirstStart } from './queries.ts'

type Roles = Pick<Account, 'operator' | 'moderator' | 'developer'>

/** The rule: who must have a second factor. */
export function mustHaveSecondFactor(
  { require_mfa }: Pick<StoreSettings, 'require_mfa'>,
  { operator, moderator, developer }: Roles,
): boolean {
  const runs_store = operator || moderator
  switch (require_mfa) {
    case 'off':
      return false
    case 'operators':
      return runs_store
    case 'developers':
      return runs_store || developer
    case 'everyone':
      return true
  }
}

/** Whoever tries the store out with its own database has a day. */
const TRIAL_MS = DAY_MS
export const isOnTrial = (first_start: Date, now: Date): boolean =>
  now.getTime() - first_start.getTime() < TRIAL_MS

/** Whether members of the team who have no second factor can do nothing now. */
export async function teamNeedsSecondFactor({ settings, sql, config }: Core): Promise<boolean> {
  const member = { operator: false, moderator: true, developer: false }
  if (!mustHaveSecondFactor(settings.current, member)) return false
  return config.database_url !== undefined || !isOnTrial(await readFirstStart(sql), new Date())
}

/** Whether a person must set up a second factor before going on; false for most people. */
export function needsSecondFactor(core: Core, account: Account): MaybePromise<boolean> {
  const { settings, sql, config } = core
  if (account.second_factor || !mustHaveSecondFactor(settings.current, account)) return false
  // Another process may have stored the second factor within the last second.
  return chain(isSecondFactorMissing(sql, account.user_uid), async (is_missing) => {
    if (!is_missing) return false
    return config.database_url !== undefined || !isOnTrial(await readFirstStart(sql), new Date())
  })
}

const PRIVATE = '/api/v1/private/'

/** What people can do before they have a second factor: set one up, or leave. */
const open_routes = new Set(
  [
    'account',
    'account/second-factor',
    'account/totp',
    'account/totp/confirm',
    'account/recovery-codes',
    'account/passkeys',
    'account/passkeys/options',
    'account/passkeys/:uid',
    'account/confirm-password',
    'account/confirm-code',
    'account/confirm-passkey',
    'account/store-terms',
    'account/logout',
    'account/export',
    'account/delete',
    'settings/language',
    'settings/theme',
  ].map((path) => PRIVATE + path),
)

/** What the first operator finishes before the second factor: the name of the store, and mail. */
const setup_routes = new Set(
  ['settings', 'mail-server', 'test-mail'].map((path) => `${PRIVATE}operations/${path}`),
)

/** As needsSecondFactor, for the pages and routes of the set-up. */
export const needsSecondFactorInSetup = (core: Core, account: Account): MaybePromise<boolean> =>
  chain(needsSecondFactor(core, account), async (is_needed) =>
    is_needed ? !(await isSettingUp(core.sql, account.user_uid)) : false,
  )

/** Refuses a session on private routes until its person has the second factor they must have. */
export function requireSecondFactor(
  core: Core,
  { route }: FastifyRequest,
  account: Account,
): MaybePromise<void> {
  const url = route?.url ?? ''
  if (!url.startsWith(PRIVATE) || open_routes.has(url)) return
  const isNeeded = setup_routes.has(url) ? needsSecondFactorInSetup : needsSecondFactor
  return chain(isNeeded(core, account), (is_needed) => {
    if (is_needed) refuse('SECOND_FACTOR_REQUIRED')
  })
}
