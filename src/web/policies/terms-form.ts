import type { PendingTerms } from '../../accounts/policies/acceptance.ts'
import { readPolicyRoute } from '../../accounts/policies/routes.ts'
import { t } from '../../core/text/text.ts'
import { readApi } from '../call.ts'
import { button, emptyForm, type FormState, fieldForm } from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { markdown } from '../components/markdown.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { TERMS_PAGE } from './terms-gate.ts'

type TermsForm = {
  pending: PendingTerms
  /** Hidden fields: where to go on after the terms are accepted. */
  hidden?: Html
  state?: FormState
}

/** Asks to accept the terms, or to leave. */
export async function renderTermsForm(
  context: Context,
  { pending, hidden, state = emptyForm }: TermsForm,
) {
  const { version, effective_from, required_version } = pending
  const { summary, text } = await readApi(context.request, readPolicyRoute, {
    params: { policy: 'terms' },
    query: { version },
  })
  const fields = html`
    <input type="hidden" name="store_terms_version" value="${version}">
    ${hidden}`
  const form = { action: TERMS_PAGE, submit: button(t('terms-accept')) }
  return narrowPage(context, {
    title: t('terms-accept-title'),
    terms_announced: true,
    body: html`
      <p>
        ${
          required_version === undefined
            ? richText('terms-upcoming', { version, date: dateTag(effective_from) })
            : t('terms-required', { version })
        }
      </p>
      ${summary && html`<h2>${t('policy-summary')}</h2><p>${summary}</p>`}
      <p>${richText('terms-read', { link: linkTo(`/terms?version=${version}`) })}</p>
      <div class="terms-text" role="region" tabindex="0" aria-label="${t('policy-terms')}">
        ${markdown(text)}
      </div>
      ${fieldForm(state, form, fields)}
      <h2 class="spaced-heading">${t('terms-leave')}</h2>
      <p>${t('terms-leave-text')}</p>
      <form method="post" action="/logout">
        <button class="button button-quiet">${t('sign-out')}</button>
      </form>
      <p class="aside">
        <a class="spaced" href="/settings/export">${t('export-data')}</a>
        <a href="/settings/delete">${t('delete-account')}</a>
      </p>
    `,
  })
}
