import type { Identity } from '../../../accounts/sessions/identity.ts'
import { isOnBeta } from '../../../builds/channels/queries.ts'
import { tagLimits } from '../../../library/community-tags.ts'
import { readHolding } from '../../../library/copy-queries.ts'
import {
  canBeBought,
  canEdit,
  isUnreleasedPage,
  standingOf,
} from '../../../listings/listing/visibility.ts'
import type { PageState } from '../../../listings/page/queries.ts'
import { formatDate, formatDuration } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { Context } from '../../components/layout.ts'
import type { Personal } from './body.ts'
import type { ListingPage } from './head.ts'

/** What this visitor holds of a listing, and what they may do with it. */
export async function personalPart(
  { core, who }: Context & { who: Identity },
  state: PageState,
  listing: ListingPage,
): Promise<Personal> {
  const runs_it = canEdit(standingOf(who, state))
  const [held, beta] = await Promise.all([
    readHolding(core.sql, who.user_uid, state.uid),
    isOnBeta(core.sql, state.uid, who.user_uid),
  ])
  const owns = Boolean(held?.source)
  const played = held?.play_seconds ?? 0
  return {
    // Before it is out, the page itself says so, with the way to the dashboard.
    notice:
      runs_it && !isUnreleasedPage(listing)
        ? html`<p class="notice">${icon('info')}<span>You run this page. <a href="/dashboard/${state.uid}">Open it in the dashboard</a></span></p>`
        : '',
    holding: owns ? inLibrary(state.uid, held!, beta) : claim(who, listing, runs_it),
    review: runs_it
      ? ''
      : html`<p class="row">${owns && html`<a class="button button-quiet" href="/games/${state.uid}/review">Write a review</a>`}${owns && played >= tagLimits.play_seconds && html`<a class="button button-quiet" href="/games/${state.uid}/tags">Suggest tags</a>`}</p>`,
  }
}

function inLibrary(
  uid: string,
  { created_at, play_seconds }: { created_at: Date | null; play_seconds: number },
  beta: boolean,
): Html {
  return html`<p class="held">${icon('ok')} In your library${created_at && html` since ${formatDate(created_at)}`}${play_seconds >= 60 && html`, ${formatDuration(play_seconds)} played`}</p>
<div class="row"><form method="post" action="/games/${uid}/channel"><button class="button button-quiet button-small" name="channel" value="${beta ? 'stable' : 'beta'}">${beta ? 'Leave the beta' : 'Join the beta'}</button></form>
<a class="button button-quiet button-small" href="/games/${uid}/bug">Report a bug</a></div>`
}

function claim(who: Identity, listing: ListingPage, runs_it: boolean): Html {
  if (runs_it || listing.price_cents > 0 || !canBeBought(listing)) return html``
  if (!who.email_verified)
    return html`<p class="soft">To download it, <a href="/settings/verify">prove your email address</a> first.</p>`
  return html`<form method="post" action="/games/${listing.uid}/claim"><button class="button button-quiet">Add to your library</button></form>`
}
