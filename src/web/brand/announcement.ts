import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { cookieReader } from '../../core/http/cookies.ts'
import type { Core } from '../../core/runtime/core.ts'
import { isAnnounced } from '../../core/settings/branding.ts'
import { t } from '../../core/text/text.ts'
import { type Html, html } from '../components/html.ts'
import { icon } from '../components/icons.ts'

export const ANNOUNCEMENT_PATH = '/settings/announcement'
export const ANNOUNCEMENT_COOKIE = 'svc_announcement'
const readClosed = cookieReader(ANNOUNCEMENT_COOKIE, /[0-9a-f]{12}/)

/** Another text is another announcement, which those who closed the one before see again. */
const idOf = ({ text, url }: { text: string; url: string }) =>
  createHash('sha256')
    .update(JSON.stringify([text, url]))
    .digest('hex')
    .slice(0, 12)

/** Whether the reader closed the announcement of now. */
export const hasClosedAnnouncement = ({ settings }: Core, request: FastifyRequest): boolean => {
  const closed = readClosed(request)
  return closed !== undefined && closed === idOf(settings.current.announcement)
}

/** The bar above every page, which a form closes, so that no script is needed. */
export function announcementBar({ settings }: Core, is_closed: boolean): Html | false {
  const { announcement } = settings.current
  if (is_closed || !isAnnounced(announcement, new Date())) return false
  const { text, url } = announcement
  return html`
    <aside class="announcement" aria-label="${t('announcement')}">
      <p>${url ? html`<a href="${url}">${text}</a>` : text}</p>
      <form method="post" action="${ANNOUNCEMENT_PATH}">
        <button class="link" name="closed" value="${idOf(announcement)}"
          aria-label="${t('announcement-close')}">${icon('bad')}</button>
      </form>
    </aside>
  `
}
