import { createDeployKey, deleteDeployKeys, listDeployKeys } from '../../../builds/keys/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { readApi } from '../../call.ts'
import { formMessage } from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { confirmButton, copyable, postButton } from '../../components/secret-field.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
} from '../project-page.ts'

type DeployKey = RouteData<typeof listDeployKeys>['keys'][number]

const newKey = ({ access_token, secret_key }: Record<string, string>): Html => html`
  <div class="notice notice-ok" role="status">
    <div>
      <p>${richText('deploy-key-new', { strong: strongText })}</p>
      <p class="hint">SVC_ACCESS_TOKEN</p>
      ${copyable(access_token!, t('deploy-access-token'))}
      <p class="hint">SVC_SECRET_KEY</p>
      ${copyable(secret_key!, t('deploy-secret-key'))}
    </div>
  </div>`

const keyLine = ({ prefix, created_at }: DeployKey): Html => html`
  <p class="key">
    <code>svc_dat_${prefix.replace(/^svc_dat_/, '')}…</code>
    <span class="soft">${richText('deploy-key-created', { date: dateTimeTag(created_at) })}</span>
  </p>`

const keyButtons = (action: string): Html => html`
  ${confirmButton({
    label: t('secret-replace'),
    sentence: t('deploy-key-replace-text'),
    action,
    confirm: t('deploy-key-replace'),
  })}
  ${confirmButton({
    label: t('deploy-key-revoke-open'),
    sentence: t('deploy-key-revoke-text'),
    action: `${action}/revoke`,
    confirm: t('deploy-key-revoke'),
  })}`

/** The key that a build server uploads with. */
async function showDeployKeys(project: ProjectContext, result: FormResult) {
  const { request, uid, base } = project
  const { keys } = await readApi(request, listDeployKeys, { params: { uid } })
  const action = `${base}/deploy-keys`
  const create = postButton(t('deploy-key-create'), action, { kind: 'ink' })
  const about = richText('deploy-key-text', {
    link: (text) => html`<a href="/cli/slipway.mjs" download>${text}</a>`,
  })
  return renderSection(project, 'deploy-keys', {
    title: t('deploy-key'),
    body: html`
      <p>${about}</p>
      ${formMessage(formState(result, 'deploy', {}))}
      ${result.secrets?.secret_key && newKey(result.secrets)}
      ${keys.map(keyLine)}
      <div class="row">
        ${keys.length ? keyButtons(action) : create}
      </div>`,
  })
}

export const deployKeyRoutes = [
  projectPage('deploy-keys', 'The deploy key of a project', showDeployKeys),
  projectForm('deploy-keys', 'Create a deploy key', sendTo(createDeployKey), {
    form: 'deploy',
    show: showDeployKeys,
    reveal: ({ access_token, secret_key }) => ({ access_token, secret_key }),
  }),
  projectForm('deploy-keys/revoke', 'Revoke the deploy key', sendTo(deleteDeployKeys), {
    form: 'deploy',
    show: showDeployKeys,
    done: t('deploy-key-revoked'),
    back: 'deploy-keys',
  }),
]
