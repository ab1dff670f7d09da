import { Type } from 'typebox'
import { describeScope } from '../../accounts/keys/scopes.ts'
import {
  answerRequest,
  type Request,
  readRequest,
  requestMark,
} from '../../agents/oauth/consent.ts'
import { runnableListings } from '../../agents/oauth/queries.ts'
import { refuse } from '../../core/runtime/errors.ts'
import {
  button,
  choiceField,
  fieldValue,
  fieldValues,
  isChecked,
  selectField,
} from '../components/form.ts'
import { html } from '../components/html.ts'
import { page } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

/** Not empty, which a browser takes for no choice. */
const EVERYTHING = 'all'
const params = Type.Object({ uid: Type.String() })

/** The answer goes back to the client by redirects, which the browser counts as part of sending the form. */
const answersTo = ({ redirect_uri }: Request) => {
  const { protocol, origin } = new URL(redirect_uri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

export const showConsent = getPage('/oauth/consent/:uid', 'Let an app in, or not', {
  auth: member,
  params,
  async handle(input) {
    const { core, sql, who, request, reply } = input
    const asked = await readRequest(core, request, reply)
    const developer = asked.server.kind === 'agent'
    const listings = developer ? await runnableListings(sql, who.user_uid) : []
    const state = { values: { scopes: asked.scopes, game_uid: EVERYTHING } }
    const needs_mode = developer && !who.developer
    return page(input, {
      title: 'Let an app in? · Slipway',
      noindex: true,
      form_action: answersTo(asked),
      body: html`<section class="narrow">
        <h1>Let ${asked.client_name} in?</h1>
        <p>An app${asked.document_host && html` described at <strong>${asked.document_host}</strong>`} wants to act for you, <strong>${who.username}</strong>, through
        ${asked.server.title}. The name is what it calls itself. Its answers go to <strong>${asked.answers_to}</strong>. If you did not start this just now, say no.</p>
        ${asked.on_device && html`<p class="notice notice-bad" role="note">That is a program on this device, and any program here could use that name: go on only if you started it yourself.</p>`}
        ${
          needs_mode
            ? html`<p class="notice notice-bad" role="alert">This needs developer mode. <a href="/settings">Turn it on in your settings</a>, then come back to this page.</p>`
            : html`<form class="form" method="post" action="/oauth/consent/${asked.uid}">
          <input type="hidden" name="mark" value="${requestMark(asked)}">
          ${choiceField(state, { name: 'scopes', label: 'It may', type: 'checkbox', options: asked.scopes.map((scope) => ({ value: scope, label: describeScope(scope), hint: scope })) })}
          ${developer && selectField(state, { name: 'game_uid', label: 'In', required: true, options: [{ value: EVERYTHING, label: 'All my projects' }, ...listings.map(({ uid, name }) => ({ value: uid, label: `Only ${name}` }))] })}
          <p class="hint">For 30 days at most. You can take it back any time, and see everything it did, on the page of <a href="/account/keys#apps">your keys</a>.</p>
          ${button('Let it in', { name: 'allow', value: 'yes' })} ${button('No', { kind: 'quiet' })}
        </form>`
        }
      </section>`,
    })
  },
})

export const sendConsent = postForm('/oauth/consent/:uid', 'Let an app in, or not', {
  auth: member,
  params,
  async handle({ core, who, request, reply, body }) {
    const asked = await readRequest(core, request, reply)
    if (fieldValue(body, 'mark') !== requestMark(asked)) refuse('CROSS_SITE_REQUEST')
    const game_uid = fieldValue(body, 'game_uid')
    const answer = {
      allow: isChecked(body, 'allow'),
      scopes: fieldValues(body, 'scopes'),
      game_uid: game_uid && game_uid !== EVERYTHING ? game_uid : null,
    }
    const to = await answerRequest(core, who, request, reply, answer)
    return redirectTo(reply, new URL(to).pathname)
  },
})
