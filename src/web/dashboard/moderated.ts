import type { FastifyReply } from 'fastify'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { t } from '../../core/text/text.ts'
import { findTakenDown, isHiddenFromDiscovery } from '../../listings/moderated/queries.ts'
import { listStatementsRoute } from '../../moderation/routes.ts'
import { decisionList, STATEMENTS_PATH, statementWithAppeal } from '../account/moderation.ts'
import { readApi } from '../call.ts'
import { type Html, html, richText } from '../components/html.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import type { ProjectContext } from './project-page.ts'

/** The decisions in force about a listing that its owner got statements of reasons for. */
async function decisionsInForce({ request }: Context, game_uid: string) {
  const { items } = await readApi(request, listStatementsRoute, { query: { game_uid } })
  return items.filter(({ in_force }) => in_force)
}

/** In place of a project that moderators took down: why, and how to appeal. */
export async function takenDownPage(
  context: Context & { who: Identity },
  game: string,
): Promise<FastifyReply> {
  const { core, who } = context
  const listing = (await findTakenDown(core.sql, game, who.user_uid)) ?? refuse('NOT_FOUND')
  const decisions = listing.is_owner ? await decisionsInForce(context, listing.uid) : []
  const title = t('project-taken-down', { project: listing.name })
  return page(context, {
    title: withStoreName(core, title),
    noindex: true,
    body: html`
      <p class="eyebrow"><a href="/dashboard">${t('dashboard-projects')}</a></p>
      <h1>${title}</h1>
      <p class="lede">${t('project-taken-down-text')}</p>
      ${!listing.is_owner && html`<p>${t('project-reasons-owner')}</p>`}
      ${decisions.map(statementWithAppeal)}`,
  })
}

const hiddenNotice = (statement_uid: string | undefined): Html => html`
  <p class="notice notice-bad">
    <span>
      ${t('project-hidden')}
      ${
        statement_uid
          ? richText('moderation-see-decision', {
              link: linkTo(`${STATEMENTS_PATH}#${statement_uid}`),
            })
          : t('project-reasons-owner')
      }
    </span>
  </p>`

/** What moderators decided about a project; only its owner has the reasons. */
export async function moderationNotices(project: ProjectContext): Promise<Html | false> {
  const { core, uid, is_owner } = project
  const [is_hidden, decisions] = await Promise.all([
    isHiddenFromDiscovery(core.sql, uid),
    is_owner ? decisionsInForce(project, uid) : [],
  ])
  const others = decisions.filter(({ action }) => action !== 'hide')
  const hide = decisions.find(({ action }) => action === 'hide')
  return (
    (is_hidden || others.length > 0) &&
    html`
      ${is_hidden && hiddenNotice(hide?.uid)}
      ${others.length > 0 && decisionList(others)}`
  )
}
