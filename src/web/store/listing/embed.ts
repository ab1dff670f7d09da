import { Type } from 'typebox'
import { refuse } from '../../../core/runtime/errors.ts'
import { isUnreleasedPage } from '../../../listings/listing/visibility.ts'
import { openPage, showPage } from '../../../listings/page/page.ts'
import { readPage } from '../../../listings/page/queries.ts'
import { assetUrl } from '../../assets.ts'
import { formatCount, formatPrice } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { sendHtml, setPageHeaders } from '../../components/layout.ts'
import { getPage } from '../../page-routes.ts'
import { countDownloads } from '../../queries.ts'
import { visitor } from '../../visitor.ts'
import { thumbnail } from '../browse/card.ts'

/** A small window for other sites: it reads no cookie, so nobody's session is in it, and every link opens the whole page. */
export const embedPage = getPage(
  '/:username/:vanity_name/embed',
  'A listing as a widget for other sites',
  {
    auth: { ...visitor, vary: 'Accept-Encoding', identify: () => null },
    params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
    async handle(input) {
      const { core, params, request, reply } = input
      const state = await openPage(core, null, params.vanity_name)
      const [row, downloads] = await Promise.all([
        readPage(core.sql, state.uid, null),
        countDownloads(core.sql, state.uid),
      ])
      if (
        !row ||
        row.adult ||
        isUnreleasedPage(row) ||
        row.developer.username.toLowerCase() !== params.username.toLowerCase()
      )
        refuse('NOT_FOUND')
      const {
        name,
        tagline,
        developer,
        vanity_name,
        price_cents,
        platforms,
        thumbnail: picture,
      } = showPage(core.addresses, row)
      const url = `${core.addresses.web_url}/${developer.username}/${vanity_name}`
      const action =
        price_cents > 0
          ? 'Buy'
          : platforms.includes('web')
            ? 'Play now'
            : platforms.length
              ? 'Download'
              : 'View'
      const facts = [
        formatPrice(price_cents),
        platforms.includes('web') && 'Play in browser',
        downloads > 0 && formatCount(downloads, 'download'),
      ].filter(Boolean)
      setPageHeaders(input, { framed: true, noindex: true })
      const text = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${name} on Slipway</title><meta name="robots" content="noindex, nofollow"><link rel="canonical" href="${url}"><link rel="icon" type="image/svg+xml" href="${assetUrl('icon.svg')}"><link rel="stylesheet" href="${assetUrl('site.css')}"></head>
<body class="embed"><main>${thumbnail({ thumbnail: picture, name }, true)}<div><h1><a href="${url}" target="_blank" rel="noopener">${name}</a></h1><p class="soft">by ${developer.username}</p><p class="embed-line">${tagline}</p>
<p class="row"><a class="button button-primary" href="${url}" target="_blank" rel="noopener">${action}</a><span class="soft">${facts.join(' · ')}</span></p></div></main></body></html>`
        .markup
      return sendHtml(request, reply, text)
    },
  },
)
