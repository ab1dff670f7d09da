import { badge } from '../../components/badge.ts'
import { formatCount, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { table } from '../../components/table.ts'

type Entry = { field: string; group?: string; value?: unknown; old?: unknown; reason?: string }
type Shot = { url: string; width?: number; height?: number; imported: boolean; reason?: string }
export type Report = {
  imported: Entry[]
  skipped: Entry[]
  kept: Entry[]
  not_imported: Entry[]
  screenshots: Shot[]
  /** A preview names what it would do it to. */
  target?: { name: string; created: boolean }
}

const MOST = 160
const shown = (value: unknown): string => {
  const text =
    value === undefined || value === null
      ? '–'
      : Array.isArray(value)
        ? value.map(shown).join(', ')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value)
  return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text
}

const part = (title: string, tone: 'ok' | 'warn' | 'soft', entries: Entry[]): Html | '' =>
  entries.length > 0
    ? html`<h3>${badge(title, tone)} ${formatCount(entries.length, 'field')}</h3>${table(
        title,
        ['Field', 'There', 'Here', ''],
        entries.map(({ field, value, old, reason }) => [
          labelOf(field),
          shown(value),
          shown(old),
          reason ?? '',
        ]),
      )}`
    : ''

/** What an import did, or would do: field by field, with the reason where there is one. */
export function reportParts({
  imported,
  skipped,
  kept,
  not_imported,
  screenshots,
  target,
}: Report): Html {
  const left = screenshots.filter(({ imported: taken }) => !taken)
  return html`<section class="part report" id="report" tabindex="-1"><header><h2>${target ? 'What an import would do' : 'What was imported'}</h2>
<p class="soft">${target ? html`${target.created ? 'A new draft' : 'Into'} <strong>${target.name}</strong>. Nothing was changed yet.` : 'Done.'}</p></header>
${part(target ? 'would be imported' : 'imported', 'ok', imported)}${part('skipped', 'warn', skipped)}${part('kept as you have it', 'soft', kept)}
${screenshots.length > 0 && html`<p>${formatCount(screenshots.length, 'screenshot')}, ${screenshots.length - left.length} taken.${left.length > 0 && html` Left out: ${left.map(({ reason }) => reason ?? '').join('; ')}`}</p>`}
${not_imported.length > 0 && html`<details><summary>Never imported</summary><ul>${not_imported.map(({ field, reason }) => html`<li>${labelOf(field)}: ${reason}</li>`)}</ul></details>`}</section>`
}
