import { t } from '../../../core/text/text.ts'
import { isUnreleasedPage } from '../../../listings/listing/visibility.ts'
import { type Html, html } from '../../components/html.ts'
import { copyText } from '../../components/secret-field.ts'
import type { ListingPage } from './head.ts'

const WIDGET = { width: 680, height: 190 }

type Shared = Pick<ListingPage, 'uid' | 'name' | 'adult' | 'visibility'>

/** The address of the page and, where other sites may show it, the code of its widget. */
export const sharePanel = (listing: Shared, url: string): Html => html`
  <div class="share">
    ${!isUnreleasedPage(listing) && shareDetails(listing, url)}
    <p><a href="/games/${listing.uid}/bug" rel="nofollow">${t('report-bug')}</a></p>
  </div>
`

const shareDetails = (listing: Shared, url: string): Html => html`
  <details>
    <summary>${listing.adult ? t('share') : t('share-and-embed')}</summary>
    <p class="eyebrow">${t('share-link')}</p>
    ${copyText(html`<code>${url}</code>`, 'share-text')}
    ${!listing.adult && embedCode(listing, url)}
  </details>
`

const embedCode = ({ name }: Shared, url: string): Html => {
  const code = html`<iframe src="${url}/embed" title="${name}" width="${WIDGET.width}"
    height="${WIDGET.height}" loading="lazy"></iframe>`
  return html`
    <p class="eyebrow">${t('embed-code')}</p>
    ${copyText(html`<code>${code.write('en')}</code>`, 'share-text')}
  `
}
