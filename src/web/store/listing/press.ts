import { Type } from 'typebox'
import { refuse } from '../../../core/runtime/errors.ts'
import { isIndexable } from '../../../listings/listing/visibility.ts'
import { type Factsheet, factsheet, openPressPage } from '../../../press/kit.ts'
import { formatDate, labelOf, labelsOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page } from '../../components/layout.ts'
import { markdown } from '../../components/markdown.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { shareCard } from './head.ts'

const outside = 'nofollow ugc noopener'

export const pressPage = getPage('/:username/:vanity_name/press', 'The press page of a listing', {
  auth: visitor,
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  async handle(input) {
    const { core, who, params } = input
    const kit = await openPressPage(core, who, params.vanity_name)
    const sheet = factsheet(core.addresses, kit)
    if (sheet.developer.username.toLowerCase() !== params.username.toLowerCase())
      refuse('NOT_FOUND')
    const path = `/${sheet.developer.username}/${sheet.vanity_name}`
    return page(input, {
      title: `${sheet.name} press kit`,
      description: sheet.tagline,
      canonical: `${path}/press`,
      noindex: !isIndexable(kit.listing),
      head: shareCard(
        `${sheet.name} press kit`,
        sheet.tagline,
        `${sheet.url}/press`,
        sheet.cover ? { url: sheet.cover, alt: `Cover art for ${sheet.name}` } : undefined,
      ),
      layout: 'press',
      body: pressBody(sheet, path),
    })
  },
})

function pressBody(sheet: Factsheet, path: string): Html {
  return html`<header class="press-head"><div><p class="eyebrow">Press kit</p><h1>${sheet.name}</h1><p class="lede">${sheet.tagline}</p>
<p class="row"><a class="button button-primary" href="/api/v1/public/games/${sheet.uid}/press.zip" download>${icon('download')}Everything as a zip</a><a class="button button-quiet" href="${path}">Store page</a></p></div>
${sheet.cover && html`<img src="${sheet.cover}" alt="Cover art for ${sheet.name}" width="1024" height="576">`}</header>
<div class="press-grid"><div>
${part('Description', markdown(sheet.description))}${sheet.history && part('History', markdown(sheet.history))}
${bullets('Features', sheet.features)}${bullets('Awards', sheet.awards)}
${sheet.quotes.length > 0 && part('Said of it', html`${sheet.quotes.map(({ quote, source, url }) => html`<figure class="quote"><blockquote>${quote}</blockquote><figcaption class="soft">${url ? html`<a href="${url}" rel="${outside}">${source || url}</a>` : source}</figcaption></figure>`)}`)}
${sheet.changelog.length > 0 && part('Newest changes', html`<ul class="plain">${sheet.changelog.slice(0, 5).map(({ version, title, created_at }) => html`<li><span class="mono">${version}</span> ${title} <span class="soft">${formatDate(created_at)}</span></li>`)}</ul>`)}
</div><aside>${factsOf(sheet)}</aside></div>
${sheet.gallery.length > 0 && part('Pictures', html`<ul class="pictures">${sheet.gallery.map(({ url }, i) => html`<li><a href="${url}"><img src="${url}" alt="Screenshot ${i + 1} of ${sheet.name}" width="640" height="360" loading="lazy"></a></li>`)}</ul>`)}`
}

const part = (title: string, body: Html): Html => html`<section><h2>${title}</h2>${body}</section>`
const bullets = (title: string, some: readonly string[]) =>
  some.length > 0 && part(title, html`<ul>${some.map((one) => html`<li>${one}</li>`)}</ul>`)

function factsOf(sheet: Factsheet): Html {
  const rows: [string, Html | string][] = [
    ['Developer', html`<a href="/${sheet.developer.username}">${sheet.developer.username}</a>`],
    ['Kind', `${labelOf(sheet.asset_type)}, ${labelOf(sheet.status).toLowerCase()}`],
    ['Released', sheet.release_date],
    ['Platforms', labelsOf(sheet.platforms)],
    [
      'Website',
      sheet.website_url &&
        html`<a href="${sheet.website_url}" rel="${outside}">${sheet.website_url.replace('https://', '')}</a>`,
    ],
    [
      'Trailer',
      sheet.trailer_url && html`<a href="${sheet.trailer_url}" rel="${outside}">Watch it</a>`,
    ],
    [
      'Contact',
      sheet.press_email && html`<a href="mailto:${sheet.press_email}">${sheet.press_email}</a>`,
    ],
  ]
  return html`<section class="panel"><h2>Factsheet</h2><dl class="facts">${rows.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>
${sheet.credits.length > 0 && html`<section class="panel"><h2>Team</h2><dl class="facts">${sheet.credits.map(({ name, role }) => html`<dt>${name}</dt><dd>${role}</dd>`)}</dl></section>`}
${sheet.links.length > 0 && html`<section class="panel"><h2>Links</h2><ul class="plain">${sheet.links.map(({ label, url }) => html`<li><a href="${url}" rel="${outside}">${label}</a></li>`)}</ul></section>`}`
}
