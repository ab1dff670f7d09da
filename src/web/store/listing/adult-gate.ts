import type { FastifyReply } from 'fastify'
import { adultRoute } from '../../../accounts/people/routes.ts'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import type { StoreSettings } from '../../../core/settings/table.ts'
import { t } from '../../../core/text/text.ts'
import { canEdit, passesAdultFilter, standingOf } from '../../../listings/listing/visibility.ts'
import type { PageState } from '../../../listings/page/queries.ts'
import { callApi } from '../../call.ts'
import {
  button,
  checkField,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  isChecked,
} from '../../components/form.ts'
import { html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { redirectTo } from '../../flash-message.ts'
import { localPath, withNext } from '../../next-path.ts'
import { postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'

/** Whether the gate comes before the pages of an adult listing: not for those who run it. */
export const isGated = (who: Identity | null, state: PageState): boolean =>
  !passesAdultFilter(state, who?.show_adult ?? false) && !canEdit(standingOf(who, state))

const loginLinks = ({ registration }: StoreSettings, next: string) => html`
  <p>
    <a class="button button-primary" href="${withNext('/login', next)}">${t('sign-in')}</a>
    ${
      registration !== 'closed' &&
      html`<a class="button button-quiet" href="${withNext('/signup', next)}">
        ${t('create-account')}
      </a>`
    }
  </p>
`

const confirmForm = (next: string, state: FormState) =>
  fieldForm(state, { action: '/settings/adult', submit: button(t('adult-show')) }, [
    html`<input type="hidden" name="next" value="${next}">`,
    html`<input type="hidden" name="show" value="yes">`,
    checkField(state, { name: 'confirm_18', label: t('adult-confirm') }),
  ])

/** Shown instead of an adult page, without anything of that page. */
export function gatePage(
  context: Context,
  next: string,
  state: FormState = emptyForm,
): Promise<FastifyReply> {
  context.reply.code(403)
  return narrowPage(context, {
    title: t('adult-title'),
    above: html`<p class="eyebrow">18+</p>`,
    body: html`
      <p>${t('adult-gate')}</p>
      ${context.who ? confirmForm(next, state) : loginLinks(context.core.settings.current, next)}
      <p class="aside"><a href="/search">${t('back-to-store')}</a></p>
    `,
  })
}

/** Receives the form of the gate and that of the settings. Only showing needs a confirmation. */
export const submitAdultSetting = postForm('/settings/adult', 'Show or hide adult content', {
  auth: member,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(fieldValue(body, 'next')) ?? '/settings'
    const show = isChecked(body, 'show')
    const answer = await callApi(request, adultRoute, {
      body: { show, confirm_18: isChecked(body, 'confirm_18') },
    })
    if (!answer.ok) {
      const message = t('adult-confirm-first')
      return gatePage(input, next, {
        values: {},
        refused: { ...answer, field: 'confirm_18', message },
      })
    }
    return redirectTo(reply, next, show ? t('adult-is-shown') : t('adult-is-hidden'))
  },
})
