import type { RouteData } from '../../../core/http/route.ts'
import type { Reason } from '../../../core/runtime/reasons.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import type { previewImportRoute } from '../../../extstore/import/routes.ts'
import { fieldNames, fieldOf } from '../../../listings/fields/fields.ts'
import { badge } from '../../components/badge.ts'
import { fieldLabel, fieldTexts } from '../../components/field-text.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { table } from '../../components/table.ts'
import { textForPeople } from '../../refusal-text.ts'

type Preview = RouteData<typeof previewImportRoute>
/** What an import changed, or, with a target, what it would change. */
export type ImportReport = Omit<Preview, 'target'> & Partial<Pick<Preview, 'target'>>
type Entry = Preview['imported'][number]
type Screenshot = Preview['screenshots'][number]
type WithReason = Pick<Entry, 'reason' | 'reasons'>

/** Why a part of a page was not imported; as the API says it where a page has no words for it. */
const reasonOf = ({ reason = '', reasons = [] }: WithReason): Text =>
  textForPeople({ message: reason, reasons: reasons as Reason[] })

const MAX_VALUE = 160

function valueText(value: unknown): string {
  const text = fullText(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text
}

function fullText(value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'object' ? Object.values(value).map(valueText).join(', ') : String(value)
}

/** Parts of a page that are not fields of a listing. */
const partLabels: Record<string, Text> = {
  cover: t('import-part-cover'),
  thumbnail: t('import-part-thumbnail'),
  gallery: t('import-part-gallery'),
  release_date: t('kit-release-date'),
  website_url: t('kit-website'),
  trailer_url: t('kit-trailer'),
  credits: t('import-part-credits'),
  price_cents: t('edition-price'),
  store_link: t('import-group-store-link'),
  system_requirements: t('import-part-requirements'),
  achievements: t('import-part-achievements'),
  add_ons: t('import-part-add-ons'),
  operating_systems: t('import-part-systems'),
}

function partLabel(field: string): Text {
  const name = fieldNames.find((known) => known === field)
  return name ? fieldLabel(name) : (partLabels[field] ?? labelOf(field))
}

/** Values of a fixed list are shown by their labels. */
function fieldValue(field: string, value: unknown): Text {
  const name = fieldNames.find((known) => known === field)
  if (!name || value === undefined || value === null || !('values' in fieldOf(name)))
    return valueText(value)
  const labels = fieldTexts(name, value).map(({ label }) => label)
  return labels.length ? joinTexts(labels, ', ') : '–'
}

const entryRow = ({ field, value, old, ...why }: Entry) => [
  partLabel(field),
  fieldValue(field, value),
  fieldValue(field, old),
  why.reason ? reasonOf(why) : '',
]

/** Whether the import leaves the field as it is. */
const isUnchanged = ({ value, old }: Entry) =>
  old !== undefined && JSON.stringify(value ?? null) === JSON.stringify(old ?? null)

function entryTable(title: Text, tone: 'ok' | 'warn' | 'soft', entries: Entry[]): Html | '' {
  if (!entries.length) return ''
  const columns = [
    t('import-field'),
    t('section-external-store'),
    t('import-this-store'),
    t('import-reason'),
  ]
  return html`
    <h3>${badge(title, tone)} ${t('count-field', { count: entries.length })}</h3>
    ${table(title, columns, entries.map(entryRow))}`
}

const screenshotImage = ({ preview, width, height }: Screenshot, i: number): Html => html`
  <li>
    <img src="${preview}" alt="${t('import-screenshot', { number: i + 1 })}" width="320" height="180">
    ${width && height && html`<span class="soft">${width} × ${height}</span>`}
  </li>`

function screenshotSummary(screenshots: Screenshot[]): Html {
  const skipped = screenshots.filter(({ imported }) => !imported)
  const reasons = joinTexts(
    skipped.map((screenshot) => screenshot.reason && reasonOf(screenshot)),
    '; ',
  )
  const imported = screenshots.length - skipped.length
  const pictures = screenshots.filter(({ preview }) => preview)
  return html`
    <p>
      ${t('import-screenshots', { count: screenshots.length, imported })}
      ${skipped.length > 0 && t('import-screenshots-skipped', { reasons })}
    </p>
    ${
      pictures.length > 0 && html`<ol class="import-pictures">${pictures.map(screenshotImage)}</ol>`
    }`
}

const neverLine = ({ field, ...why }: Preview['not_imported'][number]): Html => html`
  <li>${t('import-never-part', { part: partLabel(field), reason: reasonOf(why) })}</li>`

const neverImported = (fields: Preview['not_imported']): Html => html`
  <details>
    <summary>${t('import-never')}</summary>
    <ul>${fields.map(neverLine)}</ul>
  </details>`

const targetText = ({ name, created }: Preview['target']): Html =>
  created
    ? richText('import-creates', { project: name, strong: strongText })
    : richText('import-updates', { project: name, strong: strongText })

/** The result of an import or of its preview, field by field. */
export function importReport(report: ImportReport): Html {
  const { imported, skipped, kept, not_imported, screenshots, target } = report
  const changed = imported.filter((entry) => !isUnchanged(entry))
  return html`
    <section class="subsection report" id="report" tabindex="-1">
      <header>
        <h2>${target ? t('import-preview') : t('import-result')}</h2>
        <p class="soft">${target ? targetText(target) : t('import-complete')}</p>
      </header>
      ${entryTable(target ? t('import-will-be') : t('import-was'), 'ok', changed)}
      ${entryTable(t('import-unchanged'), 'soft', imported.filter(isUnchanged))}
      ${entryTable(t('import-skipped'), 'warn', skipped)}
      ${entryTable(t('import-kept'), 'soft', kept)}
      ${screenshots.length > 0 && screenshotSummary(screenshots)}
      ${not_imported.length > 0 && neverImported(not_imported)}
    </section>`
}
