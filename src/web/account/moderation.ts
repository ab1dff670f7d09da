import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import {
  actionTexts,
  effectTexts,
  groundTexts,
  originTexts,
  repeatsFacts,
  targetText,
} from '../../moderation/mail-templates.ts'
import { listStatementsRoute } from '../../moderation/routes.ts'
import { readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import { page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { facts } from '../components/table.ts'
import { getPage } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

export const STATEMENTS_PATH = '/settings/moderation'

type Statement = RouteData<typeof listStatementsRoute>['items'][number]
type Appeal = NonNullable<Statement['appeal']>

/** The statements of reasons for decisions of moderators that concern the person. */
export const statementsPage = getPage(STATEMENTS_PATH, 'Decisions of moderators about you', {
  auth: member,
  async handle(input) {
    const { items } = await readApi(input.request, listStatementsRoute)
    return page(input, {
      title: withStoreName(input.core, t('moderation-decisions')),
      noindex: true,
      body: html`
        <h1>${t('moderation-decisions')}</h1>
        ${accountTabs('/settings')}
        ${items.length ? items.map(statementWithAppeal) : noStatements}
      `,
    })
  },
})

const noStatements = html`<p class="soft">${t('moderation-no-decisions')}</p>`

/** Where the person concerned appeals, as long as they can. */
const appealLink = ({ uid, may_appeal, appeal_until }: Statement): Html | '' =>
  may_appeal
    ? html`
        <p>
          ${richText('appeal-possible', {
            date: dateTag(appeal_until),
            link: linkTo(`/appeal/${uid}`),
          })}
          ${t('moderation-redress')}
        </p>`
    : ''

/** A statement with the way to appeal against it. */
export const statementWithAppeal = (item: Statement): Html => statementCard(item, appealLink(item))

export const statementCard = (item: Statement, below: Html | '' = ''): Html => html`
  <article class="panel" id="${item.uid}">
    <h2>${targetText(item.target_type, item.target_name)}</h2>
    <p>
      ${badge(actionTexts[item.action], item.in_force ? 'bad' : 'soft')}
      ${stateBadge(item)}
    </p>
    ${!repeatsFacts(item) && html`<p class="pre-line">${item.statement}</p>`}
    ${facts([
      [t('moderation-decided'), dateTag(item.created_at)],
      ...effectTexts(item),
      [t('moderation-ground'), groundTexts[item.ground]],
      [t('moderation-facts'), multiline(item.facts)],
      [t('moderation-origin'), originTexts[item.origin]],
    ])}
    ${item.appeal && appealPart(item.appeal)}
    ${below}
  </article>
`

const appealPart = ({ text, created_at, outcome, reasons }: Appeal): Html => html`
  <h3>${t('appeal-yours')}</h3>
  <p class="pre-line">${text}</p>
  ${facts([
    [t('appeal-filed'), dateTag(created_at)],
    [t('appeal-outcome'), outcomeText(outcome)],
    ...(reasons ? [[t('appeal-reasons'), multiline(reasons)] as const] : []),
  ])}
`

function outcomeText(outcome: Appeal['outcome']): Text {
  if (outcome === null) return t('appeal-waiting')
  return outcome === 'reversed' ? t('appeal-reversed') : t('appeal-upheld')
}

const multiline = (text: string): Html => html`<span class="pre-line">${text}</span>`

/** A suspension also ends by itself, or when another one takes its place. */
function stateBadge({ action, in_force, undone }: Statement): Html | false {
  if (undone) return badge(t('moderation-undone'), 'ok', 'ok')
  return action === 'suspend' && !in_force && badge(t('moderation-ended'))
}

/** For the dashboard: what is restricted at the moment, and why. */
export const decisionList = (decisions: readonly Statement[]): Html => html`
  <section aria-labelledby="decisions">
    <h2 id="decisions">${t('moderation-decisions')}</h2>
    <ul class="bare">${decisions.map(decisionLine)}</ul>
  </section>
`

const decisionLine = (item: Statement): Html => html`
  <li class="notice notice-bad">
    <span>
      <strong>${targetText(item.target_type, item.target_name)}</strong>:
      ${actionTexts[item.action]}. ${item.statement}
      ${richText('moderation-see-decision', { link: linkTo(`${STATEMENTS_PATH}#${item.uid}`) })}
    </span>
  </li>
`
