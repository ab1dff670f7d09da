import type { Route } from '../../../core/http/route.ts'
import { operatingSystems } from '../../../listings/fields/versions.ts'
import {
  dependenciesRoute,
  engineCompatRoute,
  modSettingsRoute,
  similarRoute,
} from '../../../listings/listing/edit-routes.ts'
import { changeListingRoute } from '../../../listings/listing/routes.ts'
import { modTypes } from '../../../listings/relations/mod-settings.ts'
import { parentRule } from '../../../listings/relations/parent.ts'
import { dependencyKinds, MAX_SIMILAR } from '../../../listings/relations/relations.ts'
import { callApi } from '../../call.ts'
import {
  button,
  type FormBody,
  type FormState,
  fieldLines,
  fieldValue,
  formMessage,
  textArea,
  textField,
} from '../../components/form.ts'
import { labelOf, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import {
  type FormResult,
  formState,
  type Listing,
  type ProjectContext,
  projectForm,
  type ShowPage,
  subsection,
} from '../project-page.ts'

type Values = Record<string, unknown>

const EMPTY_ROWS = 2
const dependencyColumns = ['kind', 'game'] as const
const rangeColumns = ['engine', 'min_version', 'max_version', 'renderer', 'platform'] as const

/** The rows of inputs that repeat: the nth value of each name belongs to the nth row. */
function rowsOf(values: Values, names: readonly string[]): string[][] {
  const columns = names.map((name) => [values[name] ?? []].flat().map(String))
  const length = Math.max(0, ...columns.map((column) => column.length))
  return Array.from({ length }, (_, i) => columns.map((column) => column[i] ?? ''))
}
/** The rows whose first value is filled in. */
const filledRows = (sent: FormBody, names: readonly string[]) =>
  rowsOf(sent ?? {}, names).filter(([first]) => first!.trim() !== '')
const withEmptyRows = (rows: string[][], width: number) => [
  ...rows,
  ...Array.from({ length: EMPTY_ROWS }, () => Array<string>(width).fill('')),
]
/** Records as the values of repeated inputs. */
const asColumns = (records: readonly Values[], names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, records.map((record) => record[name] ?? '')]))

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
  return html`
    ${formMessage(state, parentFields)}
    <form class="form" method="post" action="${base}/page/parent">
      ${game}
      <div class="pair">${name}${url}</div>
      ${button('Save parent', { kind: 'ink' })}
    </form>`
}

const parentValues = ({ parent }: Listing) =>
  parent && 'game' in parent
    ? { parent_game: parent.game.vanity_name }
    : { parent_external_name: parent?.external_name, parent_external_url: parent?.external_url }

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

const similarForm = (base: string, state: FormState): Html => html`
  ${formMessage(state, ['games'])}
  <form class="form" method="post" action="${base}/page/similar">
    ${textArea(state, {
      name: 'games',
      label: `Similar titles, up to ${MAX_SIMILAR}`,
      rows: 4,
      hint: 'One address per line, such as my-game. Most similar first.',
    })}
    ${button('Save similar titles', { kind: 'ink' })}
  </form>`

type Choice = { value: string; label: string }

function rowSelect(name: string, label: string, choices: readonly Choice[], chosen: string): Html {
  const option = (choice: Choice) => {
    const selected = choice.value === chosen && html` selected`
    return html`<option value="${choice.value}"${selected}>${choice.label}</option>`
  }
  return html`<select name="${name}" aria-label="${label}">${choices.map(option)}</select>`
}
const rowInput = (name: string, label: string, value: string, placeholder: string): Html =>
  html`<input name="${name}" aria-label="${label}" value="${value}" placeholder="${placeholder}">`

const kindChoices = dependencyKinds.map((value) => ({ value, label: labelOf(value) }))
const platformChoices = [
  { value: '', label: 'any system' },
  ...operatingSystems.map((value) => ({ value, label: platformLabel(value) })),
]

