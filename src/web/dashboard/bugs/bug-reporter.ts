import type { Route } from '../../../core/http/route.ts'
import { read } from '../../call.ts'
import { stateBadge } from '../../components/badge.ts'
import {
  button,
  checkField,
  fieldLines,
  fieldValue,
  formMessage,
  isChecked,
  textArea,
  textField,
} from '../../components/form.ts'
import { dateTimeTag, formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { postButton, secretField } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import { type Desk, deskForm, type Filled, formOf, type Show, section } from '../project-page.ts'

type Delivery = {
  uid: string
  bug_uid: string
  url: string
  status: string
  attempts: number
  response_status: number | null
  error: string | null
  created_at: string
}
type Reporter = {
  enabled: boolean
  daily_cap: number
  webhook_urls: string[]
  signing_key: string | null
  webhooks: { url: string; state: string; pending: number; last_error: string | null }[]
  deliveries: Delivery[]
}

const fields = ['enabled', 'daily_cap', 'webhook_urls']

const deliveries = (base: string, rows: Delivery[]): Html =>
  table(
    'Deliveries',
    ['When', 'To', 'State', 'Tries', ''],
    rows
      .slice(0, 20)
      .map((row) => [
        dateTimeTag(row.created_at),
        html`<span class="mono">${row.url}</span>${row.error && html`<br><small class="soft">${row.error}</small>`}`,
        stateBadge(row.status),
        row.attempts,
        postButton('Send again', `${base}/bugs/deliveries/${row.uid}/replay`),
      ]),
  )

/** The reporter inside the game: on or off, how much, to whom, and the key that signs it. */
export async function reporterParts(desk: Desk, filled: Filled): Promise<Html> {
  const { request, api, base } = desk
  const reporter = await read<Reporter>(request, `${api}/bug-reporter`)
  const state = formOf(filled, 'reporter', reporter)
  return html`${section(
    'reporter',
    'Reporter in the game',
    html`${formMessage(state, fields)}<form class="form" method="post" action="${base}/bugs/reporter">
${checkField(state, { name: 'enabled', label: 'Players can report from inside the game' })}
${textField(state, { name: 'daily_cap', label: 'Reports a player may send in a day', type: 'number', min: 1, max: 10_000, required: true })}
${textArea(state, { name: 'webhook_urls', label: 'Webhooks, up to five', rows: 3, hint: 'One https address a line. Each new ticket is sent there, signed.' })}${button('Save the reporter', { kind: 'ink' })}</form>
${reporter.webhooks.length > 0 && html`<ul class="bare">${reporter.webhooks.map(({ url, state: how, pending, last_error }) => html`<li class="row">${stateBadge(how)}<span class="mono">${url}</span>${pending > 0 && html`<span class="soft">${formatCount(pending, 'delivery', 'deliveries')} waiting</span>`}${last_error && html`<span class="wrong">${last_error}</span>`}</li>`)}</ul>`}`,
    'Off by default. Reports from the store page always work.',
  )}
${
  (reporter.signing_key || filled.shown?.signing_key) &&
  secretField({
    name: 'Signing key',
    about: 'Your receiver checks with it that a webhook came from here.',
    value: filled.shown?.signing_key,
    reveal: `${base}/bugs/signing-key/reveal`,
    replace: {
      action: `${base}/bugs/signing-key`,
      sentence:
        'Webhooks and screenshot links that were signed with the old key no longer verify. Give your receivers the new one first thing.',
    },
  })
}
${reporter.deliveries.length > 0 && section('deliveries', 'Deliveries', deliveries(base, reporter.deliveries))}`
}

export const reporterRoutes = (show: Show): Route[] => [
  deskForm('bugs/reporter', 'Save the bug reporter', {
    form: 'reporter',
    show,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/bug-reporter`,
      body: {
        enabled: isChecked(sent, 'enabled'),
        daily_cap: Number(fieldValue(sent, 'daily_cap')),
        webhook_urls: fieldLines(sent, 'webhook_urls'),
      },
    }),
    done: 'Saved',
    back: 'bugs#reporter',
  }),
  deskForm('bugs/signing-key/reveal', 'Show the signing key', {
    form: 'reporter',
    show,
    send: ({ api }) => ({ method: 'GET', url: `${api}/bug-reporter` }),
    done: '',
    back: 'bugs',
    reveal: ({ data }) => ({ signing_key: data.signing_key ?? '' }),
  }),
  deskForm('bugs/signing-key', 'Replace the signing key', {
    form: 'reporter',
    show,
    send: ({ api }) => ({ method: 'POST', url: `${api}/bug-reporter/signing-key` }),
    done: '',
    back: 'bugs',
    reveal: ({ data }) => ({ signing_key: data.signing_key }),
  }),
  deskForm('bugs/deliveries/:delivery/replay', 'Send a delivery again', {
    form: 'reporter',
    show,
    send: ({ api, params }) => ({
      method: 'POST',
      url: `${api}/bug-reporter/deliveries/${encodeURIComponent(params.delivery!)}/replay`,
    }),
    done: 'On its way again',
    back: 'bugs#deliveries',
  }),
]
