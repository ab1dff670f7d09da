import { Type } from 'typebox'
import { endGrantRoute, type listGrantsRoute } from '../../agents/oauth/routes.ts'
import type { listMyCalls } from '../../agents/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { retention } from '../../core/runtime/retention.ts'
import { joinTexts, type Text, t } from '../../core/text/text.ts'
import type { listListings } from '../../listings/listing/routes.ts'
import { readApi } from '../call.ts'
import { dateTimeTag, formatDate } from '../components/format.ts'
import { type Html, hiddenText, html, richText } from '../components/html.ts'
import { pager } from '../components/pager.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { scopeText } from './scope-text.ts'

type Grant = RouteData<typeof listGrantsRoute>['grants'][number]
type Calls = RouteData<typeof listMyCalls>
export type Project = RouteData<typeof listListings>['items'][number]

const appName = (name: string): Text => name || t('unnamed-app')

/** The apps that may act for the person, with the button that revokes their access. */
export function appsPanel(grants: readonly Grant[], projects: readonly Project[]): Html {
  const connected = html`
    <p class="soft">${t('apps-text')}</p>
    <ul class="plain">${grants.map((grant) => grantRow(grant, projects))}</ul>
  `
  const none = html`<p class="soft">${t('apps-none')}</p>`
  return html`
    <section class="panel" id="apps">
      <h2>${t('apps')}</h2>
      ${grants.length ? connected : none}
    </section>
  `
}

function grantRow(grant: Grant, projects: readonly Project[]): Html {
  const { uid, scopes, game_uid, created_at, expires_at } = grant
  const name = appName(grant.client_name)
  const project = projects.find((candidate) => candidate.uid === game_uid)?.name
  const details = [
    joinTexts(scopes.map(scopeText), '; '),
    game_uid && (project ? t('app-only-project', { project }) : t('app-only-one-project')),
    t('app-dates', { connected: formatDate(created_at), expires: formatDate(expires_at) }),
  ]
  return html`
    <li class="key-row">
      <div>
        <strong>${name}</strong>
        <p class="soft">${joinTexts(details, ' · ')}</p>
      </div>
      <form method="post" action="/account/apps/${uid}/delete">
        <button class="button button-danger button-small">
          ${richText('revoke-named', { name, hidden: hiddenText })}
        </button>
      </form>
    </li>
  `
}

const activityColumns = [
  t('activity-time'),
  t('activity-key'),
  t('activity-call'),
  t('activity-status'),
]

/** The activity of all keys and apps, revoked ones included. */
export function activityPanel(activity: Calls): Html {
  const rows = activity.calls.map(({ at, credential_name, tool, method, path, status }) => [
    dateTimeTag(at),
    appName(credential_name),
    html`<code>${tool ?? `${method} ${path}`}</code>`,
    status,
  ])
  const log = html`
    <p class="soft">${t('activity-text', { days: retention.call_log_days })}</p>
    ${table(t('activity'), activityColumns, rows)}
    ${pager('/account/keys', activity)}
  `
  const none = html`
    <p class="soft">${t('activity-none', { days: retention.call_log_days })}</p>`
  return html`
    <section class="panel" id="done">
      <h2>${t('activity-title')}</h2>
      ${activity.total ? log : none}
    </section>
  `
}

export const revokeApp = postForm('/account/apps/:uid/delete', 'Revoke the access of an app', {
  auth: member,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    await readApi(request, endGrantRoute, { params })
    return redirectTo(reply, '/account/keys#apps', t('app-revoked'))
  },
})
