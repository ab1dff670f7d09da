import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { GIB } from '../../../core/runtime/units.ts'
import { type Text, t } from '../../../core/text/text.ts'
import {
  MAX_QUOTA_NOTE,
  readQuotasRoute,
  removeQuotaRoute,
  setQuotaRoute,
} from '../../../operator/quotas/routes.ts'
import { callApi, readApi } from '../../call.ts'
import {
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  selectField,
  textField,
} from '../../components/form.ts'
import { dateTag, formatBytes } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { facts, table } from '../../components/table.ts'
import { storageBar } from '../../dashboard/storage-bar.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { consoleSubsection, renderConsole } from '../console-page.ts'

const URL = '/operator/quotas'
type Quotas = RouteData<typeof readQuotasRoute>
type Amount = Quotas['people'][number]
type Exception = Quotas['exceptions']['items'][number]

const quotaText = (bytes: number | null): Text =>
  bytes === null ? t('quota-unlimited') : formatBytes(bytes)

const defaultsList = ({ defaults, used }: Quotas): Html => html`
  ${facts([
    [t('quota-default-listing'), quotaText(defaults.listing_bytes)],
    [t('quota-default-account'), quotaText(defaults.account_bytes)],
    [t('quota-default-service'), quotaText(defaults.service_bytes)],
    [t('quota-players'), t('quota-players-percent', { percent: defaults.player_files_percent })],
    [t('quota-used'), formatBytes(used.developers + used.players)],
  ])}
  <p class="soft">
    ${richText('quota-defaults-text', { link: linkTo('/operator/settings#storage') })}
  </p>`

const amountTable = (
  caption: Text,
  items: readonly Amount[],
  link: (item: Amount) => Html,
): Html =>
  items.length
    ? table(
        caption,
        [t('quota-name'), t('quota-used'), t('quota-allowed')],
        items.map((item) => [
          link(item),
          storageBar(item.used_bytes, item.quota_bytes),
          html`
            ${quotaText(item.quota_bytes)}
            ${item.is_exception && html`<span class="soft">${t('quota-is-exception')}</span>`}`,
        ]),
      )
    : html`<p class="soft">${t('nothing-yet')}</p>`

const personLink = ({ username }: Amount): Html => html`
  <a href="/operator/people?q=${username}">${username}</a>`
const listingLink = ({ name, username }: Amount): Html => html`
  <a href="/operator/listings?q=${encodeURIComponent(name)}">${name}</a>
  <span class="soft">${username}</span>`

const exceptionTable = ({ exceptions }: Quotas): Html =>
  exceptions.items.length
    ? html`
        ${table(
          t('quota-exceptions'),
          [
            t('quota-name'),
            t('quota-used'),
            t('quota-allowed'),
            t('quota-note'),
            t('quota-set'),
            t('quota-action'),
          ],
          exceptions.items.map(exceptionRow),
        )}
        ${pager(URL, exceptions)}`
    : html`<p class="soft">${t('quota-no-exceptions')}</p>`

const exceptionRow = (exception: Exception) => [
  html`${exception.name} <span class="soft">${t(`quota-target-${exception.type}`)}</span>`,
  storageBar(exception.used_bytes, exception.quota_bytes),
  quotaText(exception.quota_bytes),
  exception.note,
  html`${dateTag(exception.set_at)} <span class="soft">${exception.set_by}</span>`,
  confirmButton({
    label: t('quota-remove'),
    sentence: t('quota-remove-text', { name: exception.name }),
    action: `${URL}/${exception.type}/${exception.uid}/remove`,
  }),
]

function exceptionForm(state: FormState): Html {
  const type = selectField(state, {
    name: 'type',
    label: t('quota-type'),
    required: true,
    options: [
      { value: 'person', label: t('quota-target-person') },
      { value: 'listing', label: t('quota-target-listing') },
    ],
  })
  const target = textField(state, {
    name: 'target',
    label: t('quota-target'),
    hint: t('quota-target-hint'),
    required: true,
    maxlength: 320,
  })
  const gib = textField(state, {
    name: 'bytes',
    label: t('quota-gib'),
    hint: t('quota-gib-hint'),
    inputmode: 'decimal',
  })
  const note = textField(state, {
    name: 'note',
    label: t('quota-note'),
    hint: t('quota-note-hint'),
    maxlength: MAX_QUOTA_NOTE,
  })
  const form = {
    action: URL,
    names: ['type', 'target', 'bytes', 'note'],
    submit: t('quota-set-it'),
  }
  const pairs = [
    html`<div class="pair">${type}${target}</div>`,
    html`<div class="pair">${gib}${note}</div>`,
  ]
  return fieldForm(state, form, pairs)
}

type View = { state?: FormState; page?: number }

async function renderQuotas(context: Context, { state = emptyForm, page = 1 }: View = {}) {
  const quotas = await readApi(context.request, readQuotasRoute, { query: { page } })
  const { people, listings } = quotas
  return renderConsole(context, URL, {
    body: html`
      ${consoleSubsection('defaults', t('quota-defaults'), defaultsList(quotas))}
      ${consoleSubsection('exceptions', t('quota-exceptions'), exceptionTable(quotas))}
      ${consoleSubsection('set', t('quota-new'), exceptionForm(state))}
      ${consoleSubsection(
        'people',
        t('quota-largest-people'),
        amountTable(t('quota-largest-people'), people, personLink),
      )}
      ${consoleSubsection(
        'listings',
        t('quota-largest-listings'),
        amountTable(t('quota-largest-listings'), listings, listingLink),
      )}`,
  })
}

const showQuotas = getPage(URL, 'The quotas of storage', {
  auth: consoleOperator,
  query: Type.Object({ page: Type.String({ default: '' }) }),
  handle: (input) => renderQuotas(input, { page: pageNumber(input.query.page) }),
})

/** An empty field is no limit. The API refuses a negative number, and so what is none. */
function readBytes(sent: FormBody): number | null {
  const text = fieldValue(sent, 'bytes').trim().replace(',', '.')
  const bytes = Math.round(Number(text) * GIB)
  if (text === '') return null
  return Number.isFinite(bytes) ? bytes : -1
}

const setQuota = postForm(URL, 'Set the quota of a person or listing', {
  auth: consoleOperator,
  async handle(input) {
    const { request, reply, body: sent } = input
    const answer = await callApi(request, setQuotaRoute, {
      params: {
        type: fieldValue(sent, 'type') as 'person',
        target: fieldValue(sent, 'target').trim() || '-',
      },
      body: { bytes: readBytes(sent), note: fieldValue(sent, 'note') },
    })
    if (answer.ok) return redirectTo(reply, URL, t('quota-saved'))
    reply.code(answer.status)
    return renderQuotas(input, { state: rejectedForm(sent, answer) })
  },
})

const removeQuota = postForm(`${URL}/:type/:target/remove`, 'Remove the quota of a person', {
  auth: consoleOperator,
  params: Type.Object({ type: Type.String(), target: Type.String() }),
  async handle({ request, reply, params: { type, target } }) {
    const params = { type: type as 'person', target }
    const answer = await callApi(request, removeQuotaRoute, { params })
    return redirectTo(reply, URL, answer.ok ? t('quota-removed') : answer.message)
  },
})

export const quotaPages = [showQuotas, setQuota, removeQuota]
