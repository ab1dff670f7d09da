import { showCard } from '../../../catalog/cards/cards.ts'
import { findOwnCopies, type OwnCopyRow } from '../../../catalog/shelves/personal-queries.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import type { Currency } from '../../../listings/prices/currencies.ts'
import { readPictures } from '../../../listings/renditions/pictures.ts'
import { formatDate, formatPlayTime } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { inCurrency } from '../card-prices.ts'
import { cards, thumbnailUrls } from './card.ts'
import { shelfHeader } from './shelf-header.ts'

type Reader = { user_uid: string; show_adult: boolean }

/** One row on most screens. */
const ROW = 4

export type OwnCopies = { section: Html | string; uids: string[] }
export const noCopies: OwnCopies = { section: '', uids: [] }

/**
 * What a signed-in person played last, and what is new in their library, each copy once. "Played"
 * is what games and launchers reported as play time; other starts are not known.
 */
export async function renderOwnCopies(
  core: Core,
  { user_uid, show_adult }: Reader,
  currency: Currency,
): Promise<OwnCopies> {
  const rows = await findOwnCopies(core.sql, { user_uid, sees_adult: show_adult, limit: ROW })
  const played = rows
    .filter(({ played_at }) => played_at !== null)
    .sort((a, b) => b.played_at!.getTime() - a.played_at!.getTime())
  const updated = rows
    .filter(({ played_at, built_at }) => played_at === null && built_at !== null)
    .sort((a, b) => b.built_at!.getTime() - a.built_at!.getTime())
    .slice(0, ROW)
  const items = [...played, ...updated].map((row) => ({
    ...row,
    ...showCard(core.addresses, row),
  }))
  const copies = await inCurrency(core, currency, items)
  const pictures = await readPictures(core, thumbnailUrls(copies))
  const noted = (list: OwnCopyRow[]) =>
    copies
      .filter(({ uid }) => list.some((row) => row.uid === uid))
      .map((copy) => ({ ...copy, note: noteOf(copy) }))
  const section = html`
    ${played.length > 0 && ownSection(continueHeader, cards(noted(played), pictures))}
    ${updated.length > 0 && ownSection(updatesHeader, cards(noted(updated), pictures))}
  `
  return { section, uids: copies.map(({ uid }) => uid) }
}

const continueHeader = {
  id: 'own-continue',
  title: t('own-continue'),
  line: t('own-continue-text'),
  more: '/library',
}
const updatesHeader = {
  id: 'own-updates',
  title: t('own-updates'),
  line: t('own-updates-text'),
  more: '/library',
}

const ownSection = (header: typeof continueHeader, list: Html): Html => html`
  <section class="shelf" aria-labelledby="${header.id}">
    ${shelfHeader(header)}
    ${list}
  </section>
`

type Note = Pick<OwnCopyRow, 'played_at' | 'play_seconds' | 'new_version' | 'built_at'>

function noteOf({ played_at, play_seconds, new_version, built_at }: Note): Text {
  return joinTexts(
    [
      played_at && t('own-played', { date: formatDate(played_at) }),
      played_at && formatPlayTime(play_seconds),
      new_version &&
        built_at &&
        t('own-new-version', { version: new_version, date: formatDate(built_at) }),
    ],
    ' · ',
  )
}
