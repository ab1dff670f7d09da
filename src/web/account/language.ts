import { languageRoute } from '../../accounts/people/routes.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { callApi } from '../call.ts'
import { fieldValue } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { setLanguageCookie } from '../language.ts'
import { previousPage } from '../next-path.ts'
import { postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

/** The choice in the footer. It leads back to the page it was made on. */
export const submitLanguage = postForm('/settings/language', 'Choose a language', {
  auth: visitor,
  async handle({ core, request, reply, who, body }) {
    const language = fieldValue(body, 'language')
    if (!core.config.languages.includes(language)) refuse('NOT_FOUND')
    if (who) await callApi(request, languageRoute, { body: { language } })
    setLanguageCookie(reply, language)
    return redirectTo(reply, previousPage(request.headers.referer) ?? '/')
  },
})
