import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { keyLimits } from '../../../library/keys/redeem-key.ts'
import {
  decideKeyRequestRoute,
  listKeyRequestsRoute,
  openKeyRequestsRoute,
} from '../../../library/keys/request-routes.ts'
import {
  addKeyBatchRoute,
  listKeyBatchesRoute,
  revokeKeyBatchRoute,
} from '../../../library/keys/routes.ts'
import { readApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  selectField,
  textField,
} from '../../components/form.ts'
import { dateTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { ugcLink } from '../../components/link.ts'
import { confirmButton, postButton } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import { readTime, timeField } from '../../components/time-field.ts'
import { formSender, formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { renderListPage } from './list-page.ts'
import { optionalNumber } from './optional-values.ts'

type Batch = RouteData<typeof listKeyBatchesRoute>['batches'][number]

/** The keys cannot be read again, so the page offers them as text and as a file. */
const newKeys = (csv: string): Html => html`
  <div class="notice notice-ok" role="status">
    <div>
      <p>${t('keys-made')}</p>
      <p>
        <a class="button button-ink button-small" download="keys.csv"
          href="data:text/csv;charset=utf-8,${encodeURIComponent(csv)}">${t('keys-download')}</a>
      </p>
      <label class="sr" for="new-keys">${t('keys-new-list')}</label>
      <textarea id="new-keys" class="mono" rows="8" readonly>
${csv}</textarea>
    </div>
  </div>`

function stateBadge({ state }: Batch): Html {
  if (state === 'open') return badge(t('keys-open'), 'ok')
  return state === 'revoked' ? badge(t('keys-revoked'), 'bad') : badge(t('keys-expired'))
}

const batchRow = (base: string, batch: Batch) => [
  batch.label,
  batch.edition?.name ?? '–',
  html`
    ${t('coupon-used-of', { uses: batch.redeemed, max: batch.size })}
    ${batch.last_redeemed_at && html`<br><small>${dateTag(batch.last_redeemed_at)}</small>`}`,
  dateTag(batch.created_at),
  batch.expires_at ? dateTag(batch.expires_at) : '–',
  stateBadge(batch),
  batch.state === 'revoked'
    ? ''
    : confirmButton({
        label: t('keys-revoke'),
        sentence: t('keys-revoke-text'),
        action: `${base}/keys/${batch.uid}/revoke`,
      }),
]

const batchColumns = [
  t('keys-label'),
  t('edition'),
  t('keys-redeemed'),
  t('keys-created'),
  t('keys-expires'),
  t('column-status'),
  t('sale-action'),
]

function batchForm({ base, listing }: ProjectContext, state: FormState): Html {
  const label = textField(state, {
    name: 'label',
    label: t('keys-label'),
    hint: t('keys-label-hint'),
    required: true,
    maxlength: keyLimits.label,
  })
  const size = textField(state, {
    name: 'size',
    label: t('keys-size'),
    type: 'number',
    min: 1,
    max: keyLimits.per_batch,
    required: true,
  })
  const edition = selectField(state, {
    name: 'edition',
    label: t('edition'),
    options: [
      { value: '', label: t('keys-no-edition') },
      ...listing.editions.map(({ uid, name }) => ({ value: uid, label: name })),
    ],
  })
  const expires = timeField(state, { name: 'expires_at', label: t('keys-expires-label') })
  const names = ['label', 'size', 'edition', 'expires_at']
  return fieldForm(state, { action: `${base}/keys`, names, submit: t('keys-make') }, [
    label,
    html`<div class="pair">${size}${expires}</div>`,
    html`${listing.editions.length > 0 && edition}`,
  ])
}

async function showKeys(project: ProjectContext, result: FormResult) {
  const { request, uid, base, is_owner } = project
  if (!is_owner)
    return renderSection(project, 'keys', {
      title: t('section-keys'),
      body: html`<p>${t('keys-owner-only')}</p>`,
    })
  const [{ batches }, requests] = await Promise.all([
    readApi(request, listKeyBatchesRoute, { params: { uid } }),
    readApi(request, listKeyRequestsRoute, { params: { uid } }),
  ])
  const state = formState(result, 'keys', { size: 100 })
  return renderListPage(project, 'keys', {
    title: t('section-keys'),
    before: result.secrets?.csv ? newKeys(result.secrets.csv) : undefined,
    list: {
      id: 'batches',
      title: t('keys-batches'),
      about: t('keys-text'),
      columns: batchColumns,
      rows: batches.map((batch) => batchRow(base, batch)),
      none: { title: t('keys-none'), text: t('keys-none-text') },
    },
    form: { id: 'keys', title: t('keys-new'), body: batchForm(project, state) },
    after: subsection(
      'requests',
      t('key-requests'),
      requestList(base, requests),
      t('key-requests-text'),
    ),
  })
}

type Requests = RouteData<typeof listKeyRequestsRoute>
type KeyRequest = Requests['requests'][number]

const requestState = ({ state }: KeyRequest): Html =>
  ({
    waiting: badge(t('key-request-waiting'), 'warn'),
    approved: badge(t('key-request-approved'), 'ok'),
    declined: badge(t('key-request-declined')),
  })[state]

const decisionButtons = (base: string, { uid, state }: KeyRequest): Html | string =>
  state === 'waiting'
    ? html`
        ${postButton(t('key-request-approve'), `${base}/keys/requests/${uid}/approve`)}
        ${postButton(t('key-request-decline'), `${base}/keys/requests/${uid}/decline`)}`
    : ''

function requestList(base: string, { open, requests }: Requests): Html {
  const rows = requests.map((item) => [
    html`<a href="/${item.username}">${item.username}</a>`,
    item.kind === 'press' ? t('key-request-press') : t('key-request-creator'),
    html`${ugcLink(item.url, item.outlet)}<br>${item.message}`,
    requestState(item),
    decisionButtons(base, item),
  ])
  const columns = [
    t('key-request-column-person'),
    t('key-request-column-kind'),
    t('key-request-column-outlet'),
    t('key-request-column-state'),
    t('key-request-column-action'),
  ]
  return html`
    <p>${open ? badge(t('key-requests-open'), 'ok') : badge(t('key-requests-closed'))}</p>
    ${
      open
        ? postButton(t('key-requests-close'), `${base}/keys/requests/close`)
        : postButton(t('key-requests-allow'), `${base}/keys/requests/open`)
    }
    ${rows.length > 0 && table(t('key-requests'), columns, rows)}`
}

const sendToRequest = formSender(({ uid, params }) => ({ uid, request_uid: params.request! }))

const readBatch = (sent: FormBody) => ({
  label: fieldValue(sent, 'label'),
  size: optionalNumber(sent, 'size'),
  edition: fieldValue(sent, 'edition').slice(0, 64) || null,
  expires_at: readTime(sent, 'expires_at') ?? null,
})

const sendToBatch = formSender(({ uid, params }) => ({ uid, batch_uid: params.batch! }))

export const keyPageRoutes = [
  projectPage('keys', 'The redeem keys of a project', showKeys),
  projectForm('keys', 'Make redeem keys', sendTo(addKeyBatchRoute, readBatch), {
    form: 'keys',
    show: showKeys,
    reveal: ({ keys }) => ({ csv: `key\n${keys.join('\n')}\n` }),
  }),
  projectForm('keys/:batch/revoke', 'Revoke redeem keys', sendToBatch(revokeKeyBatchRoute), {
    form: 'keys',
    show: showKeys,
    done: t('keys-are-revoked'),
    back: 'keys#batches',
  }),
  ...(['open', 'close'] as const).map((action) =>
    projectForm(
      `keys/requests/${action}`,
      'Set whether people can ask for keys',
      sendTo(openKeyRequestsRoute, () => ({ open: action === 'open' })),
      {
        form: 'keys',
        show: showKeys,
        done: t(action === 'open' ? 'key-requests-are-open' : 'key-requests-are-closed'),
        back: 'keys#requests',
      },
    ),
  ),
  ...(['approve', 'decline'] as const).map((decision) =>
    projectForm(
      `keys/requests/:request/${decision}`,
      'Decide about a request for a key',
      sendToRequest(decideKeyRequestRoute, () => ({ decision })),
      {
        form: 'keys',
        show: showKeys,
        done: t(decision === 'approve' ? 'key-request-is-approved' : 'key-request-is-declined'),
        back: 'keys#requests',
      },
    ),
  ),
]
