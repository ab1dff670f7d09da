import { Type } from 'typebox'
import { deviceText } from '../../../accounts/devices/device-text.ts'
import {
  endOtherSessionsRoute,
  endSessionRoute,
  listSessionsRoute,
} from '../../../accounts/sessions/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { regionName } from '../../../core/text/intl-text.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { readApi } from '../../call.ts'
import { dateTag, dateTimeTag } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page, withStoreName } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { confirmButton, postButton } from '../../components/secret-field.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { accountTabs } from '../tabs.ts'
import { SECURITY_PAGE, SESSIONS_PAGE } from './paths.ts'

type Session = RouteData<typeof listSessionsRoute>['sessions'][number]

/** Leads to the sessions from the page about the security of the account. */
export const sessionsPanel: Html = html`
  <section class="panel" id="sessions" aria-labelledby="sessions-title">
    <h2 id="sessions-title">${t('sessions')}</h2>
    <p>${t('sessions-panel-text')}</p>
    <p><a class="button button-quiet" href="${SESSIONS_PAGE}">${t('sessions-view')}</a></p>
  </section>
`

const sessionsPage = getPage(SESSIONS_PAGE, 'Sessions of the account', {
  auth: member,
  async handle(input) {
    const { sessions } = await readApi(input.request, listSessionsRoute)
    return page(input, {
      title: withStoreName(input.core, t('sessions')),
      noindex: true,
      body: html`
        <h1>${t('sessions')}</h1>
        ${accountTabs(SECURITY_PAGE)}
        <section class="panel">
          <p>${richText('sessions-text', { link: linkTo('/settings/password') })}</p>
          <ul class="plain">${sessions.map((session) => sessionRow(session))}</ul>
          ${sessions.length > 1 && endOthers}
        </section>
      `,
    })
  },
})

const endOthers = confirmButton({
  label: t('sessions-end-others'),
  sentence: t('sessions-end-others-text'),
  action: `${SESSIONS_PAGE}/end-others`,
})

const currentMark = html`<span class="mark mark-ok">${icon('ok')}${t('session-current')}</span>`

/** A session with its device, place and times; `base` is the address that ends it. */
export const sessionRow = (session: Session, base = SESSIONS_PAGE): Html => {
  const device = deviceText(session)
  const place = placeOf(session)
  return html`
    <li class="key-row">
      <div>
        <div class="row"><strong>${device}</strong>${session.current && currentMark}</div>
        ${place && html`<p class="soft">${place}</p>`}
        <p class="soft">
          ${richText('session-times', {
            opened: dateTag(session.created_at),
            used: dateTimeTag(session.last_used_at),
          })}
        </p>
      </div>
      ${!session.current && endButton(`${base}/${session.uid}/end`, device)}
    </li>
  `
}

const endButton = (action: string, device: Text): Html =>
  postButton(richText('session-end', { device, hidden: hiddenText }), action)

function placeOf({ country, network }: Session): Text | undefined {
  if (!network) return undefined
  return country
    ? t('session-place', { country: regionName(country), network })
    : t('session-network', { network })
}

const submitEnd = postForm(`${SESSIONS_PAGE}/:uid/end`, 'End a session', {
  auth: member,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    await readApi(request, endSessionRoute, { params })
    return redirectTo(reply, SESSIONS_PAGE, t('session-ended'))
  },
})

const submitEndOthers = postForm(`${SESSIONS_PAGE}/end-others`, 'End all other sessions', {
  auth: member,
  async handle({ request, reply }) {
    await readApi(request, endOtherSessionsRoute)
    return redirectTo(reply, SESSIONS_PAGE, t('sessions-ended'))
  },
})

export const sessionPages = [sessionsPage, submitEnd, submitEndOthers]
