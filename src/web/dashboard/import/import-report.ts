import type { RouteData } from '../../../core/http/route.ts'
import type { previewImportRoute } from '../../../extstore/import/routes.ts'
import { badge } from '../../components/badge.ts'
import { formatCount, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { table } from '../../components/table.ts'
import { textForPeople } from '../../refusal-text.ts'

type Preview = RouteData<typeof previewImportRoute>
/** What an import changed, or, with a target, what it would change. */
export type ImportReport = Omit<Preview, 'target'> & Partial<Pick<Preview, 'target'>>
type Entry = Preview['imported'][number]
type Screenshot = Preview['screenshots'][number]

const MAX_VALUE = 160

function valueText(value: unknown): string {
  const text = fullText(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text
}

function fullText(value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const entryRow = ({ field, value, old, reason }: Entry) => [
  labelOf(field),
  valueText(value),
  valueText(old),
  reason ? textForPeople(reason) : '',
]

/** Whether the import leaves the field as it is. */
const isUnchanged = ({ value, old }: Entry) =>
  old !== undefined && JSON.stringify(value ?? null) === JSON.stringify(old ?? null)

function entryTable(title: string, tone: 'ok' | 'warn' | 'soft', entries: Entry[]): Html | '' {
  if (!entries.length) return ''
  const columns = ['Field', 'External store', 'This store', 'Reason']
  return html`
    <h3>${badge(title, tone)} ${formatCount(entries.length, 'field')}</h3>
    ${table(title, columns, entries.map(entryRow))}`
}

const screenshotImage = ({ preview, width, height }: Screenshot, i: number): Html => html`
  <li>
    <img src="${preview}" alt="Screenshot ${i + 1}" width="320" height="180">
    ${width && height && html`<span class="soft">${width} × ${height}</span>`}
  </li>`

function screenshotSummary(screenshots: Screenshot[]): Html {
  const skipped = screenshots.filter(({ imported }) => !imported)
  const reasons = skipped.map(({ reason }) => reason ?? '').join('; ')
  const imported = screenshots.length - skipped.length
  const pictures = screenshots.filter(({ preview }) => preview)
  return html`
    <p>
      ${formatCount(screenshots.length, 'screenshot')}, ${imported} imported.
      ${skipped.length > 0 && html`Skipped: ${reasons}`}
    </p>
    ${
      pictures.length > 0 && html`<ol class="import-pictures">${pictures.map(screenshotImage)}</ol>`
    }`
}

const neverImported = (fields: Preview['not_imported']): Html => html`
  <details>
    <summary>Never imported</summary>
    <ul>${fields.map(({ field, reason }) => html`<li>${labelOf(field)}: ${reason}</li>`)}</ul>
  </details>`

const targetText = ({ name, created }: Preview['target']): Html => html`
  ${created ? 'Creates the draft' : 'Updates'} <strong>${name}</strong>. Nothing has changed yet.`

/** The result of an import or of its preview, field by field. */
export function importReport(report: ImportReport): Html {
  const { imported, skipped, kept, not_imported, screenshots, target } = report
  const changed = imported.filter((entry) => !isUnchanged(entry))
  return html`
    <section class="subsection report" id="report" tabindex="-1">
      <header>
        <h2>${target ? 'Import preview' : 'Import result'}</h2>
        <p class="soft">${target ? targetText(target) : 'The import is complete.'}</p>
      </header>
      ${entryTable(target ? 'will be imported' : 'imported', 'ok', changed)}
      ${entryTable('unchanged', 'soft', imported.filter(isUnchanged))}
      ${entryTable('skipped', 'warn', skipped)}
      ${entryTable('kept as edited here', 'soft', kept)}
      ${screenshots.length > 0 && screenshotSummary(screenshots)}
      ${not_imported.length > 0 && neverImported(not_imported)}
    </section>`
}
