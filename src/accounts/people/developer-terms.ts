/** The version of the developer terms that an account accepts when it turns developer mode on. */
export const DEVELOPER_TERMS_VERSION = '2026-11-01'
