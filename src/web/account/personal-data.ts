import { t } from '../../core/text/text.ts'
import { deleteAccountRoute, exportAccountRoute } from '../../personal-data/routes.ts'
import { type ApiRefusal, passCookies } from '../call.ts'
import { button, emptyForm, type FormState, fieldForm, textField } from '../components/form.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { backToSettings, refusedForm, sendFields } from './account-form.ts'
import { passwordField } from './credential-fields.ts'

const renderExport = (context: Context, state: FormState) =>
  narrowPage(context, {
    title: t('export-data'),
    body: html`
      <p>${t('export-data-text')}</p>
      ${fieldForm(
        state,
        { action: '/settings/export', names: ['password'], submit: button(t('export-button')) },
        passwordField(state),
      )}
      ${backToSettings}
    `,
  })

export const exportPage = getPage('/settings/export', 'Export of personal data', {
  auth: member,
  handle: (input) => renderExport(input, emptyForm),
})

export const submitExport = postForm('/settings/export', 'Download personal data', {
  auth: member,
  async handle(input) {
    const { reply, who } = input
    const answer = await sendFields(input, exportAccountRoute, ['password'])
    if (!answer.ok) return renderExport(input, refusedForm({ ...input, body: null }, answer))
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="account-${who.username}.json"`)
      .header('cache-control', 'private, no-store')
      .send(JSON.stringify(answer.data, null, 2))
  },
})

/** What the deletion is refused for: the projects that the person owns. */
function ownedProjects(refused: ApiRefusal | undefined): Html | undefined {
  const listings = refused?.details.listings as { uid: string; name: string }[] | undefined
  return (
    listings &&
    html`
      <ul>
        ${listings.map(({ name }) => html`<li>${name}</li>`)}
      </ul>
      <p>${richText('delete-account-projects', { link: linkTo('/dashboard') })}</p>
    `
  )
}

function renderDelete(context: Context, state: FormState) {
  const username = textField(state, {
    name: 'username',
    label: t('username'),
    required: true,
    autocomplete: 'off',
    hint: t('delete-account-username', { username: context.who?.username ?? '' }),
  })
  const form = {
    action: '/settings/delete',
    names: ['username', 'password'],
    submit: button(t('delete-account-button'), { kind: 'danger' }),
  }
  return narrowPage(context, {
    title: t('delete-account'),
    body: html`
      <p>${richText('delete-account-final', { strong: strongText })}</p>
      <h2>${t('delete-account-gone')}</h2>
      <p>${t('delete-account-gone-text')}</p>
      <h2>${t('delete-account-stays')}</h2>
      <p>${t('delete-account-stays-text')}</p>
      <p>${richText('delete-account-export', { link: linkTo('/settings/export') })}</p>
      ${ownedProjects(state.refused)}
      ${fieldForm(state, form, [username, passwordField(state)])}
      ${backToSettings}
    `,
  })
}

export const deleteAccountPage = getPage('/settings/delete', 'Deletion of the account', {
  auth: member,
  handle: (input) => renderDelete(input, emptyForm),
})

export const submitDeleteAccount = postForm('/settings/delete', 'Delete the account', {
  auth: member,
  async handle(input) {
    const answer = await sendFields(input, deleteAccountRoute, ['username', 'password'])
    if (!answer.ok) return renderDelete(input, refusedForm(input, answer))
    passCookies(input.reply, answer)
    return redirectTo(input.reply, '/', t('account-is-deleted'))
  },
})
