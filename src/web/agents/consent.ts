import { Type } from 'typebox'
import { isOperatorScope } from '../../accounts/keys/scopes.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { serverNames } from '../../agents/mcp/tool-servers.ts'
import {
  answerRequest,
  type ConsentRequest,
  offeredScopes,
  readRequest,
  requestMark,
} from '../../agents/oauth/consent.ts'
import { GRANT_SECONDS } from '../../agents/oauth/provider.ts'
import { managedListings } from '../../agents/oauth/queries.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { DAY } from '../../core/runtime/units.ts'
import { t } from '../../core/text/text.ts'
import { scopeText } from '../account/scope-text.ts'
import { withField } from '../call.ts'
import {
  button,
  choiceField,
  type FormState,
  fieldValue,
  fieldValues,
  isChecked,
  rejectedForm,
  selectField,
} from '../components/form.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
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
    return renderConsent(input, await readRequest(input.core, input.request, input.reply))
  },
})

type ConsentContext = Context & { who: Identity }

/** The request with its form; `state` is that of a rejected one. */
async function renderConsent(context: ConsentContext, access: ConsentRequest, state?: FormState) {
  const { core, who } = context
  const scopes = await offeredScopes(core, who, access)
  // Scopes of operators are for the whole store.
  const has_projects = access.server.kind === 'agent' && !scopes.every(isOperatorScope)
  const projects = has_projects ? await managedListings(core.sql, who.user_uid) : undefined
  const form = () =>
    consentForm(state ?? { values: { scopes, game_uid: ALL_PROJECTS } }, access, {
      scopes,
      projects,
    })
  return narrowPage(context, {
    title: t('connect-app'),
    heading: t('connect-heading', { app: access.client_name }),
    form_action: redirectOrigin(access),
    body: html`
      ${explanation(core, access, who.username)}
      ${access.on_device && deviceWarning}
      ${scopes.some(isOperatorScope) && operatorWarning}
      ${scopes.length ? form() : missingRight(access)}
    `,
  })
}

function explanation(core: Core, access: ConsentRequest, username: string): Html {
  const args = {
    username,
    server: serverNames(core, access.server).title,
    target: access.answers_to,
    strong: strongText,
  }
  const text = access.document_host
    ? richText('connect-text-described', { ...args, host: access.document_host })
    : richText('connect-text', args)
  return html`<p>${text}</p>`
}

const deviceWarning = html`
  <p class="notice notice-bad" role="note">${t('connect-on-device')}</p>
`

const developerModeNeeded = html`
  <p class="notice notice-bad" role="alert">
    ${richText('connect-needs-developer', { link: linkTo('/settings') })}
  </p>
`

const operatorWarning = html`
  <p class="notice notice-bad" role="note">${t('connect-operator')}</p>
`

const operatorNeeded = html`
  <p class="notice notice-bad" role="alert">${t('connect-needs-operator')}</p>
`

/** Why the person can grant none of the requested scopes. */
const missingRight = ({ scopes }: ConsentRequest): Html =>
  scopes.every(isOperatorScope) ? operatorNeeded : developerModeNeeded

type Choices = {
  scopes: readonly string[]
  /** Undefined where access is not for projects. */
  projects: readonly { uid: string; name: string }[] | undefined
}

function consentForm(
  state: FormState,
  access: ConsentRequest,
  { scopes, projects }: Choices,
): Html {
  const projectField = (projects: NonNullable<Choices['projects']>) =>
    selectField(state, {
      name: 'game_uid',
      label: t('projects'),
      required: true,
      options: [
        { value: ALL_PROJECTS, label: t('all-my-projects') },
        ...projects.map(({ uid, name }) => ({
          value: uid,
          label: t('only-project', { project: name }),
        })),
      ],
    })
  return html`
    <form class="form" method="post" action="/oauth/consent/${access.uid}">
      <input type="hidden" name="mark" value="${requestMark(access)}">
      ${choiceField(state, {
        name: 'scopes',
        label: t('permissions'),
        type: 'checkbox',
        options: scopes.map((scope) => ({
          value: scope,
          label: scopeText(scope),
          hint: scope,
        })),
      })}
      ${projects && projectField(projects)}
      <p class="hint">
        ${richText('connect-duration', {
          days: GRANT_SECONDS / DAY,
          link: linkTo('/account/keys#apps'),
        })}
      </p>
      ${button(t('connect'), { name: 'allow', value: 'yes' })}
      ${button(t('cancel'), { kind: 'quiet' })}
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
    try {
      const next = await answerRequest(input, answer)
      return redirectTo(reply, new URL(next).pathname)
    } catch (error) {
      // Another choice of projects is possible; every other refusal has a page of its own.
      if (!(error instanceof Refusal) || error.data?.['field'] !== 'game_uid') throw error
      const { status, code, message, reasons, data } = error
      const refused = withField({ ok: false, status, code, message, reasons, details: data })
      reply.code(status)
      return renderConsent(input, access, rejectedForm(body, refused))
    }
  },
})
