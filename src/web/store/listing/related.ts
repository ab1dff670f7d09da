import { type Text, t } from '../../../core/text/text.ts'
import { isUnreleasedPage } from '../../../listings/listing/visibility.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { ugcLink } from '../../components/link.ts'
import type { ListingPage } from './head.ts'

const usesTitles: Record<string, Text> = {
  uses: t('relation-uses'),
  supports: t('works-with'),
  made_with: t('relation-made-with'),
}
const usedByTitles = ({ asset_type }: ListingPage): Record<string, Text> => ({
  uses: t('relation-used-by'),
  supports: asset_type === 'game' ? t('relation-mods') : t('relation-supported-by'),
  made_with: t('relation-used-to-make'),
})
const MAX_LINKS = 8

/** Dependencies, mods and tools, other stores and the press kit. */
export function relatedPanels(listing: ListingPage, path: string): Html {
  const { relations } = listing
  return html`
    ${relationPanels(relations.uses, usesTitles)}
    ${relationPanels(relations.used_by, usedByTitles(listing))}
    ${linksPanel(listing, path)}
  `
}

function linksPanel(listing: ListingPage, path: string): Html | false {
  const { has_mods, has_tools, store_links, visibility, name } = listing
  const has_press_page = !isUnreleasedPage({ visibility })
  const links = [
    ...(has_mods ? [html`<a href="${path}/mods">${t('mods')}</a>`] : []),
    ...(has_tools ? [html`<a href="${path}/tools">${t('tools')}</a>`] : []),
    ...(has_press_page ? [html`<a href="${path}/press">${t('press-kit')}</a>`] : []),
    ...store_links.map(({ label, url }) => ugcLink(url, html`${label} ${icon('link')}`)),
  ]
  return (
    links.length > 0 &&
    html`
      <section class="panel" aria-labelledby="more">
        <h2 id="more">${t('more-about', { name })}</h2>
        <ul class="plain">${links.map((link) => html`<li>${link}</li>`)}</ul>
      </section>
    `
  )
}

type Relation = ListingPage['relations']['uses'][number]

function relationPanels(relations: readonly Relation[], titles: Record<string, Text>): Html[] {
  const link = ({ uid, name }: Relation) => html`<li><a href="/games/${uid}">${name}</a></li>`
  return [...Map.groupBy(relations, ({ kind }) => kind)].map(([kind, group]) => {
    const more = group.length - MAX_LINKS
    return html`
      <section class="panel">
        <h2>${titles[kind]}</h2>
        <ul class="plain">${group.slice(0, MAX_LINKS).map(link)}</ul>
        ${more > 0 && html`<p class="soft">${t('and-more', { count: more })}</p>`}
      </section>
    `
  })
}
