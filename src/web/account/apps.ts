import { Type } from 'typebox'
import { describeScope } from '../../accounts/keys/scopes.ts'
import { endGrantRoute, type listGrantsRoute } from '../../agents/oauth/routes.ts'
import type { listMyCalls } from '../../agents/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { retention } from '../../core/runtime/retention.ts'
import type { listListings } from '../../listings/listing/routes.ts'
import { readApi } from '../call.ts'
import { dateTimeTag, formatDate } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { pager } from '../components/pager.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

type Grant = RouteData<typeof listGrantsRoute>['grants'][number]
type Calls = RouteData<typeof listMyCalls>
export type Project = RouteData<typeof listListings>['items'][number]

const appName = (name: string) => name || 'Unnamed app'

/** The apps that may act for the person, with the button that revokes their access. */
export function appsPanel(grants: readonly Grant[], projects: readonly Project[]): Html {
  const connected = html`
    <p class="soft">
      These apps act for you until their access expires or you revoke it. Revoking ends their
      tokens at once.
    </p>
    <ul class="plain">${grants.map((grant) => grantRow(grant, projects))}</ul>
  `
  const none = html`
    <p class="soft">No apps. An app that wants to act for you asks you on a page of this site.</p>
  `
  return html`
    <section class="panel" id="apps">
      <h2>Connected apps</h2>
      ${grants.length ? connected : none}
    </section>
  `
}

function grantRow(grant: Grant, projects: readonly Project[]): Html {
  const { uid, scopes, game_uid, created_at, expires_at } = grant
  const name = appName(grant.client_name)
  const project = projects.find((candidate) => candidate.uid === game_uid)?.name ?? 'one project'
  const details = [
    scopes.map(describeScope).join('; '),
    game_uid && `only ${project}`,
    `connected ${formatDate(created_at)}, expires ${formatDate(expires_at)}`,
  ].filter(Boolean)
  return html`
    <li class="key-row">
      <div>
        <strong>${name}</strong>
        <p class="soft">${details.join(' · ')}</p>
      </div>
      <form method="post" action="/account/apps/${uid}/delete">
        <button class="button button-danger button-small">
          Revoke<span class="sr"> ${name}</span>
        </button>
      </form>
    </li>
  `
}

/** The activity of all keys and apps, revoked ones included. */
export function activityPanel(activity: Calls): Html {
  const rows = activity.calls.map(({ at, credential_name, tool, method, path, status }) => [
    dateTimeTag(at),
    appName(credential_name),
    html`<code>${tool ?? `${method} ${path}`}</code>`,
    status,
  ])
  const log = html`
    <p class="soft">
      Every call of the last ${retention.call_log_days} days, newest first, including rejected ones.
    </p>
    ${table('Activity', ['Time', 'Key or app', 'Call', 'Status'], rows)}
    ${pager('/account/keys', activity)}
  `
  const none = html`
    <p class="soft">No activity in the last ${retention.call_log_days} days.</p>`
  return html`
    <section class="panel" id="done">
      <h2>Activity of keys and apps</h2>
      ${activity.total ? log : none}
    </section>
  `
}

export const revokeApp = postForm('/account/apps/:uid/delete', 'Revoke the access of an app', {
  auth: member,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    await readApi(request, endGrantRoute, { params })
    return redirectTo(reply, '/account/keys#apps', 'The access of the app is revoked')
  },
})
