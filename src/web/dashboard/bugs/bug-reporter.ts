import { deliveryErrorText } from '../../../bugs/deliveries/error-text.ts'
import {
  readBugReporter,
  refreshSigningKey,
  replayBugDelivery,
  revealSigningKey,
  saveBugReporter,
} from '../../../bugs/settings/routes.ts'
import { MAX_DAILY_CAP, MAX_WEBHOOKS } from '../../../bugs/settings/settings.ts'
import type { Route, RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { readApi } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import {
  checkField,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  isChecked,
  textArea,
  textField,
} from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { postButton, secretField } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import { formSender, formState, projectForm, sendTo } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'

type Reporter = RouteData<typeof readBugReporter>
type Delivery = Reporter['deliveries'][number]
type Webhook = Reporter['webhooks'][number]

const MAX_DELIVERIES_SHOWN = 20
const fields = ['enabled', 'daily_cap', 'webhook_urls']

function deliveryRow(base: string, delivery: Delivery) {
  const { uid, url, error, status, attempts, created_at } = delivery
  return [
    dateTimeTag(created_at),
    html`
      <span class="mono">${url}</span>
      ${error && html`<br><small class="soft">${deliveryErrorText(error)}</small>`}`,
    stateBadge(status),
    attempts,
    postButton(t('webhook-send-again'), `${base}/bugs/deliveries/${uid}/replay`),
  ]
}

const deliveryTable = (base: string, deliveries: Delivery[]): Html =>
  table(
    t('webhook-deliveries'),
    [t('column-when'), t('webhook'), t('column-status'), t('webhook-attempts'), ''],
    deliveries.slice(0, MAX_DELIVERIES_SHOWN).map((delivery) => deliveryRow(base, delivery)),
  )

function webhookLine({ url, state, pending, last_error }: Webhook): Html {
  const waiting = t('webhook-pending', { count: pending })
  return html`
    <li class="row">
      ${stateBadge(state)}
      <span class="mono">${url}</span>
      ${pending > 0 && html`<span class="soft">${waiting}</span>`}
      ${last_error && html`<span class="error-text">${deliveryErrorText(last_error)}</span>`}
    </li>`
}

function reporterForm(base: string, state: FormState): Html {
  const enabled = checkField(state, {
    name: 'enabled',
    label: t('bug-reporter-enabled'),
  })
  const daily_cap = textField(state, {
    name: 'daily_cap',
    label: t('bug-reporter-cap'),
    type: 'number',
    min: 1,
    max: MAX_DAILY_CAP,
    required: true,
  })
  const webhook_urls = textArea(state, {
    name: 'webhook_urls',
    label: t('bug-reporter-webhooks', { max: MAX_WEBHOOKS }),
    rows: 3,
    hint: t('bug-reporter-webhooks-hint'),
  })
  return fieldForm(
    state,
    { action: `${base}/bugs/reporter`, names: fields, submit: t('bug-reporter-save') },
    [enabled, daily_cap, webhook_urls],
  )
}

const signingKey = (base: string, value: string | undefined): Html =>
  secretField({
    id: 'signing-key',
    name: t('signing-key'),
    about: t('signing-key-text'),
    value,
    reveal: `${base}/bugs/signing-key/reveal`,
    replace: {
      action: `${base}/bugs/signing-key`,
      sentence: t('signing-key-replace'),
    },
  })

/** The in-game bug reporter: its settings, its signing key and the webhook deliveries. */
export async function reporterSubsections(
  project: ProjectContext,
  result: FormResult,
): Promise<Html> {
  const { request, uid, base } = project
  const reporter = await readApi(request, readBugReporter, { params: { uid } })
  const { webhooks, deliveries, has_signing_key } = reporter
  const new_key = result.secrets?.signing_key
  const settings = html`
    ${reporterForm(base, formState(result, 'reporter', reporter))}
    ${webhooks.length > 0 && html`<ul class="bare">${webhooks.map(webhookLine)}</ul>`}`
  return html`
    ${subsection('reporter', t('bug-reporter'), settings, t('bug-reporter-text'))}
    ${(has_signing_key || new_key) && signingKey(base, new_key)}
    ${
      deliveries.length > 0 &&
      subsection('deliveries', t('webhook-deliveries'), deliveryTable(base, deliveries))
    }`
}

const sendToDelivery = formSender(({ uid, params }) => ({
  uid,
  delivery_uid: params.delivery!,
}))

const readReporter = (sent: FormBody) => ({
  enabled: isChecked(sent, 'enabled'),
  daily_cap: Number(fieldValue(sent, 'daily_cap')),
  webhook_urls: fieldLines(sent, 'webhook_urls'),
})

export const reporterRoutes = (show: ShowPage): Route[] => [
  projectForm('bugs/reporter', 'Save the bug reporter', sendTo(saveBugReporter, readReporter), {
    form: 'reporter',
    show,
    done: t('bug-reporter-saved'),
    back: 'bugs#reporter',
  }),
  projectForm('bugs/signing-key/reveal', 'Show the signing key', sendTo(revealSigningKey), {
    form: 'reporter',
    show,
    reveal: ({ signing_key }) => ({ signing_key }),
  }),
  projectForm('bugs/signing-key', 'Replace the signing key', sendTo(refreshSigningKey), {
    form: 'reporter',
    show,
    reveal: ({ signing_key }) => ({ signing_key }),
  }),
  projectForm(
    'bugs/deliveries/:delivery/replay',
    'Send a webhook delivery again',
    sendToDelivery(replayBugDelivery),
    {
      form: 'reporter',
      show,
      done: t('webhook-queued'),
      back: 'bugs#deliveries',
    },
  ),
]
