import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import { offerLimits } from '../../listings/prices/offer-input.ts'
import {
  addSaleEventRoute,
  endSaleEventRoute,
  saleEventsRoute,
} from '../../listings/prices/routes.ts'
import { saleLimits } from '../../listings/prices/sale-rules.ts'
import { callApi, readApi } from '../call.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { dateTimeTag, formatNumber } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { confirmButton } from '../components/secret-field.ts'
import { emptyState, table } from '../components/table.ts'
import { readTime, timeField, timeValue } from '../components/time-field.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'

const URL = '/operator/sale-events'
type SaleEvent = RouteData<typeof saleEventsRoute>['events'][number]

async function renderEvents(context: Context, state?: FormState) {
  const { events } = await readApi(context.request, saleEventsRoute)
  return renderConsole(context, URL, {
    body: html`
      <p class="soft">${t('sale-events-text')}</p>
      ${eventForm(state ?? { values: { starts_at: timeValue(new Date()) } })}
      ${events.length ? eventTable(events) : emptyState(t('sale-event-none'), t('sale-event-none-text'))}`,
  })
}

function eventForm(state: FormState): Html {
  const name = textField(state, {
    name: 'name',
    label: t('sale-event-name'),
    required: true,
    maxlength: offerLimits.event_name,
  })
  const starts = timeField(state, {
    name: 'starts_at',
    label: t('sale-starts-label'),
    required: true,
  })
  const ends = timeField(state, {
    name: 'ends_at',
    label: t('sale-ends-label'),
    required: true,
    hint: t('sale-ends-hint', { days: saleLimits.days }),
  })
  const names = ['name', 'starts_at', 'ends_at']
  return fieldForm(state, { action: URL, names, submit: t('sale-event-add') }, [
    name,
    html`<div class="pair">${starts}${ends}</div>`,
  ])
}

const eventTable = (events: readonly SaleEvent[]): Html =>
  table(
    t('console-sale-events'),
    [
      t('sale-event-name'),
      t('sale-from'),
      t('sale-to'),
      t('sale-event-listings'),
      t('sale-action'),
    ],
    events.map(({ uid, name, starts_at, ends_at, listings }) => [
      name,
      dateTimeTag(starts_at),
      dateTimeTag(ends_at),
      formatNumber(listings),
      confirmButton({
        label: t('sale-end'),
        sentence: t('sale-event-end-text'),
        action: `${URL}/${uid}/end`,
      }),
    ]),
  )

const readEvent = (sent: FormBody) => ({
  name: fieldValue(sent, 'name'),
  starts_at: readTime(sent, 'starts_at') ?? '',
  ends_at: readTime(sent, 'ends_at') ?? '',
})

const showEvents = getPage(URL, 'Sales of the whole store', {
  auth: consoleOperator,
  handle: (input) => renderEvents(input),
})

const addEvent = postForm(URL, 'Make a sale of the whole store', {
  auth: consoleOperator,
  async handle(input) {
    const { request, reply, body: sent } = input
    const answer = await callApi(request, addSaleEventRoute, { body: readEvent(sent) })
    if (answer.ok) return redirectTo(reply, URL, t('sale-event-added'))
    reply.code(answer.status)
    return renderEvents(input, rejectedForm(sent, answer))
  },
})

const endEvent = postForm(`${URL}/:uid/end`, 'End a sale of the whole store', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    const answer = await callApi(request, endSaleEventRoute, { params })
    return redirectTo(reply, URL, answer.ok ? t('sale-is-ended') : answer.message)
  },
})

export const saleEventPages = [showEvents, addEvent, endEvent]
