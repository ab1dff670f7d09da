import type { FastifyReply } from 'fastify'
import {
  readSharedSecretsRoute,
  replaceSharedSecretsRoute,
  resolveSharedSecretsRoute,
} from '../../bugs/shared-secrets/routes.ts'
import type { Route, RouteData } from '../../core/http/route.ts'
import { joinTexts, type Text, t } from '../../core/text/text.ts'
import { readApi } from '../call.ts'
import { type Html, html } from '../components/html.ts'
import { confirmButton } from '../components/secret-field.ts'
import { projectForm, sendTo } from './project-form.ts'
import type { FormResult, ProjectContext } from './project-page.ts'

type SharedSecrets = RouteData<typeof readSharedSecretsRoute>
type SecretName = SharedSecrets['secrets'][number]['name']

const secretNames: Record<SecretName, Text> = {
  signing_key: t('shared-secret-signing-key'),
  auth_key: t('shared-secret-auth-key'),
  web_api_key: t('shared-secret-web-api-key'),
}

const list = (secrets: SharedSecrets['secrets']): Html =>
  html`<ul>${secrets.map(({ name }) => html`<li>${secretNames[name]}</li>`)}</ul>`

const replaceParts = (base: string, secrets: SharedSecrets['secrets']): Html => html`
  <p>${t('shared-secrets-here')}</p>
  ${list(secrets)}
  ${confirmButton({
    label: t('shared-secrets-replace'),
    sentence: t('shared-secrets-replace-text'),
    action: `${base}/people/shared-secrets/replace`,
  })}`

const elsewhereParts = (secrets: SharedSecrets['secrets']): Html => html`
  <p>${t('shared-secrets-elsewhere')}</p>
  ${list(secrets)}`

/** For the owner, while people without a role may know secrets of the project. */
export async function sharedSecretsNotice(project: ProjectContext): Promise<Html | undefined> {
  const { base, is_owner, request, uid } = project
  if (!is_owner) return undefined
  const { people, secrets } = await readApi(request, readSharedSecretsRoute, { params: { uid } })
  if (!people.length) return undefined
  const usernames = [...new Set(people.map(({ username }) => username))]
  const former = usernames.map((username) => username ?? t('shared-secrets-deleted'))
  const here = secrets.filter(({ replaceable }) => replaceable)
  const elsewhere = secrets.filter(({ replaceable }) => !replaceable)
  return html`
    <section class="notice" id="shared-secrets" aria-label="${t('shared-secrets')}">
      <p>${t('shared-secrets-text', { people: joinTexts(former, ', ') })}</p>
      ${here.length > 0 && replaceParts(base, here)}
      ${elsewhere.length > 0 && elsewhereParts(elsewhere)}
      ${confirmButton({
        label: t('shared-secrets-done'),
        sentence: t('shared-secrets-done-text'),
        action: `${base}/people/shared-secrets/resolve`,
        danger: false,
      })}
    </section>`
}

type ShowPage = (project: ProjectContext, result: FormResult) => Promise<FastifyReply>

/** The forms of the notice; `show` renders the page again when one is refused. */
export const sharedSecretForms = (show: ShowPage): Route[] => {
  const page = { form: 'people', show, back: 'people' }
  return [
    projectForm(
      'people/shared-secrets/replace',
      'Replace the secrets that former admins could read',
      sendTo(replaceSharedSecretsRoute),
      { ...page, done: t('shared-secrets-replaced') },
    ),
    projectForm(
      'people/shared-secrets/resolve',
      'Say that the secrets that former admins could read are replaced',
      sendTo(resolveSharedSecretsRoute),
      { ...page, done: t('shared-secrets-resolved') },
    ),
  ]
}
