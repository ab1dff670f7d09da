import type { Route } from '../../../core/http/route.ts'
import { operatingSystems } from '../../../listings/fields/versions.ts'
import {
  dependenciesRoute,
  engineCompatRoute,
  modSettingsRoute,
  similarRoute,
} from '../../../listings/listing/edit-routes.ts'
import { changeListingRoute } from '../../../listings/listing/routes.ts'
import { modLimits, modTypes } from '../../../listings/relations/mod-settings.ts'
import { parentRule } from '../../../listings/relations/parent.ts'
import { dependencyKinds, MAX_SIMILAR } from '../../../listings/relations/relations.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  textArea,
  textField,
} from '../../components/form.ts'
import { labelOf, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type Listing,
  type ProjectContext,
  type ShowPage,
  subsection,
} from '../project-page.ts'
import { asColumns, filledRows, rowInput, rowSelect, rowsForm } from './rows-form.ts'

const dependencyColumns = ['kind', 'game'] as const
const rangeColumns = ['engine', 'min_version', 'max_version', 'renderer', 'platform'] as const

const parentFields = ['parent_game', 'parent_external_name', 'parent_external_url'] as const

function parentForm(base: string, state: FormState, is_required: boolean): Html {
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
  return fieldForm(
    state,
    { action: `${base}/page/parent`, names: parentFields, submit: 'Save parent' },
    [game, html`<div class="pair">${name}${url}</div>`],
  )
}

const parentValues = ({ parent, parent_game }: Listing) =>
  parent && 'external_name' in parent
    ? { parent_external_name: parent.external_name, parent_external_url: parent.external_url }
    : { parent_game: parent_game?.vanity_name }

/** The API names the parts of the parent in one object; the form has a field for each. */
function refusedAtParent(state: FormState): FormState {
  const { refused } = state
  if (!refused?.field?.startsWith('parent')) return state
  const fields: Record<string, string> = {
    'parent.external_url': 'parent_external_url',
    'parent.external_name': 'parent_external_name',
  }
  return { ...state, refused: { ...refused, field: fields[refused.field] ?? 'parent_game' } }
}

const similarForm = (base: string, state: FormState): Html =>
  fieldForm(
    state,
    { action: `${base}/page/similar`, names: ['games'], submit: 'Save similar titles' },
    textArea(state, {
      name: 'games',
      label: `Similar titles, up to ${MAX_SIMILAR}`,
      rows: 4,
      hint: 'One address per line, such as my-game. Most similar first.',
    }),
  )

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

const dependencyForm = (base: string, state: FormState): Html =>
  rowsForm(state, {
    action: `${base}/page/dependencies`,
    columns: dependencyColumns,
    row: dependencyRow,
    hint:
      'Uses: an asset pack or plugin. Supports: what a mod is for. Made with: a tool. ' +
      'Empty rows are ignored.',
    submit: 'Save dependencies',
  })

const rangeRow = ([engine, min, max, renderer, os]: string[], i: number): Html => html`
  <div class="line">
    ${rowInput('engine', `Engine ${i + 1}`, engine!, 'engine')}
    ${rowInput('min_version', `Minimum version ${i + 1}`, min!, 'from')}
    ${rowInput('max_version', `Maximum version ${i + 1}`, max!, 'to')}
    ${rowInput('renderer', `Renderer ${i + 1}`, renderer!, 'renderer')}
    ${rowSelect('platform', `System ${i + 1}`, platformChoices, os!)}
  </div>`

const rangeForm = (base: string, state: FormState): Html =>
  rowsForm(state, {
    action: `${base}/page/compat`,
    columns: rangeColumns,
    row: rangeRow,
    hint: 'A maximum such as 4.3 includes all its patch releases. Leave a bound empty for no limit.',
    submit: 'Save engine versions',
  })

const modFields = ['install_path', 'loader', 'instructions'] as const

function modForm(base: string, state: FormState): Html {
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
  return fieldForm(
    state,
    { action: `${base}/page/mod`, names: modFields, submit: 'Save installation' },
    [install_path, loader, instructions],
  )
}

