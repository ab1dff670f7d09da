import type { CheckItem, CheckReport } from '../../../listings/listing/check.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'

/** Where a field of the check is edited: room and anchor. */
const elsewhere: Record<string, string> = {
  gallery: 'images#gallery',
  cover: 'images#cover',
  thumbnail: 'images#thumbnail',
  builds: 'builds#upload',
  similar: 'page#f-games',
  parent: 'page#f-parent_game',
  asset_type: 'settings#f-asset_type',
}
/** Fieldsets have the same ids as fields (form.ts). */
export const fieldUrl = (base: string, field: string) =>
  `${base}/${elsewhere[field] ?? `page#f-${field}`}`

export const summary = ({ errors, warnings }: CheckReport): string =>
  [
    errors.length ? `${formatCount(errors.length, 'thing')} to fix` : 'Ready to be public',
    ...(warnings.length ? [formatCount(warnings.length, 'hint')] : []),
  ].join(' · ')

const line = (base: string, kind: 'bad' | 'warn' | 'ok', { field, message }: CheckItem) =>
  html`<li class="check-${kind}">${icon(kind)}<span><span class="sr">${{ bad: 'To fix: ', warn: 'Hint: ', ok: 'Done: ' }[kind]}</span>${
    kind === 'ok' ? message : html`<a href="${fieldUrl(base, field)}">${message}</a>`
  }</span></li>`

/** The listing check: what is missing, each with the way to its field; what is only a hint; what is done. */
export function checkPanel(base: string, report: CheckReport, visibility: string): Html {
  const { ready, errors, warnings, passes } = report
  return html`<section class="check" id="check" aria-labelledby="check-title">
<h2 id="check-title">Listing check</h2>
<p class="check-count check-${ready ? 'ok' : 'bad'}" role="status">${icon(ready ? 'ok' : 'warn')}<strong>${summary(report)}</strong></p>
${(errors.length > 0 || warnings.length > 0) && html`<ul>${errors.map((item) => line(base, 'bad', item))}${warnings.map((item) => line(base, 'warn', item))}</ul>`}
${passes.length > 0 && html`<details><summary>${formatCount(passes.length, 'point')} done</summary><ul>${passes.map((item) => line(base, 'ok', item))}</ul></details>`}
${
  visibility === 'public'
    ? html`<p class="soft">This page is public. An edit that would break it is refused.</p>`
    : ready
      ? html`<form method="post" action="${base}/visibility"><input type="hidden" name="visibility" value="public"><button class="button button-primary">Publish</button></form>`
      : html`<p class="soft">Once nothing is left to fix, you can publish here.</p>`
}</section>`
}
