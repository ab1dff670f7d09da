import { Type } from 'typebox'
import { type Text, t } from '../../../core/text/text.ts'
import { openPage } from '../../../listings/page/page.ts'
import { readChildrenRoute, readPublicListingByDeveloper } from '../../../listings/page/routes.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { readApi } from '../../call.ts'
import { html, richText } from '../../components/html.ts'
import { onStore, page } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { type Card, cards, thumbnailUrls } from '../browse/card.ts'
import { inCurrency } from '../card-prices.ts'
import { currencyOf } from '../currency.ts'
import { gatePage, isGated } from './adult-gate.ts'
import { shareCard } from './head.ts'

const PAGE_SIZE = 48
const params = Type.Object({ username: Type.String(), vanity_name: Type.String() })

const kinds = {
  mods: {
    summary: 'Mods and plugins for a listing',
    heading: (name: string) => t('mods-of', { name }),
    description: (count: number, name: string) => t('mods-description', { count, name }),
    none: (name: string) => richText('mods-none', { name, publish: linkTo('/dashboard') }),
  },
  tools: {
    summary: 'Tools and utilities for a listing',
    heading: (name: string) => t('tools-of', { name }),
    description: (count: number, name: string) => t('tools-description', { count, name }),
    none: (name: string) => richText('tools-none', { name, publish: linkTo('/dashboard') }),
  },
} as const

const shelf = (heading: Text, listings: readonly Card[], pictures: Pictures) =>
  listings.length > 0 &&
  html`
    <section class="shelf">
      <header><h2>${heading}</h2></header>
      ${cards(listings, pictures)}
    </section>
  `

/** The mods or the tools of a listing: those of its own developer first, then those of others. */
const childrenPage = (kind: keyof typeof kinds) =>
  getPage(`/:username/:vanity_name/${kind}`, kinds[kind].summary, {
    auth: visitor,
    params,
    query: Type.Object({ page: Type.String({ default: '1' }) }),
    async handle(input) {
      const { request, params, query, core, who } = input
      const parent = await readApi(request, readPublicListingByDeveloper, { params })
      if (isGated(who, await openPage(core, who, parent.uid))) return gatePage(input, request.url)
      const { items, ...list } = await readApi(request, readChildrenRoute, {
        params: { game_id: parent.uid },
        query: { kind, page: pageNumber(query.page), page_size: PAGE_SIZE },
      })
      const pictures = await readPictures(core, thumbnailUrls(items))
      const texts = kinds[kind]
      const { username } = parent.developer
      const parent_path = `/${username}/${parent.vanity_name}`
      const path = `${parent_path}/${kind}`
      const priced = await inCurrency(core, currencyOf(request), items)
      const children = priced.map(({ developer, ...child }) => ({
        ...child,
        username: developer.username,
      }))
      const heading = texts.heading(parent.name)
      const description = texts.description(list.total, parent.name)
      return page(input, {
        title: onStore(core, heading),
        description,
        canonical: path,
        noindex: !parent.indexable || list.total === 0,
        head: shareCard(core, {
          title: heading,
          description,
          url: `${core.addresses.web_url}${path}`,
          image: coverOf(parent),
        }),
        body: html`
          <p><a href="${parent_path}">${parent.name}</a></p>
          <h1>${heading}</h1>
          ${list.total === 0 && html`<div class="empty"><p>${texts.none(parent.name)}</p></div>`}
          ${shelf(
            t('listings-by', { username }),
            children.filter(({ same_creator }) => same_creator),
            pictures,
          )}
          ${shelf(
            t('listings-by-others'),
            children.filter(({ same_creator }) => !same_creator),
            pictures,
          )}
          ${pager(path, list)}
        `,
      })
    },
  })

const coverOf = ({ cover, name }: { cover: string; name: string }) =>
  cover ? { url: cover, alt: t('cover-alt', { name }) } : undefined

export const modsPage = childrenPage('mods')
export const toolsPage = childrenPage('tools')
