import type { Route } from '../../../core/http/route.ts'
import { read } from '../../call.ts'
import { formMessage } from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton, copyable, postButton } from '../../components/secret-field.ts'
import { type Desk, deskForm, type Filled, formOf, type Show, section } from '../project-page.ts'

type Key = { uid: string; prefix: string; created_at: string }

const madeNow = ({
  access_token,
  secret_key,
}: Record<
  string,
  string
>): Html => html`<div class="notice notice-ok" role="status"><div><p><strong>The new pair, shown this once.</strong> Put it into the secrets of your build machine now.</p>
<p class="hint">SVC_ACCESS_TOKEN</p>${copyable(access_token!, 'the access token')}<p class="hint">SVC_SECRET_KEY</p>${copyable(secret_key!, 'the secret key')}</div></div>`

/** The pair of keys a build machine uploads with. */
export async function deployKeyPart(desk: Desk, filled: Filled): Promise<Html> {
  const { keys } = await read<{ keys: Key[] }>(desk.request, `${desk.api}/deploy-keys`)
  const { base } = desk
  const made = filled.shown?.secret_key ? filled.shown : undefined
  return section(
    'deploy-keys',
    'Deploy key',
    html`${formMessage(formOf(filled, 'deploy', {}))}${made && madeNow(made)}
${keys.map(({ prefix, created_at }) => html`<p class="key"><code>svc_dat_${prefix.replace(/^svc_dat_/, '')}…</code><span class="soft">since ${dateTimeTag(created_at)}</span></p>`)}
<div class="row">${
      keys.length
        ? html`${confirmButton({ label: 'New pair…', sentence: 'The pair you have stops at once: build machines that use it are refused until they have the new one.', action: `${base}/settings/deploy-keys`, confirm: 'Make a new pair' })}${confirmButton({ label: 'Revoke…', sentence: 'No build machine can upload any more until you make a new pair.', action: `${base}/settings/deploy-keys/revoke`, confirm: 'Revoke the pair' })}`
        : postButton('Make a pair of keys', `${base}/settings/deploy-keys`, { kind: 'ink' })
    }</div>`,
    html`For the <a href="/cli/slipway.mjs" download>uploader</a> on a build machine. It registers builds and uploads files, symbols and pictures; it cannot edit the page, promote, or read reports.`,
  )
}

export const deployKeyRoutes = (show: Show): Route[] => [
  deskForm('settings/deploy-keys', 'Make a pair of deploy keys', {
    form: 'deploy',
    show,
    send: ({ api }) => ({ method: 'POST', url: `${api}/deploy-keys` }),
    done: '',
    back: 'settings',
    reveal: ({ data: { access_token, secret_key } }) => ({ access_token, secret_key }),
  }),
  deskForm('settings/deploy-keys/revoke', 'Revoke the deploy keys', {
    form: 'deploy',
    show,
    send: ({ api }) => ({ method: 'DELETE', url: `${api}/deploy-keys` }),
    done: 'Revoked',
    back: 'settings#deploy-keys',
  }),
]
