import type { RouteData } from '../../../core/http/route.ts'
import { joinTexts, type LocalText, t } from '../../../core/text/text.ts'
import type { CheckItem, CheckReport } from '../../../listings/listing/check.ts'
import type { readMyListing } from '../../../listings/listing/routes.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { linkTo } from '../../components/link.ts'
import { checkText } from './check-text.ts'

/** Where fields that are not on the Page section are edited: section and anchor. */
const otherSections: Record<string, string> = {
  gallery: 'images#gallery',
  cover: 'images#cover',
  thumbnail: 'images#thumbnail',
  builds: 'builds#upload',
  similar: 'page#f-games',
  parent: 'page#f-parent_game',
  asset_type: 'settings#f-asset_type',
}
/** Where a field is edited: section, and the id that components/form.ts gives its input. */
export const fieldPath = (field: string) => otherSections[field] ?? `page#f-${field}`

export function checkSummary({ errors, warnings }: CheckReport, visibility: string): LocalText {
  const passed = visibility === 'public' ? t('listing-check-passed') : t('listing-check-ready')
  const result = errors.length ? t('listing-check-issues', { count: errors.length }) : passed
  return joinTexts(
    [result, warnings.length > 0 && formatCount(warnings.length, 'suggestion')],
    ' · ',
  )
}

type Kind = 'bad' | 'warn' | 'ok'
/** Each says to screen readers what the color and the icon say to others. */
const lineTexts = {
  bad: 'listing-check-to-fix',
  warn: 'listing-check-suggestion',
  ok: 'listing-check-done',
} as const

function checkLine(base: string, kind: Kind, item: CheckItem): Html {
  const text = checkText(item, kind === 'ok')
  const link = html`<a href="${base}/${fieldPath(item.field)}">${text}</a>`
  return html`
    <li class="check-${kind}">
      ${icon(kind)}
      <span>
        ${richText(lineTexts[kind], {
          hidden: hiddenText,
          text: kind === 'ok' ? text : link,
        })}
        ${item.details && detailList(item.details)}
      </span>
    </li>`
}

const detailList = (details: readonly string[]): Html => html`
  <ul class="check-details">${details.map((text) => html`<li><code>${text}</code></li>`)}</ul>`

/**
 * The listing check: what to fix and what to improve, each with a link to its field. Once nothing
 * is left to fix, it is one line that opens.
 */
export function checkPanel(base: string, report: CheckReport, listing: CheckedListing): Html {
  const { ready, errors, warnings, passes } = report
  const lines = (kind: Kind, items: CheckItem[]) => items.map((item) => checkLine(base, kind, item))
  const open = [...lines('bad', errors), ...lines('warn', warnings)]
  const done = lines('ok', passes)
  const summary = html`<strong>${checkSummary(report, listing.visibility)}</strong>`
  return html`
    <section class="check" id="check" aria-labelledby="check-title">
      <h2 id="check-title"${ready && html` class="sr"`}>${t('listing-check')}</h2>
      ${ready ? foldedCheck(summary, [...open, ...done]) : openCheck(summary, open, done)}
      ${publishForm(base, ready, listing)}
    </section>`
}

const openCheck = (summary: Html, open: Html[], done: Html[]): Html => html`
  <p class="check-count check-bad" role="status">${icon('warn')}${summary}</p>
  ${open.length > 0 && html`<ul>${open}</ul>`}
  ${done.length > 0 && passedChecks(done)}`

const foldedCheck = (summary: Html, lines: Html[]): Html => html`
  <details class="check-folded">
    <summary class="check-count check-ok">${icon('ok')}${summary}</summary>
    <ul>${lines}</ul>
  </details>`

const passedChecks = (lines: Html[]): Html => html`
  <details>
    <summary>${t('listing-check-passes', { count: lines.length })}</summary>
    <ul>${lines}</ul>
  </details>`

type CheckedListing = {
  visibility: string
  price_cents: number
  anonymous_downloads: boolean
  publication: RouteData<typeof readMyListing>['publication']
}

function publishForm(base: string, ready: boolean, listing: CheckedListing): Html {
  const { visibility, price_cents, anonymous_downloads } = listing
  if (visibility === 'public')
    return html`${!ready && html`<p class="soft">${t('listing-check-public')}</p>`}`
  const { may_publish, review, review_reason } = listing.publication
  if (!may_publish)
    return html`
      <p class="soft">
        ${richText('publishing-not-allowed', { link: linkTo('/settings/publishing') })}
      </p>`
  if (!ready)
    return html`
      <p class="soft">${t('listing-check-blocked')}</p>
      ${review !== 'not_needed' && html`<p class="soft">${t('release-needs-review')}</p>`}`
  if (review === 'waiting') return html`<p class="soft" role="status">${t('release-waiting')}</p>`
  const needs_review = review === 'needed' || review === 'declined'
  const label = needs_review ? t('release-hand-in') : t('publish')
  return html`
    ${
      review === 'declined' &&
      html`
        <p class="notice notice-warn">
          <span>${t('release-declined', { reason: review_reason })}</span>
        </p>`
    }
    <form method="post" action="${base}/visibility">
      <input type="hidden" name="visibility" value="public">
      <button class="button button-primary">${label}</button>
    </form>
    ${needs_review && html`<p class="soft">${t('release-needs-review')}</p>`}
    ${price_cents === 0 && !anonymous_downloads && accountNote(base)}`
}

const accountNote = (base: string): Html => html`
  <p class="soft">
    ${richText('publish-account-note', { link: linkTo(`${base}/settings#anonymous`) })}
  </p>`
