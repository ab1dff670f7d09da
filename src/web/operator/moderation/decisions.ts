import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { actions, grounds } from '../../../moderation/decisions.ts'
import { decisionStates } from '../../../moderation/log/queries.ts'
import { listActionsRoute, readActionRoute } from '../../../moderation/log/routes.ts'
import {
  actionTexts,
  effectTexts,
  groundTexts,
  originTexts,
  targetText,
} from '../../../moderation/mail-templates.ts'
import { readApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import { optionTags } from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { consoleModerator } from '../../visitor.ts'
import { renderConsole } from '../console-page.ts'
import { APPEALS, DECISIONS, MODERATION, targetPath } from './paths.ts'

type Decision = RouteData<typeof readActionRoute>

const appealBadges = {
  waiting: badge(t('decision-appeal-waiting'), 'warn', 'wait'),
  upheld: badge(t('decision-appeal-upheld')),
  reversed: badge(t('decision-appeal-reversed'), 'ok', 'ok'),
}

/** What became of a decision, besides what it says itself. */
export const decisionBadges = ({ in_force, undone, appeal }: Decision): Html => html`
  ${in_force && badge(t('decision-state-in-force'), 'bad')}
  ${undone && badge(t('moderation-undone'), 'ok', 'ok')}
  ${appeal && appealBadges[appeal.outcome ?? 'waiting']}`

const targetLink = ({ target_type, target_id, target_name }: Decision): Html => html`
  <a href="${targetPath(target_type, target_id)}">${targetText(target_type, target_name)}</a>`

/** The decisions that concern a person. */
export const decisionsAbout = (username: string) =>
  `${DECISIONS}?person=${encodeURIComponent(username)}`

const head = [
  t('moderation-decided'),
  t('moderation-target'),
  t('moderation-action'),
  t('console-state'),
  t('moderation-ground'),
  t('appeal-decided-by'),
]

const decisionRow = (decision: Decision) => [
  dateTimeTag(decision.created_at),
  targetLink(decision),
  html`<a href="${DECISIONS}/${decision.uid}">${actionTexts[decision.action]}</a>`,
  decisionBadges(decision),
  groundTexts[decision.ground],
  decision.moderator ?? '',
]

export const decisionTable = (decisions: readonly Decision[]): Html =>
  table(t('decision-log'), head, decisions.map(decisionRow))

const stateTexts = {
  in_force: t('decision-state-in-force'),
  undone: t('moderation-undone'),
  appealed: t('decision-state-appealed'),
}

const actionOptions = [
  { value: '', label: t('decision-any-action') },
  ...actions.map((value) => ({ value, label: actionTexts[value] })),
]
const groundOptions = [
  { value: '', label: t('decision-any-ground') },
  ...grounds.map((value) => ({ value, label: groundTexts[value] })),
]
const stateOptions = [
  { value: '', label: t('console-any-state') },
  ...decisionStates.map((value) => ({ value, label: stateTexts[value] })),
]

type Filter = {
  action: string
  ground: string
  state: string
  moderator: string
  person: string
  from: string
  to: string
}

const filterForm = ({ action, ground, state, moderator, person, from, to }: Filter): Html => html`
  <form class="console-search" action="${DECISIONS}">
    <label class="sr" for="action">${t('moderation-action')}</label>
    <select id="action" name="action">${optionTags(actionOptions, action)}</select>
    <label class="sr" for="ground">${t('moderation-ground')}</label>
    <select id="ground" name="ground">${optionTags(groundOptions, ground)}</select>
    <label class="sr" for="state">${t('console-state')}</label>
    <select id="state" name="state">${optionTags(stateOptions, state)}</select>
    <label class="sr" for="moderator">${t('appeal-decided-by')}</label>
    <input id="moderator" name="moderator" value="${moderator}" maxlength="60"
      placeholder="${t('appeal-decided-by')}" autocomplete="off">
    <label class="sr" for="person">${t('decision-person')}</label>
    <input id="person" name="person" value="${person}" maxlength="60"
      placeholder="${t('decision-person')}" autocomplete="off">
    <span class="date-field">
      <label for="from">${t('event-from')}</label>
      <input id="from" type="date" name="from" value="${from}">
    </span>
    <span class="date-field">
      <label for="to">${t('event-to')}</label>
      <input id="to" type="date" name="to" value="${to}">
    </span>
    <button class="button button-ink">${t('search-button')}</button>
  </form>`

const isDay = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))

