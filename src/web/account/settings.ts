import { call, read, toRefusal } from '../call.ts'
import {
  button,
  checkField,
  emptyForm,
  type FormState,
  formMessage,
  isChecked,
  rejectedForm,
} from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { type Context, page } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

type Account = {
  username: string
  email: string
  email_verified: boolean
  developer: boolean
  show_adult: boolean
  extstore_id?: string
}

async function settingsPage(context: Context, state: FormState = emptyForm) {
  const account = await read<Account>(context.request, '/api/v1/private/account')
  return page(context, {
    title: 'Settings · Slipway',
    noindex: true,
    body: html`<h1>Settings</h1>${accountTabs('/settings')}<div class="settings">${formMessage(state, ['accept_terms'])}${who(account)}${publishing(account, state)}${adult(account)}${linked(account)}</div>`,
  })
}

export const showSettings = getPage('/settings', 'Settings', {
  auth: member,
  handle: (input) => settingsPage(input),
})

const panel = (id: string, title: string, body: Html): Html =>
  html`<section class="panel" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`

const who = ({ username, email, email_verified }: Account) =>
  panel(
    'account',
    'Account',
    html`<dl class="facts"><dt>Username</dt><dd>${username}</dd><dt>Email</dt><dd>${email} ${email_verified ? html`<span class="mark mark-ok">${icon('ok')}Proven</span>` : html`<span class="mark mark-warn">${icon('wait')}Not proven yet</span>`}</dd><dt>Password</dt><dd><a href="/password/forgot">Change it by mail</a></dd></dl>
${!email_verified && html`<p><a class="button button-primary" href="/settings/verify">Prove your email address</a></p><p class="soft">Needed for downloads with your account, for reviews, and for publishing.</p>`}`,
  )

const publishing = ({ developer }: Account, state: FormState) =>
  panel(
    'developer',
    'Publishing',
    developer
      ? html`<p>Developer mode is on. <a href="/dashboard">Open the dashboard</a>.</p><form method="post" action="/settings/developer"><button class="button button-quiet" name="off" value="yes">Turn it off</button></form>`
      : html`<p>Turn on developer mode to make projects, upload builds and publish.</p><form class="form" method="post" action="/settings/developer">${checkField(state, { name: 'accept_terms', label: 'I accept the developer terms: what I upload is mine to publish, harms nobody, and says honestly what it is.' })}${button('Become a developer')}</form>`,
  )

const adult = ({ show_adult }: Account) =>
  panel(
    'adult',
    'Adult pages',
    show_adult
      ? html`<p>Pages with sexual content or nudity are shown to you.</p><form method="post" action="/settings/adult"><button class="button button-quiet">Hide them</button></form>`
      : html`<p>Pages with sexual content or nudity are hidden.</p><form class="form" method="post" action="/settings/adult"><input type="hidden" name="show" value="yes">${checkField(emptyForm, { name: 'confirm_18', label: 'I am 18 or older' })}${button('Show them', { kind: 'quiet' })}</form>`,
  )

const linked = ({ extstore_id }: Account) =>
  panel(
    'linked',
    'Account of the external store',
    extstore_id
      ? html`<p>Linked: <code>${extstore_id}</code></p><form method="post" action="/settings/unlink"><button class="button button-quiet">Unlink it</button></form>`
      : html`<p>Link your account there, so that games know you here and there as one player.</p><p><a class="button button-quiet" href="/api/v1/private/account/extstore/link">Link an account</a></p>`,
  )

export const sendDeveloper = postForm('/settings/developer', 'Turn developer mode on or off', {
  auth: member,
  async handle(input) {
    const { request, reply, body } = input
    const enabled = !isChecked(body, 'off')
    const answer = await call(request, 'POST', '/api/v1/private/account/developer', {
      enabled,
      accept_terms: isChecked(body, 'accept_terms'),
    })
    if (answer.ok)
      return redirectTo(
        reply,
        enabled ? '/dashboard' : '/settings',
        enabled ? 'Developer mode is on' : 'Developer mode is off',
      )
    const refused = enabled
      ? { ...answer, field: 'accept_terms', message: 'Accept the developer terms first' }
      : answer
    return settingsPage({ ...input, reply: reply.code(answer.status) }, rejectedForm(body, refused))
  },
})

export const sendUnlink = postForm('/settings/unlink', 'Unlink the account of the external store', {
  auth: member,
  async handle({ request, reply }) {
    const answer = await call(request, 'DELETE', '/api/v1/private/account/extstore')
    if (!answer.ok) throw toRefusal(answer)
    return redirectTo(reply, '/settings#linked', 'Unlinked')
  },
})
