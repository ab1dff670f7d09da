import { Type } from 'typebox'
import { agentScopes, describeScope, playerScopes } from '../../accounts/keys/scopes.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { call, read, toRefusal } from '../call.ts'
import {
  button,
  choiceField,
  emptyForm,
  type FormState,
  fieldValue,
  fieldValues,
  formMessage,
  rejectedForm,
  selectField,
  textField,
} from '../components/form.ts'
import { formatDate } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { type Context, page } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { appsPart, type Calls, callsPart, type Grant } from './apps.ts'
import { accountTabs } from './tabs.ts'

type Key = {
  uid: string
  name: string
  scopes: string[]
  prefix: string
  game_uid: string | null
  created_at: string
}
type Kind = 'player' | 'agent'
const kinds = {
  player: {
    title: 'Player keys',
    line: 'For launchers, editors and scripts that play and download as you.',
    scopes: playerScopes,
  },
  agent: {
    title: 'Agent keys',
    line: 'For programs and AI agents that work on your projects.',
    scopes: agentScopes,
  },
} as const

type Shown = {
  forms?: Partial<Record<Kind, FormState>>
  made?: { kind: Kind; key: string; name: string }
  calls_page?: number
}

async function keysPage(
  context: Context & { who: Identity },
  { forms = {}, made, calls_page = 1 }: Shown = {},
) {
  const { request, who } = context
  const [player, agent, { grants }, calls, projects] = await Promise.all([
    read<{ keys: Key[] }>(request, '/api/v1/private/account/player-keys'),
    read<{ keys: Key[] }>(request, '/api/v1/private/account/agent-keys'),
    read<{ grants: Grant[] }>(request, '/api/v1/private/account/agent-access'),
    read<Calls>(request, `/api/v1/private/account/agent-calls?page=${calls_page}`),
    who.developer ? read(request, '/api/v1/private/games') : { items: [] },
  ])
  return page(context, {
    title: 'Keys · Slipway',
    noindex: true,
    scripts: ['copy.mjs'],
    body: html`<h1>Keys</h1>${accountTabs('/account/keys')}${made && shownOnce(made)}
${keyPart('player', player.keys, forms.player ?? emptyForm)}${who.developer ? keyPart('agent', agent.keys, forms.agent ?? emptyForm, projects.items) : html`<section class="panel"><h2>Agent keys</h2><p>They need <a href="/settings#developer">developer mode</a>.</p></section>`}
${appsPart(grants, projects.items)}${callsPart(calls)}`,
  })
}

const shownOnce = ({
  name,
  key,
}: {
  name: string
  key: string
}): Html => html`<section class="panel made" role="status"><h2>${icon('key')} ${name}</h2>
<p><strong>Copy it now: it is shown this once.</strong> We keep only a fingerprint of it.</p><copy-text class="key"><code>${key}</code></copy-text></section>`

function keyPart(
  kind: Kind,
  keys: readonly Key[],
  state: FormState,
  projects: readonly { uid: string; name: string }[] = [],
): Html {
  const { title, line, scopes } = kinds[kind]
  const row = ({ uid, name, scopes, prefix, created_at }: Key) =>
    html`<li class="key-row"><div><strong>${name}</strong> <code>${prefix}…</code><p class="soft">${scopes.join(', ')} · ${formatDate(created_at)}</p></div><form method="post" action="/account/keys/${kind}/${uid}/delete"><button class="button button-danger button-small">Revoke<span class="sr"> ${name}</span></button></form></li>`
  const options = scopes.map((scope) => ({
    value: scope,
    label: scope,
    hint: describeScope(scope),
  }))
  return html`<section class="panel" id="${kind}"><h2>${title}</h2><p class="soft">${line} A revoked key stops within a second.</p>
${keys.length > 0 && html`<ul class="plain">${keys.map(row)}</ul>`}
<details${(state.refused || !keys.length) && html` open`}><summary>Make a new fieldValue</summary>${formMessage(state, ['name', 'scopes', 'game_uid'])}<form class="form" method="post" action="/account/keys/${kind}">
${textField(state, { name: 'name', label: 'What is it for?', required: true, maxlength: 80 })}${choiceField(state, { name: 'scopes', label: 'It may', type: 'checkbox', options })}
${projects.length > 0 && selectField(state, { name: 'game_uid', label: 'Only for', options: [{ value: '', label: 'All my projects' }, ...projects.map(({ uid, name }) => ({ value: uid, label: name }))] })}${button('Make the key', { kind: 'quiet' })}</form></details></section>`
}

const kindOf = (text: string): Kind =>
  text === 'player' || text === 'agent' ? text : refuse('NOT_FOUND')

export const showKeys = getPage('/account/keys', 'Keys', {
  auth: member,
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  handle: (input) => keysPage(input, { calls_page: input.query.page }),
})

/** The answer is a page, not a redirect: the key stands nowhere else. */
export const sendKey = postForm('/account/keys/:kind', 'Make a key', {
  auth: member,
  params: Type.Object({ kind: Type.String() }),
  async handle(input) {
    const { request, reply, body } = input
    const kind = kindOf(input.params.kind)
    const game_uid = fieldValue(body, 'game_uid')
    const asked = {
      name: fieldValue(body, 'name'),
      scopes: fieldValues(body, 'scopes'),
      ...(game_uid && { game_uid }),
    }
    const answer = await call(request, 'POST', `/api/v1/private/account/${kind}-keys`, asked)
    if (!answer.ok)
      return keysPage(
        { ...input, reply: reply.code(answer.status) },
        { forms: { [kind]: rejectedForm(body, answer) } },
      )
    return keysPage(input, { made: { kind, key: answer.data.key, name: answer.data.name } })
  },
})

export const sendKeyAway = postForm('/account/keys/:kind/:uid/delete', 'Revoke a key', {
  auth: member,
  params: Type.Object({ kind: Type.String(), uid: Type.String() }),
  async handle({ request, reply, params }) {
    const answer = await call(
      request,
      'DELETE',
      `/api/v1/private/account/${kindOf(params.kind)}-keys/${encodeURIComponent(params.uid)}`,
    )
    if (!answer.ok) throw toRefusal(answer)
    return redirectTo(reply, '/account/keys', 'The key is revoked')
  },
})
