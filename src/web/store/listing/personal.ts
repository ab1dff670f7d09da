import type { Identity } from '../../../accounts/sessions/identity.ts'
import { isOnBeta } from '../../../builds/channels/beta-queries.ts'
import { joinTexts, t } from '../../../core/text/text.ts'
import { tagLimits } from '../../../library/community-tags.ts'
import { readHolding } from '../../../library/copy-queries.ts'
import { readOwnReview } from '../../../library/review-queries.ts'
import {
  canBeBought,
  canEdit,
  isUnreleasedPage,
  standingOf,
} from '../../../listings/listing/visibility.ts'
import type { PageState } from '../../../listings/page/queries.ts'
import { readWithdrawnDownloads } from '../../../listings/withdrawn/queries.ts'
import { fileButton } from '../../components/file-button.ts'
import { formatDate, formatPlayTime } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { Context } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { type LibraryFile, readBetaFiles } from '../../queries.ts'
import { moderateLink } from '../../reports/moderate-link.ts'
import { withdrawnNotice } from '../browse/withdrawn-notice.ts'
import type { PersonalParts } from './body.ts'
import type { ListingPage } from './head.ts'

/** The visitor's copy of a listing, and what they may do with it. */
export async function personalParts(
  { core, who }: Context & { who: Identity },
  state: PageState,
  listing: ListingPage,
): Promise<PersonalParts> {
  const is_editor = canEdit(standingOf(who, state))
  const [holding, beta, own_review, beta_files, withdrawn] = await Promise.all([
    readHolding(core.sql, who.user_uid, state.uid),
    isOnBeta(core.sql, state.uid, who.user_uid),
    readOwnReview(core.sql, who.user_uid, state.uid),
    readBetaFiles(core.sql, [state.uid]),
    readWithdrawnDownloads(core.sql, who.user_uid, [state.uid]),
  ])
  const has_copy = Boolean(holding?.source)
  const can_tag = (holding?.play_seconds ?? 0) >= tagLimits.play_seconds
  return {
    // The page of an unreleased listing already links to the dashboard.
    notice: html`
      ${is_editor && !isUnreleasedPage(listing) && editorNotice(state.uid)}
      ${withdrawn.map(withdrawnNotice)}`,
    copy: has_copy ? libraryPart(holding!, beta, beta_files) : claimPart(who, listing, is_editor),
    actions: has_copy ? copyActions(state.uid, beta, beta_files.length > 0) : '',
    can_download: has_copy || is_editor,
    has_copy,
    moderate: moderateLink(who, 'listing', state.uid),
    review: is_editor || !has_copy ? '' : reviewLinks(state.uid, can_tag, Boolean(own_review)),
  }
}

const editorNotice = (uid: string) => html`
  <p class="notice">
    ${icon('info')}
    <span>${richText('editor-notice', { link: linkTo(`/dashboard/${uid}`) })}</span>
  </p>
`

const reviewLinks = (uid: string, can_tag: boolean, has_review: boolean) => html`
  <p class="row">
    <a class="button button-quiet" href="/games/${uid}/review">
      ${has_review ? t('edit-review') : t('write-review')}
    </a>
    ${can_tag && tagLink(uid)}
  </p>
`

const tagLink = (uid: string) => html`
  <a class="button button-quiet" href="/games/${uid}/tags">${t('suggest-tags')}</a>
`

type Copy = { created_at: Date | null; play_seconds: number }

function libraryPart(
  { created_at, play_seconds }: Copy,
  beta: boolean,
  beta_files: readonly LibraryFile[],
): Html {
  const ownership = created_at
    ? t('in-library-since', { date: formatDate(created_at) })
    : t('in-library')
  return html`
    <p class="in-library">
      ${icon('ok')} ${joinTexts([ownership, formatPlayTime(play_seconds)], ' · ')}
    </p>
    ${beta && betaPart(beta_files)}
  `
}

function copyActions(uid: string, beta: boolean, has_beta_files: boolean): Html {
  const small_button = html`class="button button-quiet button-small"`
  const channel_form = html`
    <form method="post" action="/games/${uid}/channel">
      <button ${small_button} name="channel" value="${beta ? 'stable' : 'beta'}">
        ${beta ? t('leave-beta') : t('join-beta')}
      </button>
    </form>
  `
  return html`
    <div class="row copy-actions">
      ${(beta || has_beta_files) && channel_form}
      <a ${small_button} href="/games/${uid}/bug">${t('report-bug')}</a>
    </div>
  `
}

const betaPart = (files: readonly LibraryFile[]): Html =>
  files.length
    ? html`<ul class="files row" aria-label="${t('channel-beta')}">${files.map(fileButton)}</ul>`
    : html`<p class="soft">${t('no-beta-build')}</p>`

/** What a person without a verified address can do: downloads without an account need none. */
const verifyPart = (is_open_to_all: boolean): Html => html`
  <p class="soft">
    ${
      is_open_to_all
        ? richText('verify-to-keep', { link: linkTo('/settings/verify') })
        : richText('verify-to-download', { link: linkTo('/settings/verify') })
    }
  </p>
`

function claimPart(who: Identity, listing: ListingPage, is_editor: boolean): Html {
  if (is_editor || listing.price_cents > 0 || !canBeBought(listing)) return html``
  if (!who.email_verified) return verifyPart(listing.anonymous_downloads)
  return html`
    <form method="post" action="/games/${listing.uid}/claim">
      <button class="button button-quiet">${t('add-to-library')}</button>
    </form>
  `
}
