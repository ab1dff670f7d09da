import { Type } from 'typebox'
import { FILE_POLICY } from '../../../core/http/file-headers.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { t } from '../../../core/text/text.ts'
import { imageKey } from '../../../listings/media/url.ts'
import { listActionsRoute } from '../../../moderation/log/routes.ts'
import { actionTexts, groundTexts, targetText } from '../../../moderation/mail-templates.ts'
import { findReportImage } from '../../../moderation/queue/queries.ts'
import { assignRoute, readTargetRoute } from '../../../moderation/queue/routes.ts'
import { kindTexts } from '../../../moderation/reports/mail-templates.ts'
import { takeAction } from '../../../moderation/routes.ts'
import { callApi, readApi } from '../../call.ts'
import { emptyForm, type FormState, rejectedForm } from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { postButton } from '../../components/secret-field.ts'
import { facts, table } from '../../components/table.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { consoleModerator } from '../../visitor.ts'
import { renderConsole } from '../console-page.ts'
import { decisionForm, readDecision, type TargetParams } from './decision-form.ts'
import { decisionBadges } from './decisions.ts'
import { DECISIONS, MODERATION, targetPath } from './paths.ts'

type Target = RouteData<typeof readTargetRoute>
type Report = Target['reports'][number]
type Log = RouteData<typeof listActionsRoute>['items']

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
      log.map((decision) => [
        html`${dateTimeTag(decision.created_at)} ${decision.moderator ?? ''}`,
        html`
          <a href="${DECISIONS}/${decision.uid}">${actionTexts[decision.action]}</a>
          ${decisionBadges(decision)}`,
        groundTexts[decision.ground],
        decision.facts,
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
          'content-security-policy': FILE_POLICY,
        })
        .send(object.stream)
    },
  },
)

export const targetPages = [targetPage, submitDecision, submitAssignment, reportedImage]
