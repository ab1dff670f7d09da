import { Type } from 'typebox'
import { describeScope } from '../../accounts/keys/scopes.ts'
import {
  answerRequest,
  type ConsentRequest,
  readRequest,
  requestMark,
} from '../../agents/oauth/consent.ts'
import { GRANT_SECONDS } from '../../agents/oauth/provider.ts'
import { managedListings } from '../../agents/oauth/queries.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { DAY } from '../../core/runtime/units.ts'
import {
  button,
  choiceField,
  fieldValue,
  fieldValues,
  isChecked,
  selectField,
} from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

/** Not empty, since browsers take an empty value for no choice. */
const ALL_PROJECTS = 'all'
const params = Type.Object({ uid: Type.String() })

/** Browsers count the redirects back to the client as part of submitting the form. */
const redirectOrigin = ({ redirect_uri }: ConsentRequest) => {
  const { protocol, origin } = new URL(redirect_uri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

export const consentPage = getPage('/oauth/consent/:uid', 'Request of an app for access', {
  auth: member,
  params,
  async handle(input) {
    const { core, sql, who, request, reply } = input
    const access = await readRequest(core, request, reply)
    const is_agent = access.server.kind === 'agent'
    const projects = is_agent ? await managedListings(sql, who.user_uid) : []
    return narrowPage(input, {
      title: 'Connect an app',
      heading: `Connect ${access.client_name}?`,
      form_action: redirectOrigin(access),
      body: html`
        ${explanation(access, who.username)}
        ${access.on_device && deviceWarning}
        ${is_agent && !who.developer ? developerModeNeeded : consentForm(access, projects)}
      `,
    })
  },
})

function explanation(access: ConsentRequest, username: string): Html {
  const described_at =
    access.document_host && html` described at <strong>${access.document_host}</strong>`
  return html`
    <p>
      An app${described_at} wants to act for you, <strong>${username}</strong>, through
      ${access.server.title}. The name above is what the app calls itself. Its answers go to
      <strong>${access.answers_to}</strong>. If you did not start this just now, choose
      “Cancel”.
    </p>
  `
}

const deviceWarning = html`
  <p class="notice notice-bad" role="note">
    This is a program on your device, and any program there could use this name. Continue only if
    you started it yourself.
  </p>
`

const developerModeNeeded = html`
  <p class="notice notice-bad" role="alert">
    This requires developer mode. <a href="/settings">Turn it on in your settings</a>, then return
    to this page.
  </p>
`

function consentForm(
  access: ConsentRequest,
  projects: readonly { uid: string; name: string }[],
): Html {
  const state = { values: { scopes: access.scopes, game_uid: ALL_PROJECTS } }
  const projectField = selectField(state, {
    name: 'game_uid',
    label: 'Projects',
    required: true,
    options: [
      { value: ALL_PROJECTS, label: 'All my projects' },
      ...projects.map(({ uid, name }) => ({ value: uid, label: `Only ${name}` })),
    ],
  })
  return html`
    <form class="form" method="post" action="/oauth/consent/${access.uid}">
      <input type="hidden" name="mark" value="${requestMark(access)}">
      ${choiceField(state, {
        name: 'scopes',
        label: 'Permissions',
        type: 'checkbox',
        options: access.scopes.map((scope) => ({
          value: scope,
          label: describeScope(scope),
          hint: scope,
        })),
      })}
      ${access.server.kind === 'agent' && projectField}
      <p class="hint">
        Access lasts up to ${GRANT_SECONDS / DAY} days. You can revoke it and see everything the app
        did at any time under <a href="/account/keys#apps">Keys</a>.
      </p>
      ${button('Connect', { name: 'allow', value: 'yes' })}
      ${button('Cancel', { kind: 'quiet' })}
    </form>
  `
}

export const submitConsent = postForm('/oauth/consent/:uid', 'Grant or deny access to an app', {
  auth: member,
  params,
  async handle(input) {
    const { core, request, reply, body } = input
    const access = await readRequest(core, request, reply)
    if (fieldValue(body, 'mark') !== requestMark(access)) refuse('CROSS_SITE_REQUEST')
    const game_uid = fieldValue(body, 'game_uid')
    const answer = {
      allow: isChecked(body, 'allow'),
      scopes: fieldValues(body, 'scopes'),
      game_uid: game_uid && game_uid !== ALL_PROJECTS ? game_uid : null,
    }
    const next = await answerRequest(input, answer)
    return redirectTo(reply, new URL(next).pathname)
  },
})
