/** A one-time message about the last action, which the next page shows (web/flash-message.ts). */
export const NOTICE_COOKIE = 'svc_notice'
const SECONDS = 30

export const noticeCookie = (message: string) => cookie(encodeURIComponent(message), SECONDS)
export const clearNoticeCookie = () => cookie('', 0)

const cookie = (value: string, seconds: number) =>
  `${NOTICE_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
