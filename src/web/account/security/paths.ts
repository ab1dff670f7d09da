export const SECURITY_PAGE = '/account/security'
export const EVENTS_PAGE = `${SECURITY_PAGE}/events`
export const SESSIONS_PAGE = '/account/sessions'
export const RESET_PAGE = '/account/second-factor-reset'
export const CONFIRM_PAGE = '/account/confirm'
export const PASSKEY_CONFIRM = `${CONFIRM_PAGE}/passkey`
