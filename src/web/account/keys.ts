import { Type } from 'typebox'
import { agentKeyRoutes, MAX_KEY_NAME, playerKeyRoutes } from '../../accounts/keys/routes.ts'
import { agentScopes, operatorScopes, playerScopes } from '../../accounts/keys/scopes.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { listGrantsRoute } from '../../agents/oauth/routes.ts'
import { listMyCalls } from '../../agents/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { t } from '../../core/text/text.ts'
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
import { type Html, hiddenText, html, richText, strongText } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { pageNumber } from '../components/pager.ts'
import { copyText } from '../components/secret-field.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { activityPanel, appsPanel, type Project } from './apps.ts'
import { scopeText } from './scope-text.ts'
import { accountTabs } from './tabs.ts'

type Kind = 'player' | 'agent'
type Key = RouteData<typeof playerKeyRoutes.list>['keys'][number]

const kinds = {
  player: {
    title: t('player-keys'),
    description: t('player-keys-text'),
    routes: playerKeyRoutes,
  },
  agent: {
    title: t('agent-keys'),
    description: t('agent-keys-text'),
    routes: agentKeyRoutes,
  },
} as const

/** What a person can give to a key of this kind. */
const scopesFor = (kind: Kind, { developer, operator }: Identity): readonly string[] =>
  kind === 'player'
    ? playerScopes
    : [...(developer ? agentScopes : []), ...(operator ? operatorScopes : [])]

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
    title: withStoreName(context.core, t('nav-keys')),
    noindex: true,
    scripts: ['copy.mjs'],
    body: html`
      <h1>${t('nav-keys')}</h1>
      ${accountTabs('/account/keys')}
      ${created && createdKey(created)}
      ${keyPanel({ kind: 'player', who, keys: player.keys, state: forms.player })}
      ${
        who.developer || who.operator
          ? keyPanel({ kind: 'agent', who, keys: agent.keys, state: forms.agent, projects })
          : developerModeNeeded
      }
      ${appsPanel(grants, projects)}
      ${activityPanel(activity)}
    `,
  })
}

const developerModeNeeded = html`
  <section class="panel">
    <h2>${t('agent-keys')}</h2>
    <p>${richText('agent-keys-need-developer', { link: linkTo('/settings#developer') })}</p>
  </section>
`

const createdKey = ({ name, key }: { name: string; key: string }): Html => html`
  <section class="panel new-key" role="status">
    <h2>${icon('key')} ${name}</h2>
    <p>${richText('new-key-text', { strong: strongText })}</p>
    ${copyText(html`<code>${key}</code>`, 'key')}
  </section>
`

type KeyPanel = {
  kind: Kind
  who: Identity
  keys: readonly Key[]
  state: FormState | undefined
  projects?: readonly Project[]
}

function keyPanel({ kind, who, keys, state = emptyForm, projects = [] }: KeyPanel): Html {
  const { title, description } = kinds[kind]
  const open = (state.refused || !keys.length) && html` open`
  return html`
    <section class="panel" id="${kind}">
      <h2>${title}</h2>
      <p class="soft">${description}</p>
      ${keys.length > 0 && html`<ul class="plain">${keys.map((key) => keyRow(kind, key))}</ul>`}
      <details${open}>
        <summary>${t('create-a-key')}</summary>
        ${formMessage(state, ['name', 'scopes', 'game_uid'])}
        ${keyForm({ kind, who, state, projects })}
      </details>
    </section>
  `
}

const keyRow = (kind: Kind, { uid, name, scopes, prefix, created_at }: Key) => html`
  <li class="key-row">
    <div>
      <strong>${name}</strong>
      <code>${prefix}…</code>
      <p class="soft">
        ${t('key-details', { scopes: scopes.join(', '), date: formatDate(created_at) })}
      </p>
    </div>
    <form method="post" action="/account/keys/${kind}/${uid}/delete">
      <button class="button button-danger button-small">
        ${richText('revoke-named', { name, hidden: hiddenText })}
      </button>
    </form>
  </li>
`

type KeyForm = { kind: Kind; who: Identity; state: FormState; projects: readonly Project[] }

function keyForm({ kind, who, state, projects }: KeyForm): Html {
  const projectField = selectField(state, {
    name: 'game_uid',
    label: t('project'),
    options: [
      { value: '', label: t('all-my-projects') },
      ...projects.map(({ uid, name }) => ({ value: uid, label: name })),
    ],
  })
  return html`
    <form class="form" method="post" action="/account/keys/${kind}">
      ${textField(state, {
        name: 'name',
        label: t('key-name'),
        required: true,
        maxlength: MAX_KEY_NAME,
      })}
      ${choiceField(state, {
        name: 'scopes',
        label: t('permissions'),
        type: 'checkbox',
        options: scopesFor(kind, who).map((scope) => ({
          value: scope,
          label: scope,
          hint: scopeText(scope),
        })),
      })}
      ${projects.length > 0 && projectField}
      ${button(t('create-key'), { kind: 'quiet' })}
    </form>
  `
}

const kindOf = (text: string): Kind =>
  text === 'player' || text === 'agent' ? text : refuse('NOT_FOUND')

export const keysPage = getPage('/account/keys', 'Keys page', {
  auth: member,
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  handle: (input) => renderKeys(input, { calls_page: pageNumber(input.query.page) }),
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
    return redirectTo(reply, '/account/keys', t('key-revoked'))
  },
})
