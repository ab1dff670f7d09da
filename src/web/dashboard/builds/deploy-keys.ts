import { createDeployKey, deleteDeployKeys, listDeployKeys } from '../../../builds/keys/routes.ts'
import type { Route, RouteData } from '../../../core/http/route.ts'
import { readApi } from '../../call.ts'
import { formMessage } from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton, copyable, postButton } from '../../components/secret-field.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'

type DeployKey = RouteData<typeof listDeployKeys>['keys'][number]

const newKey = ({ access_token, secret_key }: Record<string, string>): Html => html`
  <div class="notice notice-ok" role="status">
    <div>
      <p>
        <strong>Copy both values now; they are shown only once.</strong>
        Save them as secrets of your build server.
      </p>
      <p class="hint">SVC_ACCESS_TOKEN</p>
      ${copyable(access_token!, 'the access token')}
      <p class="hint">SVC_SECRET_KEY</p>
      ${copyable(secret_key!, 'the secret key')}
    </div>
  </div>`

const keyLine = ({ prefix, created_at }: DeployKey): Html => html`
  <p class="key">
    <code>svc_dat_${prefix.replace(/^svc_dat_/, '')}…</code>
    <span class="soft">created ${dateTimeTag(created_at)}</span>
  </p>`

const keyButtons = (action: string): Html => html`
  ${confirmButton({
    label: 'Replace…',
    sentence:
      'The current key stops working at once. Uploads fail until your build server has the new ' +
      'one.',
    action,
    confirm: 'Replace deploy key',
  })}
  ${confirmButton({
    label: 'Revoke…',
    sentence: 'Build servers can no longer upload until you create a new key.',
    action: `${action}/revoke`,
    confirm: 'Revoke deploy key',
  })}`

/** The key that a build server uploads with. */
export async function deployKeySubsection(
  project: ProjectContext,
  result: FormResult,
): Promise<Html> {
  const { request, uid, base } = project
  const { keys } = await readApi(request, listDeployKeys, { params: { uid } })
  const action = `${base}/settings/deploy-keys`
  const create = postButton('Create deploy key', action, { kind: 'ink' })
  return subsection(
    'deploy-keys',
    'Deploy key',
    html`
      ${formMessage(formState(result, 'deploy', {}))}
      ${result.secrets?.secret_key && newKey(result.secrets)}
      ${keys.map(keyLine)}
      <div class="row">
        ${keys.length ? keyButtons(action) : create}
      </div>`,
    html`
      For the <a href="/cli/slipway.mjs" download>uploader</a> on your build server. It can register
      builds and upload files, symbols and images. It cannot edit the page, promote builds or read
      reports.`,
  )
}

export const deployKeyRoutes = (show: ShowPage): Route[] => [
  projectForm('settings/deploy-keys', 'Create a deploy key', sendTo(createDeployKey), {
    form: 'deploy',
    show,
    reveal: ({ access_token, secret_key }) => ({ access_token, secret_key }),
  }),
  projectForm('settings/deploy-keys/revoke', 'Revoke the deploy key', sendTo(deleteDeployKeys), {
    form: 'deploy',
    show,
    done: 'Deploy key revoked',
    back: 'settings#deploy-keys',
  }),
]
