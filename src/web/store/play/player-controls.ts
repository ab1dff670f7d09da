import type { Identity } from '../../../accounts/sessions/identity.ts'
import { readReportContext } from '../../../bugs/reports/queries.ts'
import { MAX_MESSAGE } from '../../../bugs/reports/report-limits.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { t } from '../../../core/text/text.ts'
import { isShared } from '../../../play/sharing/queries.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import { withNext } from '../../next-path.ts'

/** What the player page offers this person besides the game. */
export type PlayerOptions = {
  game_uid: string
  is_signed_in: boolean
  shared: boolean
  /** Whether a report can be sent from the page, without leaving the game. */
  has_bug_form: boolean
}

export async function readPlayerOptions(
  { sql }: Core,
  who: Identity | null,
  game_uid: string,
): Promise<PlayerOptions> {
  if (!who) return { game_uid, is_signed_in: false, shared: false, has_bug_form: false }
  const reporter = { user_uid: who.user_uid, extstore_id: null }
  const [shared, context] = await Promise.all([
    isShared(sql, who.user_uid, game_uid),
    readReportContext(sql, game_uid, reporter),
  ])
  return { game_uid, is_signed_in: true, shared, has_bug_form: context?.enabled ?? false }
}

/** Opens the form of the page, or the page of reports in another tab. */
export const bugButton = ({ game_uid, has_bug_form }: PlayerOptions): Html =>
  has_bug_form
    ? html`
        <button type="button" class="button button-quiet button-small" hidden data-report-bug>
          ${t('play-report-bug')}
        </button>`
    : html`
        <a class="button button-quiet button-small" href="/games/${game_uid}/bug" target="_blank">
          ${t('play-report-bug')}
        </a>`

/** The script sends it with a token, so that the game keeps running. */
export const bugDialog = ({ has_bug_form }: PlayerOptions): Html | false =>
  has_bug_form &&
  html`
    <dialog class="player-dialog" aria-labelledby="bug-title" data-bug-dialog>
      <form class="form" data-bug-form>
        <h2 id="bug-title">${t('play-report-bug')}</h2>
        <div class="field">
          <label for="bug-message">${t('bug-message')}</label>
          <textarea id="bug-message" name="message" rows="5" maxlength="${MAX_MESSAGE}" required
          ></textarea>
        </div>
        <div class="field">
          <label for="bug-screenshot">
            ${t('play-screenshot')} <span class="optional">${t('optional')}</span>
          </label>
          <input id="bug-screenshot" type="file" name="screenshot"
            accept="image/png,image/jpeg,image/webp">
          <p class="hint">${t('play-screenshot-hint')}</p>
          <button type="button" class="button button-quiet button-small" hidden data-capture>
            ${t('play-screenshot-take')}
          </button>
        </div>
        <p role="status" data-bug-status></p>
        <p class="row">
          <button class="button button-primary">${t('send-report')}</button>
          <button type="button" class="button button-quiet" data-bug-close>
            ${t('play-bug-close')}
          </button>
        </p>
      </form>
    </dialog>`

/** Without a script the form has a button; the script sends it as soon as the box changes. */
export const sharingForm = (
  { game_uid, is_signed_in, shared }: PlayerOptions,
  path: string,
): Html =>
  is_signed_in
    ? html`
        <form class="player-sharing" method="post" action="/games/${game_uid}/play-sharing"
          data-sharing>
          <label class="choice">
            <input type="checkbox" name="shared" value="yes"${shared && html` checked`}
              aria-describedby="sharing-hint">
            <span>${t('play-share')}</span>
          </label>
          <p class="hint" id="sharing-hint">
            ${richText('play-share-hint', { link: linkTo('/settings/played-games') })}
          </p>
          <button class="button button-quiet button-small">${t('play-share-save')}</button>
          <p role="status" data-sharing-status></p>
        </form>`
    : html`
        <p class="soft">
          ${richText('play-share-sign-in', { link: linkTo(withNext('/login', path)) })}
        </p>`
