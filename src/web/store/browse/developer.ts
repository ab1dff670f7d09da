import { Type } from 'typebox'
import { findDeveloper, isDeveloperIndexable } from '../../../catalog/discovery/queries.ts'
import { search } from '../../../catalog/search/search.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { developerUrl } from '../../../listings/page/url.ts'
import { formatCount } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { shareCard } from '../listing/head.ts'
import { cards } from './card.ts'

const PAGE_SIZE = 48

/** All that someone published. Whoever published nothing has a page only for themselves. */
export const developerPage = getPage('/:username', 'What someone publishes', {
  auth: visitor,
  params: Type.Object({ username: Type.String() }),
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  async handle(input) {
    const { core, who, params, query, reply } = input
    const found = (await findDeveloper(core.sql, params.username)) ?? refuse('NOT_FOUND')
    const { username, uid } = found
    if (username !== params.username) return reply.redirect(`/${username}`, 301)
    const [{ items, ...shown }, indexable] = await Promise.all([
      search(core, { owner: [uid], sort: 'newest', page: query.page, page_size: PAGE_SIZE }, who),
      isDeveloperIndexable(core.sql, uid),
    ])
    const { total } = shown
    if (!total && who?.user_uid !== uid) refuse('NOT_FOUND')
    const url = developerUrl(core.addresses, username)
    const description = `${formatCount(total, 'listing')} by ${username} on Slipway.`
    return page(input, {
      title: `${username} on Slipway`,
      description,
      canonical: `/${username}`,
      noindex: !indexable,
      json_ld: indexable
        ? {
            '@context': 'https://schema.org',
            '@type': 'ProfilePage',
            url,
            mainEntity: { '@type': 'Person', name: username, url },
          }
        : undefined,
      head: html`${shareCard(`${username} on Slipway`, description, url)}<link rel="alternate" type="application/atom+xml" title="${username} on Slipway" href="/${username}/feed.atom">`,
      body: html`<header class="maker"><p class="eyebrow">Maker</p><h1>${username}</h1><p class="soft">${formatCount(total, 'listing')} · <a href="/${username}/feed.atom">${icon('feed')}Follow by feed</a></p></header>
${
  total
    ? cards(
        items.map((item) => ({ ...item, username })),
        { eager: 4, heading: 'h2' },
      )
    : html`<div class="empty"><p>You have published nothing yet.</p><p><a class="button button-primary" href="/dashboard">Start a project</a></p></div>`
}${pager(`/${username}`, shown)}`,
    })
  },
})
