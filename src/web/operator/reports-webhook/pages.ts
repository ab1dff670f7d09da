import { Type } from 'typebox'
import { deliveryErrorText } from '../../../bugs/deliveries/error-text.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { targetText } from '../../../moderation/mail-templates.ts'
import {
  listReportDeliveriesRoute,
  readReportsSigningKeyRoute,
  replaceReportsSigningKeyRoute,
  replayReportDeliveryRoute,
  testReportsWebhookRoute,
} from '../../../moderation/webhook/routes.ts'
import { callApi, readApi, toRefusal } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { postButton, secretField } from '../../components/secret-field.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { consoleSubsection, renderConsole } from '../console-page.ts'

const URL = '/operator/settings/reports-webhook'
type Delivery = RouteData<typeof listReportDeliveriesRoute>['items'][number]

const deliveryRow = (delivery: Delivery) => {
  const { uid, target_type, target_id, target_name, error, status, attempts } = delivery
  const target = `/operator/moderation/${target_type}/${encodeURIComponent(target_id)}`
  return [
    dateTimeTag(delivery.created_at),
    html`
      <a href="${target}">${targetText(target_type, target_name)}</a>
      ${error && html`<br><small class="soft">${deliveryErrorText(error)}</small>`}`,
    stateBadge(status),
    attempts,
    postButton(t('webhook-send-again'), `${URL}/deliveries/${uid}/replay`),
  ]
}

const deliveryTable = (deliveries: readonly Delivery[]): Html =>
  deliveries.length
    ? table(
        t('webhook-deliveries'),
        [
          t('column-when'),
          t('moderation-target'),
          t('column-status'),
          t('webhook-attempts'),
          t('webhook-send-again'),
        ],
        deliveries.map(deliveryRow),
      )
    : emptyState(t('reports-webhook-nothing'), t('reports-webhook-nothing-text'))

const signingKey = (value: string | undefined): Html =>
  secretField({
    id: 'signing-key',
    name: t('signing-key'),
    about: t('signing-key-text'),
    value,
    reveal: `${URL}/signing-key/reveal`,
    replace: { action: `${URL}/signing-key`, sentence: t('reports-webhook-key-replace') },
  })

type Shown = { page?: string; signing_key?: string }

async function renderWebhook(context: Context, { page = '1', signing_key }: Shown = {}) {
  const { reports_webhook_url: url } = context.core.settings.current
  const deliveries = await readApi(context.request, listReportDeliveriesRoute, {
    query: { page: pageNumber(page) },
  })
  const settings = linkTo('/operator/settings#reports')
  return renderConsole(context, '/operator/settings', {
    title: t('reports-webhook'),
    body: html`
      <p class="soft">${richText('reports-webhook-text', { link: settings })}</p>
      ${facts([
        [t('reports-webhook-address'), url ? html`<code>${url}</code>` : t('setting-is-empty')],
      ])}
      ${url && postButton(t('reports-webhook-test'), `${URL}/test`, { kind: 'ink' })}
      ${consoleSubsection('signature', t('reports-webhook-signature'), signingKey(signing_key))}
      ${consoleSubsection(
        'deliveries',
        t('webhook-deliveries'),
        html`${deliveryTable(deliveries.items)}${pager(URL, deliveries)}`,
      )}`,
  })
}

export const reportsWebhookPage = getPage(URL, 'The webhook for reports', {
  auth: consoleOperator,
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  handle: (input) => renderWebhook(input, input.query),
})

export const submitTest = postForm(`${URL}/test`, 'Send a test to the webhook for reports', {
  auth: consoleOperator,
  async handle({ request, reply }) {
    const answer = await callApi(request, testReportsWebhookRoute)
    if (!answer.ok) return redirectTo(reply, URL, answer.message)
    const { error } = answer.data
    const message =
      error === null
        ? t('reports-webhook-tested')
        : t('reports-webhook-test-failed', { error: deliveryErrorText(error) })
    return redirectTo(reply, URL, message)
  },
})

export const revealKey = postForm(`${URL}/signing-key/reveal`, 'Show the signing key of reports', {
  auth: consoleOperator,
  handle: async (input) =>
    renderWebhook(input, await readApi(input.request, readReportsSigningKeyRoute)),
})

export const replaceKey = postForm(`${URL}/signing-key`, 'Replace the signing key of reports', {
  auth: consoleOperator,
  handle: async (input) =>
    renderWebhook(input, await readApi(input.request, replaceReportsSigningKeyRoute)),
})

export const replayDelivery = postForm(
  `${URL}/deliveries/:uid/replay`,
  'Send a report to the webhook again',
  {
    auth: consoleOperator,
    params: Type.Object({ uid: Type.String({ format: 'uuid' }) }),
    async handle({ request, reply, params }) {
      const answer = await callApi(request, replayReportDeliveryRoute, { params })
      if (!answer.ok && answer.status === 404) throw toRefusal(answer)
      return redirectTo(reply, URL, answer.ok ? t('webhook-queued') : answer.message)
    },
  },
)

export const reportsWebhookPages = [
  reportsWebhookPage,
  submitTest,
  revealKey,
  replaceKey,
  replayDelivery,
]
