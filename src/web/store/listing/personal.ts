import type { Identity } from '../../../accounts/sessions/identity.ts'
import { isOnBeta } from '../../../builds/channels/queries.ts'
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
import { fileButton } from '../../components/file-button.ts'
import { formatDate, formatPlayTime } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { Context } from '../../components/layout.ts'
import { type LibraryFile, readBetaFiles } from '../../queries.ts'
import type { PersonalParts } from './body.ts'
import type { ListingPage } from './head.ts'

/** The visitor's copy of a listing, and what they may do with it. */
export async function personalParts(
  { core, who }: Context & { who: Identity },
  state: PageState,
  listing: ListingPage,
): Promise<PersonalParts> {
  const is_editor = canEdit(standingOf(who, state))
  const [holding, beta, own_review, beta_files] = await Promise.all([
    readHolding(core.sql, who.user_uid, state.uid),
    isOnBeta(core.sql, state.uid, who.user_uid),
    readOwnReview(core.sql, who.user_uid, state.uid),
    readBetaFiles(core.sql, [state.uid]),
  ])
  const has_copy = Boolean(holding?.source)
  const can_tag = (holding?.play_seconds ?? 0) >= tagLimits.play_seconds
  return {
    // The page of an unreleased listing already links to the dashboard.
    notice: is_editor && !isUnreleasedPage(listing) ? editorNotice(state.uid) : '',
    copy: has_copy
      ? libraryPart(state.uid, holding!, beta, beta_files)
      : claimPart(who, listing, is_editor),
    can_download: has_copy || is_editor,
    review: is_editor || !has_copy ? '' : reviewLinks(state.uid, can_tag, Boolean(own_review)),
  }
}

const editorNotice = (uid: string) => html`
  <p class="notice">
    ${icon('info')}
    <span>You manage this page. <a href="/dashboard/${uid}">Open it in the dashboard</a></span>
  </p>
`

const reviewLinks = (uid: string, can_tag: boolean, has_review: boolean) => html`
  <p class="row">
    <a class="button button-quiet" href="/games/${uid}/review">
      ${has_review ? 'Edit your review' : 'Write a review'}
    </a>
    ${can_tag && html`<a class="button button-quiet" href="/games/${uid}/tags">Suggest tags</a>`}
  </p>
`

type Copy = { created_at: Date | null; play_seconds: number }

function libraryPart(
  uid: string,
  { created_at, play_seconds }: Copy,
  beta: boolean,
  beta_files: readonly LibraryFile[],
): Html {
  const since = created_at && ` since ${formatDate(created_at)}`
  const play_time = formatPlayTime(play_seconds)
  const played = play_time && ` · ${play_time}`
  const small_button = html`class="button button-quiet button-small"`
  const channel_form = html`
    <form method="post" action="/games/${uid}/channel">
      <button ${small_button} name="channel" value="${beta ? 'stable' : 'beta'}">
        ${beta ? 'Leave beta' : 'Join beta'}
      </button>
    </form>
  `
  return html`
    <p class="in-library">${icon('ok')} In your library${since}${played}</p>
    ${beta && betaPart(beta_files)}
    <div class="row">
      ${(beta || beta_files.length > 0) && channel_form}
      <a ${small_button} href="/games/${uid}/bug">Report a bug</a>
    </div>
  `
}

const betaPart = (files: readonly LibraryFile[]): Html =>
  files.length
    ? html`<ul class="files row" aria-label="Beta">${files.map(fileButton)}</ul>`
    : html`<p class="soft">You are in the beta. There is no beta build right now.</p>`

/** What a person without a verified address can do: downloads without an account need none. */
const verifyPart = (is_open_to_all: boolean): Html => html`
  <p class="soft">
    ${is_open_to_all && 'You can download this now. To keep it in your library, '}
    <a href="/settings/verify">${is_open_to_all ? 'verify' : 'Verify'} your email address</a>
    ${is_open_to_all ? '.' : 'to download this.'}
  </p>
`

function claimPart(who: Identity, listing: ListingPage, is_editor: boolean): Html {
  if (is_editor || listing.price_cents > 0 || !canBeBought(listing)) return html``
  if (!who.email_verified) return verifyPart(listing.anonymous_downloads)
  return html`
    <form method="post" action="/games/${listing.uid}/claim">
      <button class="button button-quiet">Add to library</button>
    </form>
  `
}
