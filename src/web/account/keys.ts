import { Type } from 'typebox'
import { agentKeyRoutes, MAX_KEY_NAME, playerKeyRoutes } from '../../accounts/keys/routes.ts'
import { agentScopes, describeScope, playerScopes } from '../../accounts/keys/scopes.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { listGrantsRoute } from '../../agents/oauth/routes.ts'
import { listMyCalls } from '../../agents/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { listListings } from '../../listings/listing/routes.ts'
import { callApi, readApi } from '../call.ts'
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
import { activityPanel, appsPanel, type Project } from './apps.ts'
import { accountTabs } from './tabs.ts'

type Kind = 'player' | 'agent'
type Key = RouteData<typeof playerKeyRoutes.list>['keys'][number]

const kinds = {
  player: {
    title: 'Player keys',
    description: 'For launchers, editors and scripts that play and download as you.',
    scopes: playerScopes,
    routes: playerKeyRoutes,
  },
  agent: {
    title: 'Agent keys',
    description: 'For programs and AI agents that work on your projects.',
    scopes: agentScopes,
    routes: agentKeyRoutes,
  },
} as const

type View = {
  forms?: Partial<Record<Kind, FormState>>
  /** A key that was just created, which only this page shows. */
  created?: { name: string; key: string }
  calls_page?: number
}

async function renderKeys(context: Context & { who: Identity }, view: View = {}) {
  const { request, who } = context
  const { forms = {}, created, calls_page = 1 } = view
  const [player, agent, { grants }, activity, { items: projects }] = await Promise.all([
    readApi(request, playerKeyRoutes.list),
    readApi(request, agentKeyRoutes.list),
    readApi(request, listGrantsRoute),
    readApi(request, listMyCalls, { query: { page: calls_page } }),
    who.developer ? readApi(request, listListings) : { items: [] },
  ])
  return page(context, {
    title: 'Keys · Slipway',
    noindex: true,
    scripts: ['copy.mjs'],
    body: html`
      <h1>Keys</h1>
      ${accountTabs('/account/keys')}
      ${created && createdKey(created)}
      ${keyPanel('player', player.keys, forms.player)}
      ${who.developer ? keyPanel('agent', agent.keys, forms.agent, projects) : developerModeNeeded}
      ${appsPanel(grants, projects)}
      ${activityPanel(activity)}
    `,
  })
}

const developerModeNeeded = html`
  <section class="panel">
    <h2>Agent keys</h2>
    <p>Agent keys require <a href="/settings#developer">developer mode</a>.</p>
  </section>
`

const createdKey = ({ name, key }: { name: string; key: string }): Html => html`
  <section class="panel new-key" role="status">
    <h2>${icon('key')} ${name}</h2>
    <p>
      <strong>Copy this key now. You will not see it again.</strong> We store only a hash of it.
    </p>
    <copy-text class="key"><code>${key}</code></copy-text>
  </section>
`

function keyPanel(
  kind: Kind,
  keys: readonly Key[],
  state: FormState = emptyForm,
  projects: readonly Project[] = [],
): Html {
  const { title, description } = kinds[kind]
  const open = (state.refused || !keys.length) && html` open`
  return html`
    <section class="panel" id="${kind}">
      <h2>${title}</h2>
      <p class="soft">${description} A revoked key stops working within a second.</p>
      ${keys.length > 0 && html`<ul class="plain">${keys.map((key) => keyRow(kind, key))}</ul>`}
      <details${open}>
        <summary>Create a key</summary>
        ${formMessage(state, ['name', 'scopes', 'game_uid'])}
        ${keyForm(kind, state, projects)}
      </details>
    </section>
  `
}

const keyRow = (kind: Kind, { uid, name, scopes, prefix, created_at }: Key) => html`
  <li class="key-row">
    <div>
      <strong>${name}</strong>
      <code>${prefix}…</code>
      <p class="soft">${scopes.join(', ')} · created ${formatDate(created_at)}</p>
    </div>
    <form method="post" action="/account/keys/${kind}/${uid}/delete">
      <button class="button button-danger button-small">
        Revoke<span class="sr"> ${name}</span>
      </button>
    </form>
  </li>
`

function keyForm(kind: Kind, state: FormState, projects: readonly Project[]): Html {
  const projectField = selectField(state, {
    name: 'game_uid',
    label: 'Project',
    options: [
      { value: '', label: 'All my projects' },
      ...projects.map(({ uid, name }) => ({ value: uid, label: name })),
    ],
  })
  return html`
    <form class="form" method="post" action="/account/keys/${kind}">
      ${textField(state, { name: 'name', label: 'Name', required: true, maxlength: MAX_KEY_NAME })}
      ${choiceField(state, {
        name: 'scopes',
        label: 'Permissions',
        type: 'checkbox',
        options: kinds[kind].scopes.map((scope) => ({
          value: scope,
          label: scope,
          hint: describeScope(scope),
        })),
      })}
      ${projects.length > 0 && projectField}
      ${button('Create key', { kind: 'quiet' })}
    </form>
  `
}

const kindOf = (text: string): Kind =>
  text === 'player' || text === 'agent' ? text : refuse('NOT_FOUND')

export const keysPage = getPage('/account/keys', 'Keys page', {
  auth: member,
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  handle: (input) => renderKeys(input, { calls_page: input.query.page }),
})

type NewKey = NonNullable<(typeof playerKeyRoutes.create)['types']>['body']

/** Answers with a page instead of a redirect, since the key is not stored anywhere. */
export const submitKey = postForm('/account/keys/:kind', 'Create a key', {
  auth: member,
  params: Type.Object({ kind: Type.String() }),
  async handle(input) {
    const { request, reply, body } = input
    const kind = kindOf(input.params.kind)
    const game_uid = fieldValue(body, 'game_uid')
    const new_key = {
      name: fieldValue(body, 'name'),
      // The API rejects unknown scopes.
      scopes: fieldValues(body, 'scopes') as NewKey['scopes'],
      ...(game_uid && { game_uid }),
    }
    const answer = await callApi(request, kinds[kind].routes.create, { body: new_key })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderKeys(input, { forms: { [kind]: rejectedForm(body, answer) } })
    }
    return renderKeys(input, { created: answer.data })
  },
})

export const revokeKey = postForm('/account/keys/:kind/:uid/delete', 'Revoke a key', {
  auth: member,
  params: Type.Object({ kind: Type.String(), uid: Type.String() }),
  async handle({ request, reply, params: { kind, uid } }) {
    await readApi(request, kinds[kindOf(kind)].routes.revoke, { params: { uid } })
    return redirectTo(reply, '/account/keys', 'The key is revoked')
  },
})
