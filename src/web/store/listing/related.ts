import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { ListingPage } from './head.ts'

const usedHow: Record<string, string> = {
  uses: 'Uses',
  supports: 'Works with',
  made_with: 'Made with',
}
const usedByHow: Record<string, string> = {
  uses: 'Used by',
  supports: 'Supported by',
  made_with: 'Used to make',
}
const MOST = 8

/** Where else it leads: mods and tools, what it is built on, other stores, the press kit. */
export function related(
  { has_mods, has_tools, relations, store_links, visibility, name }: ListingPage,
  path: string,
): Html | string {
  const parts = [
    ...(has_mods ? [html`<li><a href="${path}/mods">Mods and plugins</a></li>`] : []),
    ...(has_tools ? [html`<li><a href="${path}/tools">Tools and utilities</a></li>`] : []),
    ...(visibility === 'public' || visibility === 'invisible'
      ? [html`<li><a href="${path}/press">Press kit</a></li>`]
      : []),
  ]
  return html`${links(relations.uses, usedHow)}${links(relations.used_by, usedByHow)}
${(parts.length > 0 || store_links.length > 0) && html`<section class="panel" aria-labelledby="more"><h2 id="more">More of ${name}</h2><ul class="plain">${parts}${store_links.map(({ label, url }) => html`<li><a href="${url}" rel="nofollow ugc noopener">${label} ${icon('link')}</a></li>`)}</ul></section>`}`
}

type Relation = ListingPage['relations']['uses'][number]
function links(some: readonly Relation[], how: Record<string, string>): Html[] {
  return [...Map.groupBy(some, ({ kind }) => kind)].map(
    ([kind, group]) =>
      html`<section class="panel"><h2>${how[kind]}</h2><ul class="plain">${group.slice(0, MOST).map(({ uid, name }) => html`<li><a href="/games/${uid}">${name}</a></li>`)}</ul>${group.length > MOST && html`<p class="soft">and ${group.length - MOST} more</p>`}</section>`,
  )
}
