import type { Explanation } from '../runtime/reasons.ts'

/** A one-time message about the last action, which the next page shows (web/flash-message.ts). */
export const NOTICE_COOKIE = 'svc_notice'
const SECONDS = 30

/** Text in the language of the reader, or an explanation that the next page translates. */
export const noticeCookie = (notice: string | Explanation) =>
  cookie(encodeURIComponent(typeof notice === 'string' ? notice : encode(notice)), SECONDS)

const encode = ({ message, reasons }: Explanation) => JSON.stringify({ message, reasons })

/** The explanation of a notice; one that is plain text has no reasons. */
export function readNotice(notice: string): Explanation {
  try {
    const { message, reasons } = JSON.parse(notice)
    if (typeof message === 'string' && Array.isArray(reasons)) return { message, reasons }
  } catch {
    // Plain text.
  }
  return { message: notice, reasons: [] }
}
export const clearNoticeCookie = () => cookie('', 0)

const cookie = (value: string, seconds: number) =>
  `${NOTICE_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
