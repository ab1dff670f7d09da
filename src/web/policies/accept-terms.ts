import { Type } from 'typebox'
import { pendingTerms } from '../../accounts/policies/acceptance.ts'
import { acceptTermsRoute } from '../../accounts/policies/acceptance-routes.ts'
import { t } from '../../core/text/text.ts'
import { callApi } from '../call.ts'
import { type FormBody, fieldValue, rejectedForm } from '../components/form.ts'
import { type Html, html, richText } from '../components/html.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { localPath } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { pendingField, readPendingForm, renderResume } from '../resume-form.ts'
import { member } from '../visitor.ts'
import { renderTermsForm } from './terms-form.ts'
import { TERMS_PAGE } from './terms-gate.ts'

const hiddenNext = (next: string | undefined): Html | undefined =>
  next ? html`<input type="hidden" name="next" value="${next}">` : undefined

export const termsPage = getPage(TERMS_PAGE, 'Accept the terms of the store', {
  auth: member,
  query: Type.Object({ next: Type.Optional(Type.String()) }),
  handle(input) {
    const { core, who, query } = input
    const next = localPath(query.next)
    const pending = pendingTerms(core.settings.policies, who.store_terms_version, new Date())
    if (pending) return renderTermsForm(input, { pending, ...hiddenFields(next) })
    const version = who.store_terms_version
    return narrowPage(input, {
      title: t('policy-terms'),
      body: html`
        <p>
          ${
            version === null
              ? t('terms-none')
              : richText('terms-accepted-version', {
                  version,
                  link: linkTo(`/terms?version=${version}`),
                })
          }
        </p>
      `,
    })
  },
})

const hiddenFields = (next: string | undefined) => {
  const hidden = hiddenNext(next)
  return hidden ? { hidden } : {}
}

const acceptedVersion = (body: FormBody) => {
  const text = fieldValue(body, 'store_terms_version')
  return /^\d{1,7}$/.test(text) ? Number(text) : 0
}

export const submitTerms = postForm(TERMS_PAGE, 'Accept the terms of the store', {
  auth: member,
  async handle(input) {
    const { core, request, reply, who, body } = input
    const next = localPath(fieldValue(body, 'next'))
    const form = readPendingForm(body)
    const answer = await callApi(request, acceptTermsRoute, {
      body: { store_terms_version: acceptedVersion(body) },
    })
    if (answer.ok)
      return form
        ? renderResume(input, form)
        : redirectTo(reply, next ?? '/', t('terms-accepted', { version: answer.data.version }))
    const pending = pendingTerms(core.settings.policies, who.store_terms_version, new Date())
    if (!pending) return redirectTo(reply, next ?? '/')
    reply.code(answer.status)
    const hidden = html`${hiddenNext(next)}${form && pendingField(form)}`
    return renderTermsForm(input, { pending, hidden, state: rejectedForm(body, answer) })
  },
})
