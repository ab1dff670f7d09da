import { Type } from 'typebox'
import { openPage } from '../../../listings/page/page.ts'
import { read } from '../../call.ts'
import { formatCount } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { page } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { type Card, cards } from '../browse/card.ts'
import { gatePage, isGated } from './adult-gate.ts'
import { shareCard } from './head.ts'

const PAGE_SIZE = 48
const params = Type.Object({ username: Type.String(), vanity_name: Type.String() })
type Child = Omit<Card, 'username'> & { developer: { username: string }; same_creator: boolean }

const kinds = {
  mods: { title: 'Mods and plugins', noun: 'mod or plugin', nouns: 'mods and plugins' },
  tools: { title: 'Tools and utilities', noun: 'tool or utility', nouns: 'tools and utilities' },
} as const

/** What hangs under a game: by its own makers first, then by others. */
const childrenPage = (kind: keyof typeof kinds) =>
  getPage(`/:username/:vanity_name/${kind}`, `${kinds[kind].title} for a listing`, {
    auth: visitor,
    params,
    query: Type.Object({ page: Type.Integer({ default: 1 }) }),
    async handle(input) {
      const { request, params, query, core, who } = input
      const maker = await read(
        request,
        `/api/v1/public/user/${encodeURIComponent(params.username)}/games/${encodeURIComponent(params.vanity_name)}`,
      )
      if (isGated(who, await openPage(core, who, maker.uid))) return gatePage(input, request.url)
      const { items, ...found } = await read<{
        items: Child[]
        total: number
        page: number
        page_size: number
      }>(
        request,
        `/api/v1/public/games/${maker.uid}/children?kind=${kind}&page=${query.page}&page_size=${PAGE_SIZE}`,
      )
      const { total } = found
      const { title, noun, nouns } = kinds[kind]
      const path = `/${maker.developer.username}/${maker.vanity_name}`
      const all = items.map(({ developer, ...child }) => ({
        ...child,
        username: developer.username,
      }))
      const group = (heading: string, some: Card[]) =>
        some.length > 0 &&
        html`<section class="shelf"><header><h2>${heading}</h2></header>${cards(some)}</section>`
      const description = `${formatCount(total, noun, nouns)} for ${maker.name}.`
      return page(input, {
        title: `${title} for ${maker.name} on Slipway`,
        description,
        canonical: `${path}/${kind}`,
        noindex: !maker.indexable || total === 0,
        head: shareCard(
          `${title} for ${maker.name}`,
          description,
          `${core.addresses.web_url}${path}/${kind}`,
          maker.cover ? { url: maker.cover, alt: `Cover art for ${maker.name}` } : undefined,
        ),
        body: html`<p><a href="${path}">${maker.name}</a></p><h1>${title} for ${maker.name}</h1>
${total === 0 && html`<div class="empty"><p>There are none yet. <a href="/dashboard">Publish one</a> and name ${maker.name} as its parent.</p></div>`}
${group(
  `By ${maker.developer.username}`,
  all.filter(({ same_creator }) => same_creator),
)}${group(
  `By others`,
  all.filter(({ same_creator }) => !same_creator),
)}${pager(`${path}/${kind}`, found)}`,
      })
    },
  })

export const modsPage = childrenPage('mods')
export const toolsPage = childrenPage('tools')
