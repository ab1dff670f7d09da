import { operatingSystems } from '../../../listings/fields/versions.ts'
import { modLimits, modTypes } from '../../../listings/relations/mod-settings.ts'
import { parentRule } from '../../../listings/relations/parent.ts'
import { dependencyKinds, MAX_SIMILAR } from '../../../listings/relations/relations.ts'
import {
  type FormBody,
  type FormState,
  fieldLines,
  fieldValue,
  textArea,
  textField,
} from '../../components/form.ts'
import { labelOf, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { type Listing, subsection } from '../project-page.ts'
import { asColumns, filledRows, rowInput, rowSelect, rowsField } from './rows-form.ts'

const dependencyColumns = ['kind', 'game'] as const
const rangeColumns = ['engine', 'min_version', 'max_version', 'renderer', 'platform'] as const
const parentFields = ['parent_game', 'parent_external_name', 'parent_external_url'] as const
const modFields = ['install_path', 'loader', 'instructions'] as const

/** The fields by which errors are shown, in the order of the page. */
export const relationFields = [...parentFields, ...modFields, 'games', 'dependencies', 'ranges']

function parentControls(state: FormState, is_required: boolean): Html {
  const rule = is_required ? ' Required to publish, unless the parent is hosted elsewhere.' : ''
  const game = textField(state, {
    name: 'parent_game',
    label: 'Game or application on this store',
    hint: `Its address, such as my-game.${rule}`,
  })
  const name = textField(state, {
    name: 'parent_external_name',
    label: 'Or hosted elsewhere',
    hint: 'Its name',
  })
  const url = textField(state, {
    name: 'parent_external_url',
    label: 'Link to it',
    type: 'url',
    hint: 'https only',
  })
  return html`
    ${game}
    <div class="pair">${name}${url}</div>`
}

const similarControl = (state: FormState): Html =>
  textArea(state, {
    name: 'games',
    label: `Similar titles, up to ${MAX_SIMILAR}`,
    rows: 4,
    hint: 'One address per line, such as my-game. Most similar first.',
  })

const kindChoices = dependencyKinds.map((value) => ({ value, label: labelOf(value) }))
const platformChoices = [
  { value: '', label: 'Any system' },
  ...operatingSystems.map((value) => ({ value, label: platformLabel(value) })),
]

const dependencyRow = ([kind, game]: string[], i: number): Html => html`
  <div class="line">
    ${rowSelect('kind', `Kind ${i + 1}`, kindChoices, kind!)}
    ${rowInput('game', `Listing ${i + 1}`, game!, 'address of a listing')}
  </div>`

const dependencyControls = (state: FormState): Html =>
  rowsField(state, {
    name: 'dependencies',
    label: 'Other listings',
    columns: dependencyColumns,
    row: dependencyRow,
    hint:
      'Uses: an asset pack or plugin. Supports: what a mod is for. Made with: a tool. ' +
      'Empty rows are ignored.',
  })

const rangeRow = ([engine, min, max, renderer, os]: string[], i: number): Html => html`
  <div class="line">
    ${rowInput('engine', `Engine ${i + 1}`, engine!, 'engine')}
    ${rowInput('min_version', `Minimum version ${i + 1}`, min!, 'from')}
    ${rowInput('max_version', `Maximum version ${i + 1}`, max!, 'to')}
    ${rowInput('renderer', `Renderer ${i + 1}`, renderer!, 'renderer')}
    ${rowSelect('platform', `System ${i + 1}`, platformChoices, os!)}
  </div>`

const rangeControls = (state: FormState): Html =>
  rowsField(state, {
    name: 'ranges',
    label: 'Supported versions',
    columns: rangeColumns,
    row: rangeRow,
    hint: 'A maximum such as 4.3 includes all its patch releases. Leave a bound empty for no limit.',
  })

function modControls(state: FormState): Html {
  const install_path = textField(state, {
    name: 'install_path',
    label: 'Folder',
    hint: 'Inside the game folder, such as mods/my-mod.',
  })
  const loader = textField(state, {
    name: 'loader',
    label: 'Mod loader',
    hint: 'Its short name, if one is needed.',
  })
  const instructions = textArea(state, {
    name: 'instructions',
    label: 'Instructions',
    rows: 5,
    maxlength: modLimits.instructions,
    hint: 'Markdown.',
  })
  return html`${install_path}${loader}${instructions}`
}

export const takesParent = ({ asset_type }: Listing) => parentRule[asset_type] !== 'none'
export const isMod = ({ asset_type }: Listing) => modTypes.includes(asset_type)

/** How the listing relates to other listings and to engine versions. */
export function relationSubsections(listing: Listing, state: FormState): Html {
  const is_required = parentRule[listing.asset_type] === 'required'
  return html`
    ${takesParent(listing) && subsection('parent', 'Parent', parentControls(state, is_required))}
    ${isMod(listing) && subsection('mod', 'Installation', modControls(state))}
    ${subsection(
      'similar',
      'Similar titles',
      similarControl(state),
      'Your page is suggested to players of these titles.',
    )}
    ${subsection('uses', 'Dependencies', dependencyControls(state))}
    ${subsection(
      'compat',
      'Engine versions',
      rangeControls(state),
      'For mods, plugins and assets: the engine versions they work with.',
    )}`
}

/** What a browser sends for the saved relations. */
export function sentRelations(listing: Listing): NonNullable<FormBody> {
  const { parent, parent_game, similar, relations, engine_compat, mod_settings } = listing
  const uses = relations.uses.map(({ kind, vanity_name }) => ({ kind, game: vanity_name }))
  const external = parent && 'external_name' in parent ? parent : undefined
  return {
    parent_game: external ? '' : (parent_game?.vanity_name ?? ''),
    parent_external_name: external?.external_name ?? '',
    parent_external_url: external?.external_url ?? '',
    ...Object.fromEntries(modFields.map((name) => [name, mod_settings?.[name] ?? ''])),
    games: similar.map(({ vanity_name }) => vanity_name).join('\n'),
    ...asColumns(uses, dependencyColumns),
    ...asColumns(engine_compat, rangeColumns),
  }
}

/** The relations in a sent form, as the API takes them. */
export const readRelations = {
  parent(sent: FormBody) {
    const [game, external_name, external_url] = parentFields.map((field) =>
      fieldValue(sent, field).trim(),
    )
    if (game) return { game }
    return external_name || external_url ? { external_name, external_url } : null
  },
  mod_settings: (sent: FormBody) =>
    Object.fromEntries(modFields.map((name) => [name, fieldValue(sent, name)])),
  similar: (sent: FormBody) => fieldLines(sent, 'games'),
  dependencies: (sent: FormBody) =>
    filledRows(sent, ['game', 'kind']).map(([game, kind]) => ({ game: game!.trim(), kind })),
  engine_compat: (sent: FormBody) => filledRows(sent, rangeColumns).map(readRange),
}

const readRange = ([engine, min, max, renderer, os]: string[]) => ({
  engine: engine!.trim(),
  ...(min ? { min_version: min.trim() } : {}),
  ...(max ? { max_version: max.trim() } : {}),
  ...(renderer ? { renderer: renderer.trim() } : {}),
  ...(os ? { platform: os } : {}),
})

/** The API names the parts of the parent in one object; the form has a field for each. */
export const parentFieldOf = (field: string): string =>
  ({
    'parent.external_url': 'parent_external_url',
    'parent.external_name': 'parent_external_name',
  })[field] ?? 'parent_game'
