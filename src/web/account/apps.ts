import { Type } from 'typebox'
import { describeScope } from '../../accounts/keys/scopes.ts'
import { call, toRefusal } from '../call.ts'
import { dateTimeTag, formatDate } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { pager } from '../components/pager.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

export type Grant = {
  uid: string
  client_name: string
  scopes: string[]
  game_uid: string | null
  created_at: string
  expires_at: string
}
type Call = {
  at: string
  credential_name: string
  tool: string | null
  method: string
  path: string
  status: number
}
export type Calls = { calls: Call[]; page: number; page_size: number; total: number }
type Project = { uid: string; name: string }

const named = (name: string) => name || 'An app without a name'

/** What the consent page promises: whom you let in, and the way to take it back. */
export function appsPart(grants: readonly Grant[], projects: readonly Project[]): Html {
  const only = (game_uid: string) =>
    `only ${projects.find(({ uid }) => uid === game_uid)?.name ?? 'one project'}`
  const row = ({ uid, client_name, scopes, game_uid, created_at, expires_at }: Grant) =>
    html`<li class="key-row"><div><strong>${named(client_name)}</strong><p class="soft">${scopes.map(describeScope).join('; ')}${game_uid && ` · ${only(game_uid)}`} · let in ${formatDate(created_at)}, until ${formatDate(expires_at)}</p></div><form method="post" action="/account/apps/${uid}/delete"><button class="button button-danger button-small">Revoke<span class="sr"> ${named(client_name)}</span></button></form></li>`
  return html`<section class="panel" id="apps"><h2>Apps you let in</h2>${
    grants.length
      ? html`<p class="soft">They act for you until their time is over, or until you take it back: then their tokens end at once.</p><ul class="plain">${grants.map(row)}</ul>`
      : html`<p class="soft">None. An app that wants to act for you asks you first, on a page of ours.</p>`
  }</section>`
}

/** Everything that was done for you by keys and apps, those that are revoked too. */
export const callsPart = (calls: Calls): Html =>
  html`<section class="panel" id="done"><h2>What keys and apps did</h2>${
    calls.total
      ? html`<p class="soft">Every call of the last 90 days, newest first, refused ones too.</p>${table(
          'What keys and apps did',
          ['When', 'Who', 'What', 'Answer'],
          calls.calls.map(({ at, credential_name, tool, method, path, status }) => [
            ...[dateTimeTag(at), named(credential_name)],
            html`<code>${tool ?? `${method} ${path}`}</code>`,
            status,
          ]),
        )}${pager('/account/keys', calls)}`
      : html`<p class="soft">Nothing in 90 days.</p>`
  }</section>`

export const sendAppAway = postForm('/account/apps/:uid/delete', 'Take an app’s access away', {
  auth: member,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    const answer = await call(
      request,
      'DELETE',
      `/api/v1/private/account/agent-access/${encodeURIComponent(params.uid)}`,
    )
    if (!answer.ok) throw toRefusal(answer)
    return redirectTo(reply, '/account/keys#apps', 'Its access is taken away')
  },
})
