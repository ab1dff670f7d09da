import { t } from '../../../core/text/text.ts'
import {
  levelNames,
  partNames,
  type RequirementPart,
  type SystemRequirements,
} from '../../../listings/fields/requirements.ts'
import { fieldLabel, levelLabel, partLabel } from '../../components/field-text.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { ListingPage } from './head.ts'
import type { Device } from './primary-file.ts'

/** A table for each system; that of the visitor, or the first, is open. */
export function requirementsSection(
  { system_requirements: systems }: ListingPage,
  device: Device,
): Html | string {
  if (!systems.length) return ''
  const own = systems.find(({ os }) => os === device.os) ?? systems[0]
  const system = (entry: SystemRequirements) => html`
    <details class="requirements"${entry === own && html` open`}>
      <summary>${labelOf(entry.os)}</summary>
      ${requirementsTable(entry)}
    </details>
  `
  return html`
    <section aria-labelledby="requirements">
      <h2 id="requirements">${fieldLabel('system_requirements')}</h2>
      ${systems.map(system)}
    </section>
  `
}

/** Levels without any text, and parts without any, are left out. */
function requirementsTable(entry: SystemRequirements): Html {
  const levels = levelNames.filter((level) => partNames.some((part) => entry[level][part]))
  const parts = partNames.filter((part) => levels.some((level) => entry[level][part]))
  const row = (part: RequirementPart) => html`
    <tr>
      <th scope="row">${partLabel(part)}</th>
      ${levels.map((level) => html`<td>${entry[level][part]}</td>`)}
    </tr>
  `
  return html`
    <table>
      <caption class="sr">${t('requirements-of', { system: labelOf(entry.os) })}</caption>
      <thead>
        <tr>
          <td></td>
          ${levels.map((level) => html`<th scope="col">${levelLabel(level)}</th>`)}
        </tr>
      </thead>
      <tbody>${parts.map(row)}</tbody>
    </table>
  `
}
