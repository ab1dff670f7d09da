import { Type } from 'typebox'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import { findDeveloper, isDeveloperIndexable } from '../../../catalog/discovery/queries.ts'
import { search } from '../../../catalog/search/search.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { developerUrl } from '../../../listings/page/url.ts'
import { profileImageUrls } from '../../../listings/profiles/images.ts'
import type { Profile } from '../../../listings/profiles/profile.ts'
import { readProfile, readProfileImages } from '../../../listings/profiles/queries.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { onStore, page } from '../../components/layout.ts'
import { ugcLink } from '../../components/link.ts'
import { markdown } from '../../components/markdown.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { picture, picturePreload } from '../../components/picture.ts'
import { avatarImage, type Pictured } from '../../images/avatar.ts'
import { getPage } from '../../page-routes.ts'
import { moderateLink } from '../../reports/moderate-link.ts'
import { reportLink } from '../../reports/report-form.ts'
import { visitor } from '../../visitor.ts'
import { inCurrency } from '../card-prices.ts'
import { currencyOf } from '../currency.ts'
import { shareCard } from '../listing/head.ts'
import { type Card, cards, thumbnailUrls } from './card.ts'

const PAGE_SIZE = 48

/**
 * A developer and their listings. Without any listing, only they themselves can open the page,
 * unless their profile is public.
 */
export const developerPage = getPage('/:username', 'Listings of a developer', {
  auth: visitor,
  params: Type.Object({ username: Type.String() }),
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  async handle(input) {
    const { core, who, params, query, reply } = input
    const { username, uid } =
      (await findDeveloper(core.sql, params.username)) ?? refuse('NOT_FOUND')
    if (username !== params.username) return reply.redirect(`/${username}`, 301)
    const [{ items, ...list }, indexable, profile, images] = await Promise.all([
      search(
        core,
        { owner: [uid], sort: 'newest', page: pageNumber(query.page), page_size: PAGE_SIZE },
        who,
      ),
      isDeveloperIndexable(core.sql, uid),
      readProfile(core.sql, uid),
      readProfileImages(core.sql, uid),
    ])
    const is_self = who?.user_uid === uid
    if (!list.total && !profile.is_public && !is_self) refuse('NOT_FOUND')
    const { avatar, banner } = profileImageUrls(core.addresses, images)
    const [pictures, listings] = await Promise.all([
      readPictures(core, [banner, ...thumbnailUrls(items)]),
      inCurrency(core, currencyOf(input.request), items),
    ])
    const url = developerUrl(core.addresses, username)
    const title = onStore(core, username)
    const count = formatCount(list.total, 'listing')
    const description = t('developer-description', {
      count: list.total,
      username,
      store: core.settings.current.store_name,
    })
    return page(input, {
      title,
      description,
      canonical: `/${username}`,
      noindex: !indexable,
      json_ld: indexable ? profileJsonLd(username, url, avatar) : undefined,
      head: html`
        ${banner && picturePreload(pictures, banner, bannerSizes)}
        ${shareCard(core, {
          title,
          description,
          url,
          image: shareImage(username, banner || avatar),
        })}
        ${list.total > 0 && feedLink(username, title)}
      `,
      body: html`
        ${banner && bannerImage(pictures, banner)}
        ${developerHead(
          { username, count, has_listings: list.total > 0, is_self, avatar: images.avatar, who },
          profile,
        )}
        ${list.total ? developerCards(username, listings, pictures) : is_self && noListings}
        ${pager(`/${username}`, list)}
      `,
    })
  },
})

const feedLink = (username: string, title: Text): Html => html`
  <link rel="alternate" type="application/atom+xml" title="${title}" href="/${username}/feed.atom">
`

const shareImage = (username: string, url: string) =>
  url ? { url, alt: t('developer-image-alt', { username }) } : undefined

const bannerSizes = {
  sizes: '(max-width: 1320px) 100vw, 1320px',
  widths: [640, 1280, 1920],
} as const

/** Has its height before it loads, and no text, because it is decoration. */
const bannerImage = (pictures: Pictures, url: string): Html => html`
  <div class="banner">
    ${picture(pictures, url, { alt: '', width: 1920, height: 480, loading: 'first', ...bannerSizes })}
  </div>
`

type Person = Pictured & {
  count: Text
  has_listings: boolean
  is_self: boolean
  who: Identity | null
}

function developerHead(person: Person, { bio, links }: Profile): Html {
  const { username, count, has_listings, is_self } = person
  const feed = html`
    <p class="soft">
      ${count} ·
      <a href="/${username}/feed.atom">${icon('feed')}${t('follow-by-feed')}</a>
    </p>
  `
  return html`
    <header class="developer">
      <div class="developer-name">
        ${avatarImage(person, 'large')}
        <div>
          <p class="eyebrow">${has_listings ? t('developer') : t('profile')}</p>
          <h1>${username}</h1>
          ${has_listings && feed}
        </div>
      </div>
      ${bio.trim() && markdown(bio)}
      ${links.length > 0 && profileLinks(links)}
      ${is_self ? editProfile : reportLinks(person)}
    </header>
  `
}

const reportLinks = ({ who, username }: Person): Html => html`
  <p class="row">
    ${reportLink('person', username)}
    ${moderateLink(who, 'person', username)}
  </p>`

const editProfile = html`<p><a href="/settings/profile">${t('profile-edit')}</a></p>`

const profileLinks = (links: readonly string[]): Html => html`
  <ul class="profile-links">
    ${links.map((url) => html`<li>${ugcLink(url, html`${linkText(url)} ${icon('link')}`)}</li>`)}
  </ul>
`

/** A link without what every link has in common. */
const linkText = (url: string): string => url.replace(/^https:\/\/(www\.)?/, '').replace(/\/$/, '')

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

const profileJsonLd = (username: string, url: string, image: string) => ({
  '@context': 'https://schema.org',
  '@type': 'ProfilePage',
  url,
  mainEntity: { '@type': 'Person', name: username, url, ...(image && { image }) },
})

const noListings = html`
  <div class="empty">
    <p>${t('developer-empty')}</p>
    <p><a class="button button-primary" href="/dashboard">${t('create-project')}</a></p>
  </div>
`
