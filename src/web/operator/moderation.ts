import { Type } from 'typebox'
import { suspensionScopes } from '../../accounts/people/suspension.ts'
import type { RouteData } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { listTexts, type Text, t } from '../../core/text/text.ts'
import { type ContentWarning, contentWarnings } from '../../listings/fields/fields.ts'
import { imageKey } from '../../listings/media/url.ts'
import { type Action, type Ground, grounds, type TargetType } from '../../moderation/decisions.ts'
import { actionTexts, groundTexts, targetText } from '../../moderation/mail-templates.ts'
import { findReportImage } from '../../moderation/queue/queries.ts'
import { assignRoute, readQueueRoute, readTargetRoute } from '../../moderation/queue/routes.ts'
import { kindTexts } from '../../moderation/reports/mail-templates.ts'
import { listActionsRoute, takeAction } from '../../moderation/routes.ts'
import { callApi, readApi } from '../call.ts'
import { fieldLabel } from '../components/field-text.ts'
import {
  choiceField,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  fieldValues,
  rejectedForm,
  selectField,
  textArea,
  textField,
} from '../components/form.ts'
import { dateTimeTag, labelOf } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { pager } from '../components/pager.ts'
import { postButton } from '../components/secret-field.ts'
import { emptyState, facts, table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleModerator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'

const MODERATION = '/operator/moderation'

type Queue = RouteData<typeof readQueueRoute>
type Target = RouteData<typeof readTargetRoute>
type Report = Target['reports'][number]
type Log = RouteData<typeof listActionsRoute>['items']

const targetPath = (type: string, id: string) => `${MODERATION}/${type}/${encodeURIComponent(id)}`

const queueRow = (item: Queue['items'][number]) => [
  html`
    <a href="${targetPath(item.target_type, item.target_id)}">
      ${targetText(item.target_type, item.target_name)}
    </a>`,
  item.reports,
  listTexts(item.kinds.map((kind) => kindTexts[kind])),
  dateTimeTag(item.newest_at),
  item.assigned_to ?? '',
]

export const queuePage = getPage(MODERATION, 'Open reports, for moderators', {
  auth: consoleModerator,
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  async handle(input) {
    const queue = await readApi(input.request, readQueueRoute, { query: input.query })
    const head = [
      t('moderation-target'),
      t('moderation-reports'),
      t('report-kind'),
      t('moderation-newest'),
      t('moderation-assigned'),
    ]
    const list = html`
      ${table(t('moderation-open-reports'), head, queue.items.map(queueRow))}
      ${pager(MODERATION, queue)}`
    const none = emptyState(t('moderation-queue-empty'), t('moderation-queue-empty-text'))
    return renderConsole(input, MODERATION, {
      body: html`
        <p><a href="${MODERATION}/sweeps">${t('sweeps')}</a></p>
        <p><a href="${MODERATION}/appeals">${t('appeals')}</a></p>
        ${queue.items.length ? list : none}`,
    })
  },
})

/** One text as it is, or several as a list. */
const textList = (values: readonly string[]): Html =>
  values.length === 1
    ? html`<span class="pre-line">${values[0]}</span>`
    : html`<ul class="plain">${values.map((value) => html`<li>${value}</li>`)}</ul>`

function snapshotPart({ snapshot, images }: Report): Html {
  const rows = snapshot.map(({ name, values }) => [name, textList(values)] as const)
  return html`
    <details>
      <summary>${t('moderation-snapshot')}</summary>
      ${facts(rows)}
      ${images.map(
        (sha256) => html`
          <img src="${MODERATION}/images/${sha256}" alt="" width="240" loading="lazy">`,
      )}
    </details>`
}

const reportCard = (report: Report): Html => html`
  <article class="panel">
    <p>
      <span class="label">${kindTexts[report.kind]}</span>
      <span class="soft">${dateTimeTag(report.created_at)}</span>
      ${report.decided_at && html`<span class="label">${t('moderation-decided')}</span>`}
    </p>
    <p class="pre-line">${report.text}</p>
    ${report.urls.length > 0 && facts([[t('report-urls'), textList(report.urls)]])}
    ${
      report.copyright &&
      facts([
        [t('report-work'), report.copyright.work],
        [t('report-holder'), report.copyright.holder],
        [t('report-signature'), report.copyright.signature],
      ])
    }
    <p class="soft">
      ${t('moderation-reporter-record', {
        reports: report.reporter_reports,
        upheld: report.reporter_upheld,
      })}
    </p>
    ${snapshotPart(report)}
  </article>`

export const decisionNames: Record<Action, Text> = {
  dismiss: t('moderation-do-dismiss'),
  warn: t('moderation-do-warn'),
  label: t('moderation-do-label'),
  hide: t('moderation-do-hide'),
  take_down: t('moderation-do-take-down'),
  quarantine: t('moderation-do-quarantine'),
  remove: t('moderation-do-remove'),
  suspend: t('moderation-do-suspend'),
  restore: t('moderation-do-restore'),
}

const scopeNames = {
  publishing: t('moderation-scope-publishing'),
  everything: t('moderation-scope-everything'),
}

const choose = { value: '', label: t('report-choose') }
const groundOptions = grounds.map((value) => ({ value, label: groundTexts[value] }))
const scopeOptions = suspensionScopes.map((value) => ({ value, label: scopeNames[value] }))

const suspensionFields = (state: FormState): Html => html`
  ${selectField(state, {
    name: 'scope',
    label: t('moderation-scope'),
    options: scopeOptions,
  })}
  ${textField(state, {
    name: 'days',
    label: t('moderation-days'),
    hint: t('moderation-days-hint'),
    type: 'number',
    min: 1,
    max: 3650,
  })}`

/** The ground and facts of a decision, and the sentence for the person concerned. */
export const reasonFields = (state: FormState): Html => html`
  ${selectField(state, {
    name: 'ground',
    label: t('moderation-ground'),
    options: [choose, ...groundOptions],
    required: true,
  })}
  ${textArea(state, {
    name: 'facts',
    label: t('moderation-facts'),
    rows: 4,
    maxlength: 4000,
    required: true,
  })}
  ${textArea(state, {
    name: 'statement',
    label: t('moderation-statement'),
    hint: t('moderation-statement-hint'),
    rows: 3,
    maxlength: 4000,
  })}`

const adultOptions = [
  { value: 'no', label: t('moderation-adult-no') },
  { value: 'yes', label: t('moderation-adult-yes') },
]
const warningOptions = contentWarnings.map((value) => ({
  value,
  label: labelOf(value),
}))

/** The labels of a listing as they are, to correct. Only sent with the action. */
function labelControls(labels: NonNullable<Target['labels']>, state: FormState): Html {
  const current: FormState = {
    ...state,
    values: {
      adult: labels.adult ? 'yes' : 'no',
      content_warnings: labels.content_warnings,
      tags: labels.tags.join('\n'),
      ...state.values,
    },
  }
  return html`
    <details>
      <summary>${t('moderation-labels')}</summary>
      ${selectField(current, {
        name: 'adult',
        label: t('moderation-adult'),
        options: adultOptions,
      })}
      ${choiceField(current, {
        name: 'content_warnings',
        label: fieldLabel('content_warnings'),
        options: warningOptions,
        type: 'checkbox',
      })}
      ${textArea(current, {
        name: 'tags',
        label: fieldLabel('tags'),
        hint: t('moderation-tags-hint'),
        rows: 4,
      })}
    </details>`
}

function decisionForm(target: Target, state: FormState): Html {
  const action_options = target.actions.map((value) => ({ value, label: decisionNames[value] }))
  const controls = html`
    ${selectField(state, {
      name: 'action',
      label: t('moderation-action'),
      options: [choose, ...action_options],
      required: true,
    })}
    ${reasonFields(state)}
    ${target.labels && labelControls(target.labels, state)}
    ${target.target_type === 'person' && suspensionFields(state)}`
  const form = {
    action: `${targetPath(target.target_type, target.target_id)}/decision`,
    names: [
      'action',
      'ground',
      'facts',
      'statement',
      'adult',
      'content_warnings',
      'tags',
      'scope',
      'days',
    ],
    submit: t('moderation-decide'),
  }
  return fieldForm(state, form, controls)
}

const logTable = (log: Log): Html => html`
  <section class="panel">
    <h2>${t('moderation-log')}</h2>
    ${table(
      t('moderation-log'),
      [
        t('moderation-decided'),
        t('moderation-action'),
        t('moderation-ground'),
        t('moderation-facts'),
      ],
      log.map(({ created_at, action, ground, facts: text, moderator }) => [
        html`${dateTimeTag(created_at)} ${moderator ?? ''}`,
        actionTexts[action],
        groundTexts[ground as Ground],
        text,
      ]),
    )}
  </section>`

/** Where everyone sees the target. */
function publicLink({ target_type, target_id, subject }: Target): Html | string {
  const url =
    target_type === 'listing'
      ? `/games/${target_id}`
      : target_type === 'person' && subject
        ? `/${subject.username}`
        : ''
  return url && html`<a href="${url}">${t('moderation-open-page')}</a>`
}

function assignment({ target_type, target_id, assigned_to }: Target): Html {
  const path = `${targetPath(target_type, target_id)}/assignment`
  return assigned_to
    ? html`
        <span>${t('moderation-assigned-to', { username: assigned_to })}</span>
        ${postButton(t('moderation-give-back'), `${path}?to_me=no`)}`
    : postButton(t('moderation-take'), `${path}?to_me=yes`, { kind: 'ink' })
}

const subjectPart = ({ subject }: Target): Html | string =>
  subject
    ? html`
        <p class="soft">
          ${t('moderation-subject-record', {
            username: subject.username,
            warnings: subject.warnings,
            restrictions: subject.restrictions,
          })}
        </p>`
    : ''

const hasOpenReports = ({ reports }: Target): boolean =>
  reports.some(({ decided_at }) => decided_at === null)

type TargetParams = { target_type: TargetType; target_id: string }

async function renderTarget(context: Context, params: TargetParams, state: FormState = emptyForm) {
  const [target, log] = await Promise.all([
    readApi(context.request, readTargetRoute, { params }),
    readApi(context.request, listActionsRoute, { query: params }),
  ])
  return renderConsole(context, MODERATION, {
    title: targetText(target.target_type, target.target_name ?? target.target_id),
    body: html`
      <p class="labels"><a href="${MODERATION}">${t('moderation-queue')}</a> ${publicLink(target)}</p>
      ${subjectPart(target)}
      <div class="row">${target.target_name !== null && assignment(target)}</div>
      ${target.reports.map(reportCard)}
      <section class="panel" id="decide">
        <h2>${t('moderation-decide')}</h2>
        ${target.target_name === null && html`<p>${t('moderation-gone')}</p>`}
        ${(target.target_name !== null || hasOpenReports(target)) && decisionForm(target, state)}
      </section>
      ${log.items.length > 0 && logTable(log.items)}
    `,
  })
}

const params = Type.Object({ target_type: Type.String(), target_id: Type.String() })

export const targetPage = getPage(
  `${MODERATION}/:target_type/:target_id`,
  'The reports about a target, for moderators',
  {
    auth: consoleModerator,
    params,
    handle: (input) => renderTarget(input, input.params as TargetParams),
  },
)

const readLabels = (body: FormBody) => ({
  adult: fieldValue(body, 'adult') === 'yes',
  content_warnings: fieldValues(body, 'content_warnings') as ContentWarning[],
  tags: fieldLines(body, 'tags'),
})

/** Empty is for good. What is no number is sent as it is, and refused. */
const readDays = (text: string) =>
  text === '' ? null : Number.isNaN(Number(text)) ? (text as never) : Number(text)

function readDecision({ target_type, target_id }: TargetParams, body: FormBody) {
  const action = fieldValue(body, 'action') as Action
  const days = fieldValue(body, 'days').trim()
  const scope = fieldValue(body, 'scope') as (typeof suspensionScopes)[number]
  return {
    target_type,
    target_id,
    action,
    ground: fieldValue(body, 'ground'),
    facts: fieldValue(body, 'facts'),
    statement: fieldValue(body, 'statement'),
    ...(action === 'label' && { labels: readLabels(body) }),
    ...(action === 'suspend' && { suspension: { scope, days: readDays(days) } }),
  }
}

export const submitDecision = postForm(
  `${MODERATION}/:target_type/:target_id/decision`,
  'Decide on a target',
  {
    auth: consoleModerator,
    params,
    async handle(input) {
      const { request, reply, body } = input
      const target = input.params as TargetParams
      const answer = await callApi(request, takeAction, { body: readDecision(target, body) })
      if (answer.ok) return redirectTo(reply, MODERATION, t('moderation-decision-stored'))
      reply.code(answer.status)
      return renderTarget(input, target, rejectedForm(body, answer))
    },
  },
)

export const submitAssignment = postForm(
  `${MODERATION}/:target_type/:target_id/assignment`,
  'Take a target, or give it back to the queue',
  {
    auth: consoleModerator,
    params,
    query: Type.Object({ to_me: Type.String({ default: 'no' }) }),
    async handle({ request, reply, params, query }) {
      const target = params as TargetParams
      const body = { to_me: query.to_me === 'yes' }
      const answer = await callApi(request, assignRoute, { params: target, body })
      if (!answer.ok) refuse('NOT_FOUND')
      return reply.redirect(targetPath(target.target_type, target.target_id), 303)
    },
  },
)

/** An image as it was when its target was reported, also after it was removed. */
export const reportedImage = getPage(
  `${MODERATION}/images/:sha256`,
  'An image of a report, for moderators',
  {
    auth: consoleModerator,
    params: Type.Object({ sha256: Type.String() }),
    cache: 'private, no-store',
    async handle({ core, params: { sha256 }, reply }) {
      const image = (await findReportImage(core.sql, sha256)) ?? refuse('NOT_FOUND')
      const object = (await core.storage.get(imageKey(sha256))) ?? refuse('NOT_FOUND')
      return reply
        .headers({
          'content-type': image.type,
          'content-length': object.size,
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .send(object.stream)
    },
  },
)

export const moderationPages = [
  queuePage,
  targetPage,
  submitDecision,
  submitAssignment,
  reportedImage,
]
