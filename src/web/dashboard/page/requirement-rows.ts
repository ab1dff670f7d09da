import { joinTexts } from '../../../core/text/text.ts'
import type { FieldName } from '../../../listings/fields/fields.ts'
import { type OperatingSystem, operatingSystems } from '../../../listings/fields/platforms.ts'
import {
  levelNames,
  partNames,
  type RequirementLevel,
  type RequirementPart,
  type SystemRequirements,
} from '../../../listings/fields/requirements.ts'
import { levelLabel, partLabel } from '../../components/field-text.ts'
import { type FormBody, type FormState, fieldValue } from '../../components/form.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'

type Cell = { os: OperatingSystem; level: RequirementLevel; part: RequirementPart }
const cellName = (name: FieldName, { os, level, part }: Cell) => `${name}.${os}.${level}.${part}`

const cellsOf = (os: OperatingSystem): Cell[] =>
  partNames.flatMap((part) => levelNames.map((level) => ({ os, level, part })))

/** A folded table of inputs for each system; systems with requirements are open. */
export function requirementRows(state: FormState, name: FieldName, max_length: number): Html {
  const sent = sentValues(state, name)
  const valueAt = (cell: Cell) => fieldValue(sent, cellName(name, cell))
  const input = (cell: Cell) => {
    const { os, level, part } = cell
    const label = joinTexts([labelOf(os), levelLabel(level), partLabel(part)], ', ')
    return html`
      <td>
        <input name="${cellName(name, cell)}" aria-label="${label}" value="${valueAt(cell)}"
          maxlength="${max_length}">
      </td>
    `
  }
  const row = (os: OperatingSystem, part: RequirementPart) => html`
    <tr>
      <th scope="row">${partLabel(part)}</th>
      ${levelNames.map((level) => input({ os, level, part }))}
    </tr>
  `
  const system = (os: OperatingSystem) => html`
    <details${cellsOf(os).some(valueAt) && html` open`}>
      <summary>${labelOf(os)}</summary>
      <table class="requirement-inputs">
        <thead>
          <tr>
            <td></td>
            ${levelNames.map((level) => html`<th scope="col">${levelLabel(level)}</th>`)}
          </tr>
        </thead>
        <tbody>${partNames.map((part) => row(os, part))}</tbody>
      </table>
    </details>
  `
  return html`${operatingSystems.map(system)}`
}

/** A form opens with the stored value, and comes back with what was sent. */
function sentValues({ values }: FormState, name: FieldName): NonNullable<FormBody> {
  const stored = values[name]
  return Array.isArray(stored)
    ? asSentRequirements(stored as SystemRequirements[], name)
    : (values as NonNullable<FormBody>)
}

/** The value of the field that the inputs of a sent form stand for. */
export const readRequirementRows = (sent: FormBody, name: FieldName) =>
  operatingSystems.flatMap((os) => {
    const texts = Object.fromEntries(
      levelNames.map((level) => [
        level,
        Object.fromEntries(
          partNames.map((part) => [part, fieldValue(sent, cellName(name, { os, level, part }))]),
        ),
      ]),
    ) as Omit<SystemRequirements, 'os'>
    const is_filled = cellsOf(os).some(({ level, part }) => texts[level][part].trim())
    return is_filled ? [{ os, ...texts }] : []
  })

/** What a browser sends for stored requirements. */
export const asSentRequirements = (
  stored: readonly SystemRequirements[],
  name: FieldName,
): NonNullable<FormBody> =>
  Object.fromEntries(
    stored.flatMap((entry) =>
      cellsOf(entry.os).map((cell) => [cellName(name, cell), entry[cell.level][cell.part]]),
    ),
  )