function parentSubsection({ base, listing }: ProjectContext, result: FormResult): Html | false {
  const rule = parentRule[listing.asset_type]
  const state = refusedAtParent(formState(result, 'parent', parentValues(listing)))
  return (
    rule !== 'none' && subsection('parent', 'Parent', parentForm(base, state, rule === 'required'))
  )
}

/** How the listing relates to other listings and to engine versions. */
export function relationSubsections(project: ProjectContext, result: FormResult): Html {
  const { base, listing } = project
  const is_mod = modTypes.includes(listing.asset_type)
  const mod = formState(result, 'mod', listing.mod_settings ?? {})
  const similar = { games: listing.similar.map(({ vanity_name }) => vanity_name) }
  const uses = listing.relations.uses.map(({ kind, vanity_name }) => ({ kind, game: vanity_name }))
  const dependencies = asColumns(uses, dependencyColumns)
  const ranges = asColumns(listing.engine_compat, rangeColumns)
  return html`
    ${parentSubsection(project, result)}
    ${is_mod && subsection('mod', 'Installation', modForm(base, mod))}
    ${subsection(
      'similar',
      'Similar titles',
      similarForm(base, formState(result, 'similar', similar)),
      'Your page is suggested to players of these titles.',
    )}
    ${subsection(
      'uses',
      'Dependencies',
      dependencyForm(base, formState(result, 'dependencies', dependencies)),
    )}
    ${subsection(
      'compat',
      'Engine versions',
      rangeForm(base, formState(result, 'compat', ranges)),
      'For mods, plugins and assets: the engine versions they work with.',
    )}`
}

function readParent(sent: FormBody) {
  const [game, external_name, external_url] = parentFields.map((field) =>
    fieldValue(sent, field).trim(),
  )
  if (game) return { game }
  return external_name || external_url ? { external_name, external_url } : null
}

const readDependency = ([game, kind]: string[]) => ({ game: game!.trim(), kind })

const readRange = ([engine, min, max, renderer, os]: string[]) => ({
  engine: engine!.trim(),
  ...(min ? { min_version: min.trim() } : {}),
  ...(max ? { max_version: max.trim() } : {}),
  ...(renderer ? { renderer: renderer.trim() } : {}),
  ...(os ? { platform: os } : {}),
})

export const relationForms = (show: ShowPage): Route[] => [
  projectForm(
    'page/parent',
    'Save the parent of a project',
    sendTo(changeListingRoute, (sent) => ({ parent: readParent(sent) })),
    {
      form: 'parent',
      show,
      done: 'Parent saved',
      back: 'page#parent',
    },
  ),
  projectForm(
    'page/similar',
    'Save similar titles',
    sendTo(similarRoute, (sent) => ({ games: fieldLines(sent, 'games') })),
    {
      form: 'similar',
      show,
      done: 'Similar titles saved',
      back: 'page#similar',
    },
  ),
  projectForm(
    'page/dependencies',
    'Save the dependencies of a project',
    sendTo(dependenciesRoute, (sent) => ({
      dependencies: filledRows(sent, ['game', 'kind']).map(readDependency),
    })),
    {
      form: 'dependencies',
      show,
      done: 'Dependencies saved',
      back: 'page#uses',
    },
  ),
  projectForm(
    'page/compat',
    'Save the engine versions of a project',
    sendTo(engineCompatRoute, (sent) => ({
      ranges: filledRows(sent, rangeColumns).map(readRange),
    })),
    {
      form: 'compat',
      show,
      done: 'Engine versions saved',
      back: 'page#compat',
    },
  ),
  projectForm(
    'page/mod',
    'Save how a mod is installed',
    sendTo(modSettingsRoute, (sent) =>
      Object.fromEntries(modFields.map((name) => [name, fieldValue(sent, name)])),
    ),
    {
      form: 'mod',
      show,
      done: 'Installation saved',
      back: 'page#mod',
    },
  ),
]
