export const SECURITY_PAGE = '/account/security'
export const CONFIRM_PAGE = '/account/confirm'
export const PASSKEY_CONFIRM = `${CONFIRM_PAGE}/passkey`
