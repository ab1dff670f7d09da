import { developerRoute, readAccount } from '../../accounts/people/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { startLinkRoute, unlinkAccountRoute } from '../../extstore/linked-accounts/routes.ts'
import { callApi, readApi } from '../call.ts'
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
import { facts } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

type Account = RouteData<typeof readAccount>

const DEVELOPER_TERMS =
  'I accept the developer terms: I have the right to publish what I upload, it harms nobody, ' +
  'and its page describes it honestly.'

async function renderSettings(context: Context, state: FormState = emptyForm) {
  const account = await readApi(context.request, readAccount)
  return page(context, {
    title: 'Settings · Slipway',
    noindex: true,
    body: html`
      <h1>Settings</h1>
      ${accountTabs('/settings')}
      <div class="settings">
        ${formMessage(state, ['accept_terms'])}
        ${accountPanel(account)}
        ${developerPanel(account, state)}
        ${adultPanel(account)}
        ${linkedAccountPanel(account)}
      </div>
    `,
  })
}

export const settingsPage = getPage('/settings', 'Settings page', {
  auth: member,
  handle: (input) => renderSettings(input),
})

const panel = (id: string, title: string, body: Html): Html => html`
  <section class="panel" id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${body}
  </section>
`

const verified = html`<span class="mark mark-ok">${icon('ok')}Verified</span>`
const notVerified = html`<span class="mark mark-warn">${icon('wait')}Not verified</span>`
const verifyPrompt = html`
  <p><a class="button button-primary" href="/settings/verify">Verify your email address</a></p>
  <p class="soft">
    Until then you can download only games that need no account, and they are not kept in your
    library. A verified address is also required to review and to publish.
  </p>
`

const accountPanel = ({ username, email, email_verified }: Account) =>
  panel(
    'account',
    'Account',
    html`
      ${facts([
        ['Username', username],
        ['Email', html`${email} ${email_verified ? verified : notVerified}`],
        ['Password', html`<a href="/password/forgot">Change by email</a>`],
      ])}
      ${!email_verified && verifyPrompt}
    `,
  )

const developerOn = html`
  <p>Developer mode is on. <a href="/dashboard">Open the dashboard</a>.</p>
  <form method="post" action="/settings/developer">
    <button class="button button-quiet" name="off" value="yes">Turn off developer mode</button>
  </form>
`
const developerOff = (state: FormState) => html`
  <p>Turn on developer mode to create projects, upload builds and publish.</p>
  <form class="form" method="post" action="/settings/developer">
    ${checkField(state, { name: 'accept_terms', label: DEVELOPER_TERMS })}
    ${button('Become a developer')}
  </form>
`
const developerPanel = ({ developer }: Account, state: FormState) =>
  panel('developer', 'Publishing', developer ? developerOn : developerOff(state))

const adultShown = html`
  <p>Pages with sexual content or nudity are shown to you.</p>
  <form method="post" action="/settings/adult">
    <button class="button button-quiet">Hide adult content</button>
  </form>
`
const adultHidden = html`
  <p>Pages with sexual content or nudity are hidden.</p>
  <form class="form" method="post" action="/settings/adult">
    <input type="hidden" name="show" value="yes">
    ${checkField(emptyForm, { name: 'confirm_18', label: 'I am 18 or older' })}
    ${button('Show adult content', { kind: 'quiet' })}
  </form>
`
const adultPanel = ({ show_adult }: Account) =>
  panel('adult', 'Adult content', show_adult ? adultShown : adultHidden)

const linkedAccount = (extstore_id: string) => html`
  <p>Linked: <code>${extstore_id}</code></p>
  <form method="post" action="/settings/unlink">
    <button class="button button-quiet">Unlink account</button>
  </form>
`
const noLinkedAccount = html`
  <p>Link your account of the external store, so that games recognize you in both places.</p>
  <p><a class="button button-quiet" href="${startLinkRoute.url}">Link account</a></p>
`
const linkedAccountPanel = ({ extstore_id }: Account) =>
  panel(
    'linked',
    'External store account',
    extstore_id ? linkedAccount(extstore_id) : noLinkedAccount,
  )

export const submitDeveloperMode = postForm(
  '/settings/developer',
  'Turn developer mode on or off',
  {
    auth: member,
    async handle(input) {
      const { request, reply, body } = input
      const enabled = !isChecked(body, 'off')
      const answer = await callApi(request, developerRoute, {
        body: { enabled, accept_terms: isChecked(body, 'accept_terms') },
      })
      if (answer.ok)
        return enabled
          ? redirectTo(reply, '/dashboard', 'Developer mode is on')
          : redirectTo(reply, '/settings', 'Developer mode is off')
      const refused = enabled
        ? { ...answer, field: 'accept_terms', message: 'Accept the developer terms first' }
        : answer
      reply.code(answer.status)
      return renderSettings(input, rejectedForm(body, refused))
    },
  },
)

export const submitUnlink = postForm('/settings/unlink', 'Unlink the external store account', {
  auth: member,
  async handle({ request, reply }) {
    await readApi(request, unlinkAccountRoute)
    return redirectTo(reply, '/settings#linked', 'The account is unlinked')
  },
})
