import { Type } from 'typebox'
import { routePath } from '../../../core/http/call.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { isIndexable } from '../../../listings/listing/visibility.ts'
import { type Factsheet, factsheet, openPressPage } from '../../../press/kit.ts'
import { readPressZip } from '../../../press/routes.ts'
import { formatDate, labelOf, labelsOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page } from '../../components/layout.ts'
import { ugcLink } from '../../components/link.ts'
import { markdown } from '../../components/markdown.ts'
import { facts } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { shareCard } from './head.ts'

const MAX_CHANGES = 5

export const pressPage = getPage('/:username/:vanity_name/press', 'Press page of a listing', {
  auth: visitor,
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  async handle(input) {
    const { core, who, params } = input
    const kit = await openPressPage(core, who, params.vanity_name)
    const sheet = factsheet(core.addresses, kit)
    if (sheet.developer.username.toLowerCase() !== params.username.toLowerCase())
      refuse('NOT_FOUND')
    const path = `/${sheet.developer.username}/${sheet.vanity_name}`
    const title = `${sheet.name} press kit`
    const cover = sheet.cover ? { url: sheet.cover, alt: `Cover art for ${sheet.name}` } : undefined
    return page(input, {
      title,
      description: sheet.tagline,
      canonical: `${path}/press`,
      noindex: !isIndexable(kit.listing),
      head: shareCard(title, sheet.tagline, `${sheet.url}/press`, cover),
      layout: 'press',
      body: pressBody(sheet, path),
    })
  },
})

const pressBody = (sheet: Factsheet, path: string): Html => html`
  ${pressHeader(sheet, path)}
  <div class="press-grid">
    <div>
      ${section('Description', markdown(sheet.description))}
      ${sheet.history && section('History', markdown(sheet.history))}
      ${bulletSection('Features', sheet.features)}
      ${bulletSection('Awards', sheet.awards)}
      ${sheet.quotes.length > 0 && section('Quotes', html`${sheet.quotes.map(quoteFigure)}`)}
      ${sheet.changelog.length > 0 && section('Latest changes', changeList(sheet))}
    </div>
    <aside>${sidePanels(sheet)}</aside>
  </div>
  ${sheet.gallery.length > 0 && section('Images', imageList(sheet))}
`

function pressHeader(sheet: Factsheet, path: string): Html {
  const zip_url = routePath(readPressZip.url, { game_id: sheet.uid })
  const cover = html`
    <img src="${sheet.cover}" alt="Cover art for ${sheet.name}" width="1024" height="576">
  `
  return html`
    <header class="press-head">
      <div>
        <p class="eyebrow">Press kit</p>
        <h1>${sheet.name}</h1>
        <p class="lede">${sheet.tagline}</p>
        <p class="row">
          <a class="button button-primary" href="${zip_url}" download>
            ${icon('download')}Download all as ZIP
          </a>
          <a class="button button-quiet" href="${path}">Store page</a>
        </p>
      </div>
      ${sheet.cover && cover}
    </header>
  `
}

const section = (title: string, body: Html): Html => html`
  <section>
    <h2>${title}</h2>
    ${body}
  </section>
`
const bulletSection = (title: string, lines: readonly string[]) =>
  lines.length > 0 && section(title, html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`)

const quoteFigure = ({ quote, source, url }: Factsheet['quotes'][number]) => html`
  <figure class="quote">
    <blockquote>${quote}</blockquote>
    <figcaption class="soft">${url ? ugcLink(url, source || url) : source}</figcaption>
  </figure>
`

const changeList = ({ changelog }: Factsheet) => html`
  <ul class="plain">
    ${changelog.slice(0, MAX_CHANGES).map(
      ({ version, title, created_at }) => html`
        <li>
          <span class="mono">${version}</span>
          ${title}
          <span class="soft">${formatDate(created_at)}</span>
        </li>
      `,
    )}
  </ul>
`

function imageList({ gallery, name }: Factsheet): Html {
  const image = (url: string, i: number) => {
    const alt = `Screenshot ${i + 1} of ${name}`
    return html`<img src="${url}" alt="${alt}" width="640" height="360" loading="lazy">`
  }
  return html`
    <ul class="pictures">
      ${gallery.map(({ url }, i) => html`<li><a href="${url}">${image(url, i)}</a></li>`)}
    </ul>
  `
}

function sidePanels(sheet: Factsheet): Html {
  const { developer, website_url, trailer_url, press_email } = sheet
  const website = website_url && ugcLink(website_url, website_url.replace('https://', ''))
  const rows: [string, Html | string][] = [
    ['Developer', html`<a href="/${developer.username}">${developer.username}</a>`],
    ['Type', `${labelOf(sheet.asset_type)}, ${labelOf(sheet.status).toLowerCase()}`],
    ['Release date', sheet.release_date],
    ['Platforms', labelsOf(sheet.platforms)],
    ['Website', website],
    ['Trailer', trailer_url && ugcLink(trailer_url, 'Watch')],
    ['Contact', press_email && html`<a href="mailto:${press_email}">${press_email}</a>`],
  ]
  const links = sheet.links.map(({ label, url }) => html`<li>${ugcLink(url, label)}</li>`)
  return html`
    ${panel('Factsheet', facts(rows.filter(([, value]) => value)))}
    ${sheet.credits.length > 0 && panel('Team', facts(sheet.credits.map(creditRow)))}
    ${links.length > 0 && panel('Links', html`<ul class="plain">${links}</ul>`)}
  `
}

const creditRow = ({ name, role }: Factsheet['credits'][number]) => [name, role] as const

const panel = (title: string, body: Html) => html`
  <section class="panel">
    <h2>${title}</h2>
    ${body}
  </section>
`
