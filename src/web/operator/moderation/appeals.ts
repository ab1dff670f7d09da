import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { isUuid } from '../../../core/security/crypto.ts'
import { listTexts, type Text, t } from '../../../core/text/text.ts'
import { findAppealedAction, type Outcome, outcomes } from '../../../moderation/appeals/queries.ts'
import {
  decideAppealRoute,
  listAppealsRoute,
  MAX_APPEAL,
} from '../../../moderation/appeals/routes.ts'
import { actionTexts, groundTexts, targetText } from '../../../moderation/mail-templates.ts'
import { callApi, readApi } from '../../call.ts'
import {
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  formMessage,
  rejectedForm,
  selectField,
  textArea,
} from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { consoleModerator } from '../../visitor.ts'
import { renderConsole } from '../console-page.ts'
import { APPEALS, DECISIONS, MODERATION, targetPath } from './paths.ts'

type Appeal = RouteData<typeof listAppealsRoute>['items'][number]

const appealRow = (appeal: Appeal) => [
  html`
    <a href="${APPEALS}/${appeal.uid}">
      ${targetText(appeal.target_type, appeal.target_name)}
    </a>`,
  actionTexts[appeal.action],
  dateTimeTag(appeal.created_at),
  appeal.moderator ?? '',
]

const head = [
  t('moderation-target'),
  t('moderation-action'),
  t('appeal-filed'),
  t('appeal-decided-by'),
]

const reportsLink = html`<p><a href="${MODERATION}">${t('moderation-queue')}</a></p>`

export const appealsPage = getPage(APPEALS, 'Open appeals, for moderators', {
  auth: consoleModerator,
  async handle(input) {
    const { items } = await readApi(input.request, listAppealsRoute)
    const none = emptyState(t('appeals-empty'), t('appeals-empty-text'))
    return renderConsole(input, MODERATION, {
      title: t('appeals'),
      body: html`
        ${reportsLink}
        ${items.length ? table(t('appeals'), head, items.map(appealRow)) : none}`,
    })
  },
})

const outcomeTexts: Record<Outcome, Text> = {
  upheld: t('appeal-do-uphold'),
  reversed: t('appeal-do-reverse'),
}

const outcomeOptions = [
  { value: '', label: t('report-choose') },
  ...outcomes.map((value) => ({ value, label: outcomeTexts[value] })),
]

function decisionForm({ uid }: Appeal, state: FormState): Html {
  const controls = html`
    ${selectField(state, {
      name: 'outcome',
      label: t('appeal-outcome'),
      options: outcomeOptions,
      required: true,
    })}
    ${textArea(state, {
      name: 'reasons',
      label: t('appeal-reasons'),
      hint: t('appeal-reasons-hint'),
      rows: 5,
      maxlength: MAX_APPEAL,
      required: true,
    })}`
  const form = {
    action: `${APPEALS}/${uid}/decision`,
    names: ['outcome', 'reasons'],
    submit: t('moderation-decide'),
  }
  return fieldForm(state, form, controls)
}

/** Instead of the form, for those who would be refused: who decides. */
function otherDeciders({ moderator, deciders }: Appeal, { who }: Context): Html {
  const names = listTexts(deciders)
  if (!deciders.length) return html`<p class="notice">${t('appeal-nobody')}</p>`
  return html`
    <p class="notice">
      <span>
        ${
          moderator === who?.username
            ? t('appeal-own-decision', { names })
            : t('appeal-other-deciders', { names })
        }
      </span>
    </p>`
}

const decisionPart = (appeal: Appeal): Html => html`
  <section class="panel">
    <h2>${t('appeal-first-decision')}</h2>
    ${facts([
      [t('moderation-action'), actionTexts[appeal.action]],
      [t('moderation-ground'), groundTexts[appeal.ground]],
      [t('moderation-facts'), html`<span class="pre-line">${appeal.facts}</span>`],
      [t('moderation-statement'), html`<span class="pre-line">${appeal.statement}</span>`],
      [t('appeal-decided-by'), appeal.moderator ?? ''],
    ])}
    <p>
      <a href="${targetPath(appeal.target_type, appeal.target_id)}">
        ${t('appeal-see-target')}
      </a>
    </p>
  </section>`

/** Where an appeal is read that somebody decided, perhaps while others looked at it. */
async function openDecision({ core, reply }: Context, uid: string) {
  const action_uid = (await findAppealedAction(core.sql, uid)) ?? refuse('NOT_FOUND')
  return redirectTo(reply, `${DECISIONS}/${action_uid}#appeal`, t('appeal-is-decided'))
}

async function renderAppeal(context: Context, uid: string, state: FormState = emptyForm) {
  if (!isUuid(uid)) refuse('NOT_FOUND')
  const query = { appeal_uid: uid }
  const [appeal] = (await readApi(context.request, listAppealsRoute, { query })).items
  if (!appeal) return openDecision(context, uid)
  return renderConsole(context, MODERATION, {
    title: targetText(appeal.target_type, appeal.target_name),
    body: html`
      <p><a href="${APPEALS}">${t('appeals')}</a></p>
      ${decisionPart(appeal)}
      <section class="panel">
        <h2>${t('appeal')}</h2>
        <p class="soft">${dateTimeTag(appeal.created_at)}</p>
        <p class="pre-line">${appeal.text}</p>
      </section>
      <section class="panel" id="decide">
        <h2>${t('moderation-decide')}</h2>
        ${
          appeal.may_decide
            ? decisionForm(appeal, state)
            : html`${formMessage(state)} ${otherDeciders(appeal, context)}`
        }
      </section>`,
  })
}

const params = Type.Object({ appeal_uid: Type.String() })

export const appealPage = getPage(`${APPEALS}/:appeal_uid`, 'An appeal, for moderators', {
  auth: consoleModerator,
  params,
  handle: (input) => renderAppeal(input, input.params.appeal_uid),
})

export const submitAppealDecision = postForm(
  `${APPEALS}/:appeal_uid/decision`,
  'Decide an appeal',
  {
    auth: consoleModerator,
    params,
    async handle(input) {
      const { request, reply, body } = input
      const answer = await callApi(request, decideAppealRoute, {
        params: input.params,
        body: {
          outcome: fieldValue(body, 'outcome') as Outcome,
          reasons: fieldValue(body, 'reasons'),
        },
      })
      if (answer.ok) return redirectTo(reply, APPEALS, t('moderation-decision-stored'))
      reply.code(answer.status)
      return renderAppeal(input, input.params.appeal_uid, rejectedForm(body, answer))
    },
  },
)

export const appealQueuePages = [appealsPage, appealPage, submitAppealDecision]
