import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieReader, setCookie } from '../../core/http/cookies.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { DAY } from '../../core/runtime/units.ts'
import { BASE_CURRENCY, type Currency, isCurrency } from '../../listings/prices/currencies.ts'
import { fieldValue } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { previousPage } from '../next-path.ts'
import { postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

const COOKIE = 'svc_currency'
const readCookie = cookieReader(COOKIE, /[A-Z]{3}/)

/** What the visitor chose, else US dollars. It is never guessed from an address or a language. */
export function currencyOf(request: FastifyRequest): Currency {
  const chosen = readCookie(request)
  return isCurrency(chosen) ? chosen : BASE_CURRENCY
}

const setCurrencyCookie = (reply: FastifyReply, currency: Currency) =>
  setCookie(reply, { name: COOKIE, value: currency, seconds: 365 * DAY })

/** The choice beside the price of a listing. It leads back to the page it was made on. */
export const submitCurrency = postForm('/settings/currency', 'Choose a currency', {
  auth: visitor,
  handle({ request, reply, body }) {
    const currency = fieldValue(body, 'currency')
    if (!isCurrency(currency)) refuse('NOT_FOUND')
    setCurrencyCookie(reply, currency)
    return redirectTo(reply, previousPage(request.headers.referer) ?? '/')
  },
})
