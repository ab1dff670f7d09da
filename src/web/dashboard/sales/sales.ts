import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { BASE_CURRENCY, otherCurrencies } from '../../../listings/prices/currencies.ts'
import {
  addSaleRoute,
  endSaleRoute,
  readOffersRoute,
  saleEventsRoute,
  setOfferRoute,
} from '../../../listings/prices/routes.ts'
import { saleLimits } from '../../../listings/prices/sale-rules.ts'
import { readApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  checkField,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  isChecked,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { dateTimeTag, formatPrice } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { readTime, timeField } from '../../components/time-field.ts'
import { languageOf } from '../../language.ts'
import { typedPrice } from '../page/cents.ts'
import { formSender, formState, projectForm, sendTo } from '../project-form.ts'
import { type FormResult, type ProjectContext, projectPage, subsection } from '../project-page.ts'
import { readPriceLine, typedPrices } from './currency-prices.ts'
import { endButton, periodBadge, reductionText, renderListPage } from './list-page.ts'
import { optionalCents, optionalNumber } from './optional-values.ts'

type Offers = RouteData<typeof readOffersRoute>
type Sale = Offers['sales'][number]
type SaleEvent = RouteData<typeof saleEventsRoute>['events'][number]

/** The path of an offer in addresses: the uid of its edition, or `listing`. */
const offerPath = (edition_uid: string | null) => edition_uid ?? 'listing'
const editionOf = (path: string | undefined) => (!path || path === 'listing' ? null : path)

const editionName = ({ listing }: ProjectContext, edition_uid: string | null): Text =>
  listing.editions.find(({ uid }) => uid === edition_uid)?.name ?? t('sale-every-edition')

/** Prices in other currencies, and whether buyers choose the price: one form per offer. */
function offerForm(project: ProjectContext, result: FormResult, { offers }: Offers, uid: Edition) {
  const { base, request, listing } = project
  const own = offers.filter(({ edition_uid }) => edition_uid === uid)
  const dollars = own.find(({ currency }) => currency === BASE_CURRENCY)
  const language = languageOf(request)
  const suggested = dollars?.suggested_minor ?? null
  const state = formState(result, `offer-${offerPath(uid)}`, {
    prices: typedPrices(
      own.filter((offer) => offer !== dollars),
      language,
    ),
    pay_what_you_want: dollars?.pay_what_you_want ? 'yes' : '',
    suggested_cents: suggested === null ? '' : typedPrice(suggested, language),
  })
  const prices = textArea(state, {
    name: 'prices',
    label: t('prices-other'),
    rows: 4,
    hint: t('prices-other-hint', { codes: otherCurrencies.join(', ') }),
  })
  const chosen = checkField(state, {
    name: 'pay_what_you_want',
    label: t('pay-what-you-want-label'),
    hint: t('pay-what-you-want-hint'),
  })
  const suggestion = textField(state, {
    name: 'suggested_cents',
    label: t('price-suggested'),
    inputmode: 'decimal',
  })
  const form = fieldForm(
    state,
    {
      action: `${base}/sales/offers/${offerPath(uid)}`,
      names: ['prices', 'pay_what_you_want', 'suggested_cents'],
      submit: t('prices-save'),
    },
    [prices, chosen, suggestion],
  )
  const price = formatPrice(dollars?.list_minor ?? 0)
  const name = listing.editions.find((edition) => edition.uid === uid)?.name ?? listing.name
  return html`
    <details class="group"${result.form === `offer-${offerPath(uid)}` && html` open`}>
      <summary>${name} · ${price}</summary>
      ${form}
    </details>`
}
type Edition = string | null

const offerForms = (project: ProjectContext, result: FormResult, offers: Offers): Html => html`
  ${[...new Set(offers.offers.map(({ edition_uid }) => edition_uid))].map((uid) =>
    offerForm(project, result, offers, uid),
  )}`

const saleRow = (project: ProjectContext, sale: Sale, now: Date) => [
  html`${reductionText(sale)} ${sale.event && badge(sale.event.name)}`,
  editionName(project, sale.edition_uid),
  dateTimeTag(sale.starts_at),
  dateTimeTag(sale.ends_at),
  periodBadge(sale, now),
  endButton(sale, now, {
    sentence: t('sale-end-text'),
    action: `${project.base}/sales/${sale.uid}/end`,
  }),
]

const columns = [
  t('sale-reduction'),
  t('edition'),
  t('sale-from'),
  t('sale-to'),
  t('column-status'),
  t('sale-action'),
]

const saleNames = ['percent', 'amount_cents', 'edition_uid', 'event_uid', 'starts_at', 'ends_at']

function saleForm(project: ProjectContext, state: FormState, events: readonly SaleEvent[]): Html {
  const { base, listing } = project
  const editions = listing.editions.filter(({ active }) => active)
  const percent = textField(state, {
    name: 'percent',
    label: t('sale-percent-label'),
    type: 'number',
    min: 1,
    max: saleLimits.percent,
  })
  const amount = textField(state, {
    name: 'amount_cents',
    label: t('sale-amount-label'),
    inputmode: 'decimal',
    hint: t('sale-amount-hint'),
  })
  const edition = selectField(state, {
    name: 'edition_uid',
    label: t('edition'),
    options: [
      { value: '', label: t('sale-every-edition') },
      ...editions.map(({ uid, name }) => ({ value: uid, label: name })),
    ],
  })
  const event = selectField(state, {
    name: 'event_uid',
    label: t('sale-event'),
    hint: t('sale-event-hint'),
    options: [
      { value: '', label: t('sale-own') },
      ...events.map(({ uid, name }) => ({ value: uid, label: name })),
    ],
  })
  const starts = timeField(state, {
    name: 'starts_at',
    label: t('sale-starts-label'),
    hint: t('sale-starts-hint'),
  })
  const ends = timeField(state, {
    name: 'ends_at',
    label: t('sale-ends-label'),
    hint: t('sale-ends-hint', { days: saleLimits.days }),
  })
  return fieldForm(state, { action: `${base}/sales`, names: saleNames, submit: t('sale-add') }, [
    html`<div class="pair">${percent}${amount}</div>`,
    html`${editions.length > 0 && edition} ${events.length > 0 && event}`,
    html`<div class="pair">${starts}${ends}</div>`,
  ])
}

async function showSales(project: ProjectContext, result: FormResult) {
  const { request, uid } = project
  const [offers, { events }] = await Promise.all([
    readApi(request, readOffersRoute, { params: { uid } }),
    readApi(request, saleEventsRoute),
  ])
  const now = new Date()
  const state = formState(result, 'sale', {})
  const is_free = offers.offers.every(({ list_minor }) => list_minor === 0)
  return renderListPage(project, 'sales', {
    title: t('section-sales'),
    before: subsection(
      'prices',
      t('prices-title'),
      offerForms(project, result, offers),
      t('prices-text'),
    ),
    list: {
      id: 'sales',
      title: t('sale-list'),
      about: t('sale-text'),
      columns,
      rows: offers.sales.map((sale) => saleRow(project, sale, now)),
      none: { title: t('sale-none'), text: t('sale-none-text') },
    },
    form: is_free
      ? { reason: t('sale-needs-price') }
      : { id: 'sale', title: t('sale-new'), body: saleForm(project, state, events) },
  })
}

const optionalUid = (sent: FormBody, name: string) => fieldValue(sent, name) || null

const readSale = (sent: FormBody) => ({
  percent: optionalNumber(sent, 'percent'),
  amount_cents: optionalCents(sent, 'amount_cents'),
  edition_uid: optionalUid(sent, 'edition_uid'),
  event_uid: optionalUid(sent, 'event_uid'),
  starts_at: readTime(sent, 'starts_at') ?? null,
  ends_at: readTime(sent, 'ends_at') ?? null,
})

const readOffer = (sent: FormBody) => ({
  prices: fieldLines(sent, 'prices').map(readPriceLine),
  pay_what_you_want: isChecked(sent, 'pay_what_you_want'),
  suggested_cents: optionalCents(sent, 'suggested_cents'),
})

const sendToSale = formSender(({ uid, params }) => ({ uid, sale_uid: params.sale! }))

export const salesRoutes = [
  projectPage('sales', 'Prices and sales of a project', showSales),
  projectForm('sales', 'Put a project on sale', sendTo(addSaleRoute, readSale), {
    form: 'sale',
    show: showSales,
    done: t('sale-added'),
    back: 'sales#sales',
  }),
  projectForm('sales/:sale/end', 'End a sale', sendToSale(endSaleRoute), {
    form: 'sale',
    show: showSales,
    done: t('sale-is-ended'),
    back: 'sales#sales',
  }),
  projectForm(
    'sales/offers/:offer',
    'Set prices in other currencies',
    (project, sent) =>
      sendTo(setOfferRoute, (body) => ({
        ...readOffer(body),
        edition_uid: editionOf(project.params.offer),
      }))(project, sent),
    {
      form: ({ params }) => `offer-${params.offer}`,
      show: showSales,
      done: t('prices-saved'),
      back: 'sales#prices',
    },
  ),
]
