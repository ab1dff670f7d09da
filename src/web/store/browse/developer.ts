import { Type } from 'typebox'
import { findDeveloper, isDeveloperIndexable } from '../../../catalog/discovery/queries.ts'
import { search } from '../../../catalog/search/search.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { developerUrl } from '../../../listings/page/url.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { shareCard } from '../listing/head.ts'
import { type Card, cards, thumbnailUrls } from './card.ts'

const PAGE_SIZE = 48

/** The listings of a developer. Without any, only they themselves can open the page. */
export const developerPage = getPage('/:username', 'Listings of a developer', {
  auth: visitor,
  params: Type.Object({ username: Type.String() }),
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  async handle(input) {
    const { core, who, params, query, reply } = input
    const { username, uid } =
      (await findDeveloper(core.sql, params.username)) ?? refuse('NOT_FOUND')
    if (username !== params.username) return reply.redirect(`/${username}`, 301)
    const [{ items, ...list }, indexable] = await Promise.all([
      search(core, { owner: [uid], sort: 'newest', page: query.page, page_size: PAGE_SIZE }, who),
      isDeveloperIndexable(core.sql, uid),
    ])
    if (!list.total && who?.user_uid !== uid) refuse('NOT_FOUND')
    const pictures = await readPictures(core, thumbnailUrls(items))
    const url = developerUrl(core.addresses, username)
    const title = t('name-on-site', { name: username })
    const count = formatCount(list.total, 'listing')
    const description = t('developer-description', { count: list.total, username })
    return page(input, {
      title,
      description,
      canonical: `/${username}`,
      noindex: !indexable,
      json_ld: indexable ? profileJsonLd(username, url) : undefined,
      head: html`
        ${shareCard(title, description, url)}
        <link rel="alternate" type="application/atom+xml" title="${title}"
          href="/${username}/feed.atom">
      `,
      body: html`
        ${developerHead(username, count)}
        ${list.total ? developerCards(username, items, pictures) : noListings}
        ${pager(`/${username}`, list)}
      `,
    })
  },
})

const developerHead = (username: string, count: Text): Html => html`
  <header class="developer">
    <p class="eyebrow">${t('developer')}</p>
    <h1>${username}</h1>
    <p class="soft">
      ${count} ·
      <a href="/${username}/feed.atom">${icon('feed')}${t('follow-by-feed')}</a>
    </p>
  </header>
`

const developerCards = (
  username: string,
  items: readonly Omit<Card, 'username'>[],
  pictures: Pictures,
): Html =>
  cards(
    items.map((item) => ({ ...item, username })),
    pictures,
    { eager: 4, heading: 'h2' },
  )

const profileJsonLd = (username: string, url: string) => ({
  '@context': 'https://schema.org',
  '@type': 'ProfilePage',
  url,
  mainEntity: { '@type': 'Person', name: username, url },
})

const noListings = html`
  <div class="empty">
    <p>${t('developer-empty')}</p>
    <p><a class="button button-primary" href="/dashboard">${t('create-project')}</a></p>
  </div>
`
