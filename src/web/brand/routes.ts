import { Type } from 'typebox'
import { setCookie } from '../../core/http/cookies.ts'
import { anyone, type Route, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { DAY } from '../../core/runtime/units.ts'
import { fieldValue } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { previousPage } from '../next-path.ts'
import { postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'
import { accentStyle } from './accent-style.ts'
import { ANNOUNCEMENT_COOKIE, ANNOUNCEMENT_PATH } from './announcement.ts'
import { sendBrandImage } from './image-files.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'

const serveBrand = route({
  method: 'GET',
  url: '/brand/:name',
  summary: 'The style sheet with the colors of the store, its logo and its icons',
  role: 'web',
  hidden: true,
  auth: anyone,
  params: Type.Object({ name: Type.String() }),
  envelope: false,
  produces: 'text/css',
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  async handle({ core, params, request, reply }) {
    reply.header('cache-control', IMMUTABLE)
    const style = accentStyle(params.name)
    if (style) return reply.type('text/css; charset=utf-8').send(style)
    const image = await sendBrandImage(core, request, reply, params.name)
    return image ?? refuse('NOT_FOUND')
  },
})

/** Leads back to the page on which it was closed. */
const closeAnnouncement = postForm(ANNOUNCEMENT_PATH, 'Close the announcement', {
  auth: visitor,
  handle({ request, reply, body }) {
    const closed = fieldValue(body, 'closed')
    if (/^[0-9a-f]{12}$/.test(closed))
      setCookie(reply, { name: ANNOUNCEMENT_COOKIE, value: closed, seconds: 365 * DAY })
    return redirectTo(reply, previousPage(request.headers.referer) ?? '/')
  },
})

/** What operators chose for the look of the store. */
export const brandRoutes: Route[] = [serveBrand, closeAnnouncement]
