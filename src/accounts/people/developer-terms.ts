import { refuse } from '../../core/runtime/errors.ts'

/** The version of the developer terms that an account accepts when it turns developer mode on. */
export const DEVELOPER_TERMS_VERSION = '2026-11-01'

/** The refusal names the terms, so that a client can offer to accept them. */
export function requireDeveloperMode(is_developer: boolean): void {
  if (!is_developer)
    refuse('DEVELOPER_MODE_REQUIRED', {
      error: 'developer_mode_required',
      developer_terms_version: DEVELOPER_TERMS_VERSION,
    })
}
