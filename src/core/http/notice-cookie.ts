/** A word of what was done or refused, which the next page says once (web/notice.ts). */
export const NOTICE_COOKIE = 'svc_notice'
const SECONDS = 30

export const noticeCookie = (message: string) => cookie(encodeURIComponent(message), SECONDS)
export const clearNoticeCookie = () => cookie('', 0)

const cookie = (value: string, seconds: number) =>
  `${NOTICE_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
