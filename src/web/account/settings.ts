import { developerRoute, readAccount } from '../../accounts/people/routes.ts'
import type { Theme } from '../../accounts/people/themes.ts'
import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
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
import { themeChoice } from '../components/header-footer.ts'
import { type Html, html, richText } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { facts } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { themeOf } from '../theme.ts'
import { member } from '../visitor.ts'
import { SESSIONS_PAGE } from './security/paths.ts'
import { accountTabs } from './tabs.ts'

type Account = RouteData<typeof readAccount>

async function renderSettings(context: Context, state: FormState = emptyForm) {
  const account = await readApi(context.request, readAccount)
  return page(context, {
    title: withStoreName(context.core, t('nav-settings')),
    noindex: true,
    body: html`
      <h1>${t('nav-settings')}</h1>
      ${accountTabs('/settings')}
      <div class="settings">
        ${formMessage(state, ['accept_terms'])}
        ${accountPanel(account)}
        ${developerPanel(account, state)}
        ${themePanel(themeOf(context.request))}
        ${context.core.settings.current.adult_content && adultPanel(account)}
        ${linkedAccountPanel(account)}
        ${dataPanel}
      </div>
    `,
  })
}

export const settingsPage = getPage('/settings', 'Settings page', {
  auth: member,
  handle: (input) => renderSettings(input),
})

const panel = (id: string, title: Text, body: Html): Html => html`
  <section class="panel" id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${body}
  </section>
`

const verified = html`<span class="mark mark-ok">${icon('ok')}${t('verified')}</span>`
const notVerified = html`
  <span class="mark mark-warn">${icon('wait')}${t('not-verified')}</span>
`
const verifyPrompt = html`
  <p><a class="button button-primary" href="/settings/verify">${t('verify-title')}</a></p>
  <p class="soft">${t('verify-reason')}</p>
`

const accountPanel = ({ username, email, email_verified }: Account) =>
  panel(
    'account',
    t('account'),
    html`
      ${facts([
        [t('username'), username],
        [
          t('email'),
          html`
            ${email} ${email_verified ? verified : notVerified}
            <a href="/settings/email">${t('change')}</a>
          `,
        ],
        [t('password'), html`<a href="/settings/password">${t('change')}</a>`],
        [t('sessions'), html`<a href="${SESSIONS_PAGE}">${t('sessions-view')}</a>`],
      ])}
      ${!email_verified && verifyPrompt}
    `,
  )

const developerOn = html`
  <p>${richText('developer-mode-on', { link: linkTo('/dashboard') })}</p>
  <p><a href="/settings/payments">${t('payments-link')}</a></p>
  <form method="post" action="/settings/developer">
    <button class="button button-quiet" name="off" value="yes">
      ${t('developer-mode-turn-off')}
    </button>
  </form>
`
const developerOff = (state: FormState) => html`
  <p>${t('developer-text')}</p>
  <form class="form" method="post" action="/settings/developer">
    ${checkField(state, { name: 'accept_terms', label: t('developer-accept-terms') })}
    ${button(t('developer-turn-on'))}
  </form>
`
const developerPanel = ({ developer }: Account, state: FormState) =>
  panel('developer', t('developer-title'), developer ? developerOn : developerOff(state))

const themePanel = (theme: Theme) =>
  panel('theme', t('theme-label'), html`<p>${t('theme-text')}</p>${themeChoice(theme)}`)

const adultShown = html`
  <p>${t('adult-shown-text')}</p>
  <form method="post" action="/settings/adult">
    <button class="button button-quiet">${t('adult-hide')}</button>
  </form>
`
const adultHidden = html`
  <p>${t('adult-hidden-text')}</p>
  <form class="form" method="post" action="/settings/adult">
    <input type="hidden" name="show" value="yes">
    ${checkField(emptyForm, { name: 'confirm_18', label: t('adult-confirm') })}
    ${button(t('adult-show'), { kind: 'quiet' })}
  </form>
`
const adultPanel = ({ show_adult }: Account) =>
  panel('adult', t('adult-title'), show_adult ? adultShown : adultHidden)

const linkedAccount = (extstore_id: string) => html`
  <p>${richText('linked-account', { account: html`<code>${extstore_id}</code>` })}</p>
  <form method="post" action="/settings/unlink">
    <button class="button button-quiet">${t('unlink-account')}</button>
  </form>
`
const noLinkedAccount = html`
  <p>${t('link-account-text')}</p>
  <p>
    <a class="button button-quiet" href="${startLinkRoute.url}">${t('link-account')}</a>
  </p>
`
const linkedAccountPanel = ({ extstore_id }: Account) =>
  panel(
    'linked',
    t('external-store-account'),
    extstore_id ? linkedAccount(extstore_id) : noLinkedAccount,
  )

const dataPanel = panel(
  'data',
  t('your-data'),
  html`
    <p>${t('your-data-text')}</p>
    <p class="row">
      <a class="button button-quiet" href="/settings/played-games">${t('played-games')}</a>
      <a class="button button-quiet" href="/settings/export">${t('export-data')}</a>
      <a class="button button-quiet" href="/settings/delete">${t('delete-account')}</a>
    </p>
  `,
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
          ? redirectTo(reply, '/dashboard', t('developer-mode-is-on'))
          : redirectTo(reply, '/settings', t('developer-mode-is-off'))
      const refused = enabled
        ? { ...answer, field: 'accept_terms', message: t('developer-terms-first') }
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
    return redirectTo(reply, '/settings#linked', t('account-unlinked'))
  },
})
