import { Type } from 'typebox'
import { FILE_POLICY } from '../../../core/http/file-headers.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { t } from '../../../core/text/text.ts'
import { imageKey } from '../../../listings/media/url.ts'
import { listActionsRoute } from '../../../moderation/log/routes.ts'
import { actionTexts, groundTexts, targetText } from '../../../moderation/mail-templates.ts'
import { findModeratedImage } from '../../../moderation/queue/queries.ts'
import { assignRoute } from '../../../moderation/queue/routes.ts'
import { takeAction } from '../../../moderation/routes.ts'
import { readTargetRoute } from '../../../moderation/targets/routes.ts'
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
import { consoleSubsection, renderConsole } from '../console-page.ts'
import { decisionForm, readDecision, type TargetParams } from './decision-form.ts'
import { decisionBadges, decisionsAbout } from './decisions.ts'
import { targetParts } from './parts.ts'
import { DECISIONS, MODERATION, targetPath } from './paths.ts'
import { reportCard } from './report-card.ts'
import { targetStateList } from './target-state.ts'

type Target = RouteData<typeof readTargetRoute>
type Log = RouteData<typeof listActionsRoute>['items']

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

const listingLink = ({ listing }: Target): Html | '' =>
  listing
    ? html`<a href="${targetPath('listing', listing.uid)}">${targetText('listing', listing.name)}</a>`
    : ''

const subjectLink = ({ target_type, subject }: Target): Html | '' =>
  subject && target_type !== 'person'
    ? html`
        <a href="${targetPath('person', subject.username)}">
          ${targetText('person', subject.username)}
        </a>`
    : ''

/** The state of a target, and what was decided about the person before. */
const targetFacts = (target: Target): Html => {
  const { subject, states } = target
  const links = [listingLink(target), subjectLink(target)].filter(Boolean)
  return facts([
    states.length > 0 && [t('console-state'), targetStateList(states)],
    links.length > 0 && [
      t('target-belongs'),
      html`<ul class="plain">${links.map((link) => html`<li>${link}</li>`)}</ul>`,
    ],
    subject && [
      t('target-record'),
      html`
        <a href="${decisionsAbout(subject.username)}">
          ${t('moderation-subject-record', {
            username: subject.username,
            warnings: subject.warnings,
            restrictions: subject.restrictions,
          })}
        </a>`,
    ],
  ])
}

/** The form, or why there is none. */
function decisionPart(target: Target, state: FormState): Html {
  const has_open = target.reports.some(({ decided_at }) => decided_at === null)
  const is_gone = target.target_name === null
  if (!is_gone && target.decided_by !== 'team')
    return html`<p class="notice">${notYours[target.decided_by]}</p>`
  return html`
    ${is_gone && html`<p>${t(has_open ? 'moderation-gone-open' : 'moderation-gone')}</p>`}
    ${(!is_gone || has_open) && decisionForm(target, state)}`
}

const notYours = {
  others: t('target-decided-by-others'),
  operators: t('target-decided-by-operators'),
}

async function renderTarget(context: Context, params: TargetParams, state: FormState = emptyForm) {
  const [target, log] = await Promise.all([
    readApi(context.request, readTargetRoute, { params }),
    readApi(context.request, listActionsRoute, { query: params }),
  ])
  const parts = await targetParts(context, target)
  const open = target.reports.filter(({ decided_at }) => decided_at === null)
  const decided = target.reports.filter(({ decided_at }) => decided_at !== null)
  return renderConsole(context, MODERATION, {
    title: targetText(target.target_type, target.target_name ?? target.target_id),
    body: html`
      <p class="labels"><a href="${MODERATION}">${t('moderation-queue')}</a> ${publicLink(target)}</p>
      ${targetFacts(target)}
      <div class="row">${target.target_name !== null && assignment(target)}</div>
      ${consoleSubsection(
        'open-reports',
        t('moderation-open-reports'),
        open.length
          ? html`${open.map(reportCard)}`
          : html`<p class="soft">${t('target-no-open-reports')}</p>`,
      )}
      <section class="panel" id="decide">
        <h2>${t('moderation-decide')}</h2>
        ${decisionPart(target, state)}
      </section>
      ${log.items.length > 0 && logTable(log.items)}
      ${
        decided.length > 0 &&
        consoleSubsection(
          'decided-reports',
          t('target-decided-reports'),
          html`${decided.map(reportCard)}`,
        )
      }
      ${parts}
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

/** An image of a target, also after it was removed, or as it was when it was reported. */
export const reportedImage = getPage(
  `${MODERATION}/images/:sha256`,
  'An image of a target or report, for moderators',
  {
    auth: consoleModerator,
    params: Type.Object({ sha256: Type.String() }),
    cache: 'private, no-store',
    async handle({ core, who, params: { sha256 }, reply }) {
      const is_operator = who.operator
      const image = (await findModeratedImage(core.sql, sha256, is_operator)) ?? refuse('NOT_FOUND')
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
