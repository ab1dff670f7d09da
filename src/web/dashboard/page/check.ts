import type { CheckItem, CheckReport } from '../../../listings/listing/check.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'

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
/** The address of the input that edits a field; its id is set by components/form.ts. */
export const fieldUrl = (base: string, field: string) =>
  `${base}/${otherSections[field] ?? `page#f-${field}`}`

export function checkSummary({ errors, warnings }: CheckReport, visibility: string): string {
  const passed = visibility === 'public' ? 'All checks passed' : 'Ready to publish'
  const result = errors.length ? `${formatCount(errors.length, 'issue')} to fix` : passed
  return warnings.length ? `${result} · ${formatCount(warnings.length, 'suggestion')}` : result
}

type Kind = 'bad' | 'warn' | 'ok'
const kindNames = { bad: 'To fix: ', warn: 'Suggestion: ', ok: 'Done: ' }

function checkLine(base: string, kind: Kind, { field, message }: CheckItem): Html {
  const text = kind === 'ok' ? message : html`<a href="${fieldUrl(base, field)}">${message}</a>`
  return html`
    <li class="check-${kind}">
      ${icon(kind)}
      <span><span class="sr">${kindNames[kind]}</span>${text}</span>
    </li>`
}

/** The listing check: what to fix and what to improve, each with a link to its field. */
export function checkPanel(base: string, report: CheckReport, visibility: string): Html {
  const { ready, errors, warnings, passes } = report
  const lines = (kind: Kind, items: CheckItem[]) => items.map((item) => checkLine(base, kind, item))
  const open = [...lines('bad', errors), ...lines('warn', warnings)]
  return html`
    <section class="check" id="check" aria-labelledby="check-title">
      <h2 id="check-title">Listing check</h2>
      <p class="check-count check-${ready ? 'ok' : 'bad'}" role="status">
        ${icon(ready ? 'ok' : 'warn')}
        <strong>${checkSummary(report, visibility)}</strong>
      </p>
      ${open.length > 0 && html`<ul>${open}</ul>`}
      ${passes.length > 0 && passedChecks(lines('ok', passes))}
      ${publishForm(base, ready, visibility)}
    </section>`
}

const passedChecks = (lines: Html[]): Html => html`
  <details>
    <summary>${formatCount(lines.length, 'check')} passed</summary>
    <ul>${lines}</ul>
  </details>`

function publishForm(base: string, ready: boolean, visibility: string): Html {
  if (visibility === 'public')
    return html`<p class="soft">This page is public. Edits that fail the check are refused.</p>`
  if (!ready) return html`<p class="soft">You can publish once every issue is fixed.</p>`
  return html`
    <form method="post" action="${base}/visibility">
      <input type="hidden" name="visibility" value="public">
      <button class="button button-primary">Publish</button>
    </form>`
}