/** What an address filters by; anything else in it is left out. */
function readFilter(filter: Filter) {
  const action = actions.find((name) => name === filter.action)
  const ground = grounds.find((name) => name === filter.ground)
  const state = decisionStates.find((name) => name === filter.state)
  const moderator = filter.moderator.trim()
  const person = filter.person.trim()
  return {
    ...(action && { action }),
    ...(ground && { ground }),
    ...(state && { state }),
    ...(moderator && { moderator }),
    ...(person && { person }),
    ...(isDay(filter.from) && { from: filter.from }),
    ...(isDay(filter.to) && { to: filter.to }),
  }
}

const text = Type.String({ default: '', maxLength: 60 })

export const decisionsPage = getPage(DECISIONS, 'Decisions of moderators, for moderators', {
  auth: consoleModerator,
  query: Type.Object({
    action: text,
    ground: text,
    state: text,
    moderator: text,
    person: text,
    from: text,
    to: text,
    page: Type.String({ default: '1' }),
  }),
  async handle(input) {
    const { page, ...entered } = input.query
    const filter = readFilter(entered)
    const decisions = await readApi(input.request, listActionsRoute, {
      query: { ...filter, page: pageNumber(page) },
    })
    const search = new URLSearchParams(filter)
    const is_filtered = search.size > 0
    const none = emptyState(
      is_filtered ? t('decisions-no-match') : t('decisions-none'),
      is_filtered ? t('console-search-none') : t('decisions-none-text'),
    )
    return renderConsole(input, MODERATION, {
      title: t('decision-log'),
      body: html`
        <p><a href="${MODERATION}">${t('moderation-queue')}</a></p>
        ${filterForm(entered)}
        ${decisions.items.length ? decisionTable(decisions.items) : none}
        ${pager(is_filtered ? `${DECISIONS}?${search}` : DECISIONS, decisions)}`,
    })
  },
})

const outcomeTexts = { upheld: t('appeal-upheld'), reversed: t('appeal-reversed') }

const multiline = (value: string): Html => html`<span class="pre-line">${value}</span>`

function appealPart({ appeal }: Decision): Html | '' {
  if (!appeal) return ''
  const { uid, text, created_at, outcome, reasons, decided_at, decided_by } = appeal
  return html`
    <section class="panel" id="appeal">
      <h2>${t('appeal')}</h2>
      <p class="pre-line">${text}</p>
      ${facts([
        [t('appeal-filed'), dateTimeTag(created_at)],
        [t('appeal-outcome'), outcome ? outcomeTexts[outcome] : t('appeal-waiting')],
        reasons && [t('appeal-reasons'), multiline(reasons)],
        decided_at && [t('moderation-decided'), dateTimeTag(decided_at)],
        decided_by && [t('appeal-decided-by'), decided_by],
      ])}
      ${!outcome && html`<p><a href="${APPEALS}/${uid}">${t('decision-open-appeal')}</a></p>`}
    </section>`
}

export const decisionPage = getPage(`${DECISIONS}/:action_uid`, 'A decision, for moderators', {
  auth: consoleModerator,
  params: Type.Object({ action_uid: Type.String() }),
  async handle(input) {
    const { params } = input
    const decision = await readApi(input.request, readActionRoute, { params })
    const { target_type, target_name, action, statement_uid } = decision
    return renderConsole(input, MODERATION, {
      title: targetText(target_type, target_name),
      body: html`
        <p><a href="${DECISIONS}">${t('decision-log')}</a></p>
        <section class="panel" id="decision">
          <h2>${actionTexts[action]}</h2>
          <p class="labels">${decisionBadges(decision)}</p>
          ${facts([
            ...effectTexts(decision),
            [t('moderation-ground'), groundTexts[decision.ground]],
            [t('moderation-facts'), multiline(decision.facts)],
            [t('moderation-origin'), originTexts[decision.origin]],
            [
              t('moderation-statement'),
              statement_uid ? multiline(decision.statement) : t('decision-no-statement'),
            ],
            [t('moderation-decided'), dateTimeTag(decision.created_at)],
            [t('appeal-decided-by'), decision.moderator ?? ''],
            [t('moderation-target'), targetLink(decision)],
          ])}
        </section>
        ${appealPart(decision)}`,
    })
  },
})

export const decisionPages = [decisionsPage, decisionPage]
