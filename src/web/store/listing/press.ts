import { type Static, Type } from 'typebox'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { perVisitor } from '../../../core/security/limits.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { takesRequests } from '../../../library/keys/request-queries.ts'
import { isIndexable } from '../../../listings/listing/visibility.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { type Factsheet, factsheet, openPressPage, type PressPage } from '../../../press/kit.ts'
import { pressZipLimits, sendPressZip } from '../../../press/response.ts'
import { fieldLabel } from '../../components/field-text.ts'
import { formatDate, labelOf, labelsOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page } from '../../components/layout.ts'
import { ugcLink } from '../../components/link.ts'
import { markdown } from '../../components/markdown.ts'
import { picture } from '../../components/picture.ts'
import { facts } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { shareCard } from './head.ts'

const MAX_CHANGES = 5
const params = Type.Object({ username: Type.String(), vanity_name: Type.String() })

/** The press page at an address, which also names the developer. */
async function openAddress(
  core: Core,
  who: Identity | null,
  { username, vanity_name }: Static<typeof params>,
): Promise<PressPage> {
  const kit = await openPressPage(core, who, vanity_name)
  const { owner_username } = kit.listing
  return owner_username.toLowerCase() === username.toLowerCase() ? kit : refuse('NOT_FOUND')
}

export const pressPage = getPage('/:username/:vanity_name/press', 'Press page of a listing', {
  auth: visitor,
  params,
  async handle(input) {
    const { core, who } = input
    const kit = await openAddress(core, who, input.params)
    const sheet = factsheet(core.addresses, kit)
    const urls = [sheet.cover, sheet.thumbnail, ...sheet.gallery.map(({ url }) => url)]
    const pictures = await readPictures(core, urls)
    const path = `/${sheet.developer.username}/${sheet.vanity_name}`
    const { name } = sheet
    const title = t('press-title', { name })
    const cover = sheet.cover ? { url: sheet.cover, alt: t('cover-alt', { name }) } : undefined
    return page(input, {
      title,
      description: sheet.tagline,
      canonical: `${path}/press`,
      noindex: !isIndexable(kit.listing),
      head: shareCard(core, {
        title,
        description: sheet.tagline,
        url: `${sheet.url}/press`,
        image: cover,
      }),
      layout: 'press',
      body: html`
        ${pressBody(sheet, path, pictures)}
        ${(await takesRequests(core.sql, kit.listing.uid)) && keyRequestLink(kit.listing.uid)}`,
    })
  },
})

/**
 * The zip of the press page. Public API routes read no cookie, so they cannot send the zip of an
 * adult listing to a browser.
 */
export const pressPageZip = getPage('/:username/:vanity_name/press.zip', 'Press kit as a zip', {
  auth: visitor,
  limits: [...pressZipLimits, perVisitor(10)],
  params,
  cache: 'private, no-cache',
  async handle({ core, who, request, reply, params }) {
    await sendPressZip({ core, request, reply }, await openAddress(core, who, params))
  },
})

const keyRequestLink = (uid: string): Html => html`
  <p><a class="button button-quiet" href="/games/${uid}/key-request">${t('key-request-ask')}</a></p>`

const pressBody = (sheet: Factsheet, path: string, pictures: Pictures): Html => html`
  ${pressHeader(sheet, path, pictures)}
  <div class="press-grid">
    <div>
      ${section(fieldLabel('description'), markdown(sheet.description))}
      ${sheet.history && section(t('press-history'), markdown(sheet.history))}
      ${bulletSection(t('press-features'), sheet.features)}
      ${bulletSection(t('press-awards'), sheet.awards)}
      ${sheet.quotes.length > 0 && section(t('press-quotes'), html`${sheet.quotes.map(quoteFigure)}`)}
      ${sheet.changelog.length > 0 && section(t('press-changes'), changeList(sheet))}
    </div>
    <aside>${sidePanels(sheet)}</aside>
  </div>
  ${(sheet.thumbnail || sheet.gallery.length > 0) && imageSection(sheet, pictures)}
`

function pressHeader(sheet: Factsheet, path: string, pictures: Pictures): Html {
  const cover = picture(pictures, sheet.cover, {
    alt: t('cover-alt', { name: sheet.name }),
    width: 1024,
    height: 576,
    widths: [320, 640, 1280],
    sizes: '(max-width: 960px) 100vw, 600px',
    loading: 'first',
  })
  return html`
    <header class="press-head">
      <div>
        <p class="eyebrow">${t('press-kit')}</p>
        <h1>${sheet.name}</h1>
        <p class="lede">${sheet.tagline}</p>
        <p class="row">
          <a class="button button-primary" href="${path}/press.zip">
            ${icon('download')}${t('press-download')}
          </a>
          <a class="button button-quiet" href="${path}">${t('store-page')}</a>
        </p>
      </div>
      ${sheet.cover && html`<a href="${sheet.cover}">${cover}</a>`}
    </header>
  `
}

const section = (title: Text, body: Html): Html => html`
  <section>
    <h2>${title}</h2>
    ${body}
  </section>
`
const bulletSection = (title: Text, lines: readonly string[]) =>
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

/** The thumbnail and the gallery, each a link to its original; the cover is in the header. */
function imageSection({ thumbnail, gallery, name }: Factsheet, pictures: Pictures): Html {
  const image = (url: string, alt: Text) => html`
    <li>
      <a href="${url}">
        ${picture(pictures, url, {
          alt,
          width: 640,
          height: 360,
          widths: [320, 640, 1280],
          sizes: '(max-width: 600px) 92vw, 400px',
          loading: 'lazy',
        })}
      </a>
    </li>
  `
  return section(
    t('press-images'),
    html`
      <ul class="pictures">
        ${thumbnail && image(thumbnail, t('thumbnail-alt', { name }))}
        ${gallery.map(({ url }, i) => image(url, t('screenshot-alt', { number: i + 1, name })))}
      </ul>
    `,
  )
}

function sidePanels(sheet: Factsheet): Html {
  const { developer, website_url, trailer_url, press_email } = sheet
  const website = website_url && ugcLink(website_url, website_url.replace('https://', ''))
  const rows: [Text, Html | Text][] = [
    [t('developer'), html`<a href="/${developer.username}">${developer.username}</a>`],
    [fieldLabel('asset_type'), joinTexts([sheet.asset_type, sheet.status].map(labelOf), ' · ')],
    [t('release-date'), sheet.release_date],
    [t('platforms'), sheet.platforms.length ? labelsOf(sheet.platforms) : ''],
    [t('website'), website],
    [t('trailer'), trailer_url && ugcLink(trailer_url, t('watch'))],
    [t('press-contact'), press_email && html`<a href="mailto:${press_email}">${press_email}</a>`],
  ]
  const links = sheet.links.map(({ label, url }) => html`<li>${ugcLink(url, label)}</li>`)
  return html`
    ${panel(t('factsheet'), facts(rows.filter(([, value]) => value)))}
    ${sheet.credits.length > 0 && panel(t('press-team'), facts(sheet.credits.map(creditRow)))}
    ${links.length > 0 && panel(t('press-links'), html`<ul class="plain">${links}</ul>`)}
  `
}

const creditRow = ({ name, role }: Factsheet['credits'][number]) => [name, role] as const

const panel = (title: Text, body: Html) => html`
  <section class="panel">
    <h2>${title}</h2>
    ${body}
  </section>
`