const dependencyRow = ([kind, game]: string[], i: number): Html => html`
  <div class="line">
    ${rowSelect('kind', `Kind ${i + 1}`, kindChoices, kind!)}
    ${rowInput('game', `Listing ${i + 1}`, game!, 'address of a listing')}
  </div>`

function dependencyForm(base: string, state: FormState): Html {
  const rows = rowsOf(state.values, dependencyColumns)
  return html`
    ${formMessage(state)}
    <form class="form rows" method="post" action="${base}/page/dependencies">
      ${withEmptyRows(rows, dependencyColumns.length).map(dependencyRow)}
      <p class="hint">
        Uses: an asset pack or plugin. Supports: what a mod is for. Made with: a tool.
        Empty rows are ignored.
      </p>
      ${button('Save dependencies', { kind: 'ink' })}
    </form>`
}

const rangeRow = ([engine, min, max, renderer, os]: string[], i: number): Html => html`
  <div class="line">
    ${rowInput('engine', `Engine ${i + 1}`, engine!, 'engine')}
    ${rowInput('min_version', `Minimum version ${i + 1}`, min!, 'from')}
    ${rowInput('max_version', `Maximum version ${i + 1}`, max!, 'to')}
    ${rowInput('renderer', `Renderer ${i + 1}`, renderer!, 'renderer')}
    ${rowSelect('platform', `System ${i + 1}`, platformChoices, os!)}
  </div>`

function rangeForm(base: string, state: FormState): Html {
  const rows = rowsOf(state.values, rangeColumns)
  return html`
    ${formMessage(state)}
    <form class="form rows" method="post" action="${base}/page/compat">
      ${withEmptyRows(rows, rangeColumns.length).map(rangeRow)}
      <p class="hint">
        A maximum such as 4.3 includes all its patch releases. Leave a bound empty for no limit.
      </p>
      ${button('Save engine versions', { kind: 'ink' })}
    </form>`
}

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
    maxlength: 8000,
    hint: 'Markdown.',
  })
  return html`
    ${formMessage(state, modFields)}
    <form class="form" method="post" action="${base}/page/mod">
      ${install_path}
      ${loader}
      ${instructions}
      ${button('Save installation', { kind: 'ink' })}
    </form>`
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
  projectForm('page/parent', 'Save the parent of a project', {
    form: 'parent',
    show,
    send: ({ request, uid }, sent) =>
      callApi(request, changeListingRoute, { params: { uid }, body: { parent: readParent(sent) } }),
    done: 'Parent saved',
    back: 'page#parent',
  }),
  projectForm('page/similar', 'Save similar titles', {
    form: 'similar',
    show,
    send: ({ request, uid }, sent) =>
      callApi(request, similarRoute, {
        params: { uid },
        body: { games: fieldLines(sent, 'games') },
      }),
    done: 'Similar titles saved',
    back: 'page#similar',
  }),
  projectForm('page/dependencies', 'Save the dependencies of a project', {
    form: 'dependencies',
    show,
    send({ request, uid }, sent) {
      const dependencies = filledRows(sent, ['game', 'kind']).map(readDependency)
      return callApi(request, dependenciesRoute, { params: { uid }, body: { dependencies } })
    },
    done: 'Dependencies saved',
    back: 'page#uses',
  }),
  projectForm('page/compat', 'Save the engine versions of a project', {
    form: 'compat',
    show,
    send({ request, uid }, sent) {
      const ranges = filledRows(sent, rangeColumns).map(readRange)
      return callApi(request, engineCompatRoute, { params: { uid }, body: { ranges } })
    },
    done: 'Engine versions saved',
    back: 'page#compat',
  }),
  projectForm('page/mod', 'Save how a mod is installed', {
    form: 'mod',
    show,
    send({ request, uid }, sent) {
      const body = Object.fromEntries(modFields.map((name) => [name, fieldValue(sent, name)]))
      return callApi(request, modSettingsRoute, { params: { uid }, body })
    },
    done: 'Installation saved',
    back: 'page#mod',
  }),
]
