import { themeRoute } from '../../accounts/people/routes.ts'
import { isTheme } from '../../accounts/people/themes.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { callApi } from '../call.ts'
import { fieldValue } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { previousPage } from '../next-path.ts'
import { postForm } from '../page-routes.ts'
import { setThemeCookie } from '../theme.ts'
import { visitor } from '../visitor.ts'

/** The choice in the footer and in the settings. It leads back to the page it was made on. */
export const submitTheme = postForm('/settings/theme', 'Choose a theme', {
  auth: visitor,
  async handle({ request, reply, who, body }) {
    const theme = fieldValue(body, 'theme')
    if (!isTheme(theme)) refuse('NOT_FOUND')
    if (who) await callApi(request, themeRoute, { body: { theme } })
    setThemeCookie(reply, theme)
    return redirectTo(reply, previousPage(request.headers.referer) ?? '/')
  },
})
