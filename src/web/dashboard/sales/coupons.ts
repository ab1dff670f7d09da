import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { couponLimits } from '../../../payments/coupons/coupon-rules.ts'
import {
  addCouponRoute,
  endCouponRoute,
  listCouponsRoute,
} from '../../../payments/coupons/routes.ts'
import { readApi } from '../../call.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  textArea,
  textField,
} from '../../components/form.ts'
import { dateTimeTag, formatNumber } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { readTime, timeField } from '../../components/time-field.ts'
import { formSender, formState, projectForm, sendTo } from '../project-form.ts'
import { type FormResult, type ProjectContext, projectPage } from '../project-page.ts'
import { endButton, periodBadge, reductionText, renderListPage } from './list-page.ts'
import { optionalCents, optionalNumber } from './optional-values.ts'

type Coupon = RouteData<typeof listCouponsRoute>['coupons'][number]

const usesText = ({ uses, max_uses }: Coupon): Text =>
  max_uses === null ? formatNumber(uses) : t('coupon-used-of', { uses, max: max_uses })

const couponRow = (base: string, coupon: Coupon, now: Date) => [
  html`<code>${coupon.code}</code>`,
  reductionText(coupon),
  usesText(coupon),
  formatNumber(coupon.game_uids.length),
  coupon.ends_at ? dateTimeTag(coupon.ends_at) : '–',
  periodBadge(coupon, now),
  endButton(coupon, now, {
    sentence: t('coupon-end-text'),
    action: `${base}/coupons/${coupon.uid}/end`,
  }),
]

const columns = [
  t('coupon-code'),
  t('sale-reduction'),
  t('coupon-uses'),
  t('coupon-listings'),
  t('sale-to'),
  t('column-status'),
  t('sale-action'),
]

const names = [
  'code',
  'percent',
  'amount_cents',
  'max_uses',
  'max_per_person',
  'games',
  'starts_at',
  'ends_at',
]

function couponForm(base: string, state: FormState): Html {
  const code = textField(state, {
    name: 'code',
    label: t('coupon-code'),
    required: true,
    maxlength: couponLimits.code,
    hint: t('coupon-code-hint'),
  })
  const percent = textField(state, {
    name: 'percent',
    label: t('sale-percent-label'),
    type: 'number',
    min: 1,
    max: 100,
  })
  const amount = textField(state, {
    name: 'amount_cents',
    label: t('sale-amount-label'),
    inputmode: 'decimal',
    hint: t('coupon-amount-hint'),
  })
  const uses = textField(state, {
    name: 'max_uses',
    label: t('coupon-max-uses'),
    type: 'number',
    min: 1,
    max: couponLimits.uses,
  })
  const per_person = textField(state, {
    name: 'max_per_person',
    label: t('coupon-per-person'),
    type: 'number',
    min: 1,
    max: couponLimits.per_person,
    required: true,
  })
  const games = textArea(state, {
    name: 'games',
    label: t('coupon-games'),
    rows: 3,
    hint: t('coupon-games-hint'),
  })
  const starts = timeField(state, {
    name: 'starts_at',
    label: t('sale-starts-label'),
    hint: t('sale-starts-hint'),
  })
  const ends = timeField(state, { name: 'ends_at', label: t('sale-ends-label') })
  return fieldForm(state, { action: `${base}/coupons`, names, submit: t('coupon-add') }, [
    code,
    html`<div class="pair">${percent}${amount}</div>`,
    html`<div class="pair">${uses}${per_person}</div>`,
    games,
    html`<div class="pair">${starts}${ends}</div>`,
  ])
}

async function showCoupons(project: ProjectContext, result: FormResult) {
  const { request, uid, base } = project
  const { coupons } = await readApi(request, listCouponsRoute, { params: { uid } })
  const now = new Date()
  const state = formState(result, 'coupon', { max_per_person: 1 })
  return renderListPage(project, 'coupons', {
    title: t('section-coupons'),
    list: {
      id: 'coupons',
      title: t('coupon-list'),
      about: t('coupon-text'),
      columns,
      rows: coupons.map((coupon) => couponRow(base, coupon, now)),
      none: { title: t('coupon-none'), text: t('coupon-none-text') },
    },
    form: { id: 'coupon', title: t('coupon-new'), body: couponForm(base, state) },
  })
}

const readCoupon = (sent: FormBody) => ({
  code: fieldValue(sent, 'code'),
  percent: optionalNumber(sent, 'percent'),
  amount_cents: optionalCents(sent, 'amount_cents'),
  max_uses: optionalNumber(sent, 'max_uses'),
  max_per_person: optionalNumber(sent, 'max_per_person') ?? 1,
  games: fieldLines(sent, 'games'),
  starts_at: readTime(sent, 'starts_at') ?? null,
  ends_at: readTime(sent, 'ends_at') ?? null,
})

const sendToCoupon = formSender(({ uid, params }) => ({ uid, coupon_uid: params.coupon! }))

export const couponPageRoutes = [
  projectPage('coupons', 'The coupons of a project', showCoupons),
  projectForm('coupons', 'Make a coupon', sendTo(addCouponRoute, readCoupon), {
    form: 'coupon',
    show: showCoupons,
    done: t('coupon-added'),
    back: 'coupons#coupons',
  }),
  projectForm('coupons/:coupon/end', 'End a coupon', sendToCoupon(endCouponRoute), {
    form: 'coupon',
    show: showCoupons,
    done: t('coupon-ended'),
    back: 'coupons#coupons',
  }),
]
