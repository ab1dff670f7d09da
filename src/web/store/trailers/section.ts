import { joinTexts, listTexts, type Text, t } from '../../../core/text/text.ts'
import type { Pictures } from '../../../listings/renditions/pictures.ts'
import type { Trailer } from '../../../listings/trailers/schema.ts'
import { languageName } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { linkTo, UGC_REL } from '../../components/link.ts'
import { picture, renditionOf } from '../../components/picture.ts'
import type { ListingPage } from '../listing/head.ts'

/** The attributes that reserve the space of a video; the style sheet has the same ratio. */
const SIZE = { width: 1280, height: 720 }
const POSTER_WIDTH = 1280

/** The images of trailers without a poster are those of the listing. */
const posterOf = ({ cover, thumbnail }: ListingPage, { poster }: Trailer) =>
  poster || cover || thumbnail

export const trailerUrls = (listing: ListingPage) =>
  listing.trailers.map((trailer) => posterOf(listing, trailer)).filter(Boolean)

/** The origins of the frames that a page may load after a click. */
export const trailerFrames = ({ trailers }: ListingPage): string[] => [
  ...new Set(trailers.flatMap(({ embed_host }) => (embed_host ? [`https://${embed_host}`] : []))),
]

const titleOf = ({ name }: ListingPage, { title }: Trailer): Text =>
  title || t('trailer-of', { name })

export function trailersSection(listing: ListingPage, pictures: Pictures): Html | string {
  const { trailers } = listing
  if (!trailers.length) return ''
  const figure = (trailer: Trailer) =>
    trailer.kind === 'file'
      ? videoFigure(listing, trailer, pictures)
      : outsideFigure(listing, trailer, pictures)
  return html`
    <section aria-labelledby="trailers">
      <h2 id="trailers">${t('trailers-title', { count: trailers.length })}</h2>
      <div class="trailers">${trailers.map(figure)}</div>
    </section>
  `
}

/** Plays without script, with the controls of the browser. Nothing loads before it is started. */
function videoFigure(listing: ListingPage, trailer: Trailer, pictures: Pictures): Html {
  const { url, type, captions, duration_seconds } = trailer
  const title = titleOf(listing, trailer)
  const poster = renditionOf(pictures, posterOf(listing, trailer), POSTER_WIDTH)
  const details = [
    duration_seconds !== null && clockTime(duration_seconds),
    captions.length > 0 &&
      t('trailer-captions', {
        languages: listTexts(captions.map(({ language }) => languageName(language))),
      }),
  ]
  return html`
    <figure class="trailer">
      <video controls playsinline preload="none" width="${SIZE.width}" height="${SIZE.height}"
        aria-label="${title}"${poster && html` poster="${poster}"`}>
        <source src="${pathOf(url)}" type="${type}">
        ${captions.map(track)}
        <p>${richText('trailer-cannot-play', { link: linkTo(pathOf(url)) })}</p>
      </video>
      <figcaption>
        <strong>${title}</strong>
        <span class="soft">${joinTexts(details, ' · ')}</span>
      </figcaption>
    </figure>
  `
}

/** Browsers load captions only from the origin of the page. */
const pathOf = (url: string) => new URL(url).pathname

const track = ({ language, url }: Trailer['captions'][number]): Html => html`
  <track kind="captions" srclang="${language}" label="${languageName(language)}"
    src="${pathOf(url)}">
`

/** 95 seconds are 1:35, in every language. */
function clockTime(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [first, ...rest] = parts[0] ? parts : parts.slice(1)
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':')
}

/** A link to the video. gallery.mjs loads it into the page, but only after a click. */
function outsideFigure(listing: ListingPage, trailer: Trailer, pictures: Pictures): Html {
  const { url, embed_url, embed_host } = trailer
  const title = titleOf(listing, trailer)
  const poster = posterOf(listing, trailer)
  const image =
    poster &&
    picture(pictures, poster, {
      alt: '',
      ...SIZE,
      widths: [640, 1280],
      sizes: '(max-width: 960px) 100vw, 820px',
      loading: 'lazy',
    })
  return html`
    <figure class="trailer">
      <outside-video data-src="${embed_url}" data-title="${title}">
        <a class="outside-card" href="${url}" rel="${UGC_REL}">
          ${image}
          <span class="play-sign">${icon('play')}</span>
          <span class="sr">${t('trailer-play', { title })}</span>
        </a>
      </outside-video>
      <figcaption>
        <strong>${title}</strong>
        <span class="soft">${t('trailer-outside-note', { host: embed_host ?? '' })}</span>
      </figcaption>
    </figure>
  `
}
