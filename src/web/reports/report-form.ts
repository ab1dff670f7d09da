import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import { targetText } from '../../moderation/mail-templates.ts'
import { kindTexts } from '../../moderation/reports/mail-templates.ts'
import {
  type ReportedType,
  type ReportKind,
  reportedTypes,
  reportKinds,
  reportLimits,
} from '../../moderation/reports/report-input.ts'
import { fileReportRoute, readReportRoute } from '../../moderation/reports/routes.ts'
import { findVisibleTarget } from '../../moderation/reports/visible-target.ts'
import { callApi, readApi } from '../call.ts'
import {
  checkField,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  isChecked,
  rejectedForm,
  selectField,
  textArea,
  textField,
} from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { facts } from '../components/table.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

const titles: Record<ReportedType, Text> = {
  listing: t('report-listing'),
  file: t('report-file'),
  review: t('report-review'),
  community_tag: t('report-tag'),
  bug_message: t('report-bug-message'),
  person: t('report-person'),
}

/** The address of the form for a target. */
export const reportUrl = (type: ReportedType, id: string) =>
  `/report?type=${type}&id=${encodeURIComponent(id)}`

/** A quiet link to the form. */
export const reportLink = (type: ReportedType, id: string): Html => html`
  <a class="soft report-link" rel="nofollow" href="${reportUrl(type, id)}">${t('report')}</a>`

const typeOf = (text: string): ReportedType =>
  reportedTypes.find((type) => type === text) ?? 'listing'

const fields = [
  'kind',
  'text',
  'urls',
  'contact_email',
  'work',
  'holder',
  'signature',
  'good_faith',
]

const kindOptions = reportKinds.map((value) => ({ value, label: kindTexts[value] }))

/** A copyright notice needs more; without script the fields are always there. */
const copyrightFields = (state: FormState): Html => html`
  <details${(state.values.kind === 'copyright' || Boolean(state.values.work)) && html` open`}>
    <summary>${t('report-copyright')}</summary>
    ${textArea(state, {
      name: 'work',
      label: t('report-work'),
      rows: 3,
      maxlength: reportLimits.work,
    })}
    ${textField(state, {
      name: 'holder',
      label: t('report-holder'),
      maxlength: reportLimits.name,
    })}
    ${textField(state, {
      name: 'signature',
      label: t('report-signature'),
      maxlength: reportLimits.name,
      autocomplete: 'name',
    })}
  </details>`

const controls = (state: FormState, type: ReportedType, id: string): Html => html`
  <input type="hidden" name="type" value="${type}">
  <input type="hidden" name="id" value="${id}">
  ${selectField(state, {
    name: 'kind',
    label: t('report-kind'),
    options: [{ value: '', label: t('report-choose') }, ...kindOptions],
    required: true,
  })}
  ${textArea(state, {
    name: 'text',
    label: t('report-text'),
    hint: t('report-text-hint'),
    maxlength: reportLimits.text,
    required: true,
  })}
  ${textArea(state, {
    name: 'urls',
    label: t('report-urls'),
    hint: t('report-urls-hint', { count: reportLimits.urls }),
    rows: 2,
  })}
  ${textField(state, {
    name: 'contact_email',
    label: t('report-email'),
    hint: t('report-email-hint'),
    type: 'email',
    autocomplete: 'email',
    maxlength: 254,
  })}
  ${copyrightFields(state)}
  ${checkField(state, { name: 'good_faith', label: t('report-good-faith') })}`

type Reported = { type: ReportedType; id: string; name: string | undefined }

function renderForm(context: Context, { type, id, name }: Reported, state: FormState) {
  return narrowPage(context, {
    title: titles[type],
    body: html`
      ${name !== undefined && html`<p><strong>${targetText(type, name)}</strong></p>`}
      <p>${t('report-intro')}</p>
      ${fieldForm(
        state,
        { action: '/report', names: fields, submit: t('report-send') },
        controls(state, type, id),
      )}
    `,
  })
}

const reportPage = getPage('/report', 'Report something to the moderation team', {
  auth: visitor,
  query: Type.Object({
    type: Type.String({ default: 'listing' }),
    id: Type.String({ default: '', maxLength: 200 }),
  }),
  async handle(input) {
    const { id } = input.query
    const type = typeOf(input.query.type)
    const { name } = await findVisibleTarget(input, type, id)
    return renderForm(input, { type, id, name }, emptyForm)
  },
})

function readReport(body: FormBody) {
  const copyright = {
    work: fieldValue(body, 'work'),
    holder: fieldValue(body, 'holder'),
    signature: fieldValue(body, 'signature'),
  }
  const kind = fieldValue(body, 'kind')
  const email = fieldValue(body, 'contact_email').trim()
  return {
    target_type: typeOf(fieldValue(body, 'type')),
    target_id: fieldValue(body, 'id'),
    kind: kind as ReportKind,
    text: fieldValue(body, 'text'),
    urls: fieldLines(body, 'urls'),
    ...(email && { contact_email: email }),
    ...(kind === 'copyright' && { copyright }),
    good_faith: isChecked(body, 'good_faith') as true,
  }
}

const submitReport = postForm('/report', 'Send a report', {
  auth: visitor,
  async handle(input) {
    const { request, reply, body } = input
    const report = readReport(body)
    const answer = await callApi(request, fileReportRoute, { body: report })
    if (answer.ok) {
      const { report_id, token } = answer.data
      return reply.redirect(`/report/${report_id}?token=${token}`, 303)
    }
    reply.code(answer.status)
    const { target_type: type, target_id: id } = report
    const target = await findVisibleTarget(input, type, id).catch(() => undefined)
    return renderForm(input, { type, id, name: target?.name }, rejectedForm(body, answer))
  },
})

type Report = RouteData<typeof readReportRoute>

function stateText({ state, outcome }: Report): Text {
  if (state === 'open') return t('report-state-open')
  return outcome === 'no_action' ? t('report-state-no-action') : t('report-state-action-taken')
}

const reportStatePage = getPage('/report/:report_id', 'The state of a report', {
  auth: visitor,
  params: Type.Object({ report_id: Type.String() }),
  query: Type.Object({ token: Type.String({ default: '' }) }),
  async handle(input) {
    const { params, query } = input
    const report = await readApi(input.request, readReportRoute, { params, query })
    return narrowPage(input, {
      title: t('report-received'),
      body: html`
        <p class="notice">${stateText(report)}</p>
        ${facts([
          [t('report-about'), titles[report.target_type]],
          [t('report-kind'), kindTexts[report.kind]],
          [t('report-sent-at'), dateTag(report.created_at)],
        ])}
        <p class="soft">${t('report-keep-address')}</p>
      `,
    })
  },
})

export const reportPages = [reportPage, submitReport, reportStatePage]
