import type { Route } from '../../../core/http/route.ts'
import { operatingSystems } from '../../../listings/fields/versions.ts'
import { modTypes } from '../../../listings/relations/mod-settings.ts'
import { parentRule } from '../../../listings/relations/parent.ts'
import { dependencyKinds, MAX_SIMILAR } from '../../../listings/relations/relations.ts'
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
  type Desk,
  deskForm,
  type Filled,
  formOf,
  type Listing,
  type Show,
  section,
} from '../project-page.ts'

const EMPTY_ROWS = 2
const rangeParts = ['engine', 'min_version', 'max_version', 'renderer', 'platform'] as const

/** Repeated rows as they were typed: the nth of each name belong together. */
const column = (values: Record<string, unknown>, name: string): string[] =>
  [values[name] ?? []].flat().map(String)
const rowsOf = (values: Record<string, unknown>, names: readonly string[]): string[][] => {
  const columns = names.map((name) => column(values, name))
  return Array.from({ length: Math.max(0, ...columns.map(({ length }) => length)) }, (_, i) =>
    columns.map((one) => one[i] ?? ''),
  )
}
const filledRows = (sent: FormBody, names: readonly string[], key = 0) =>
  rowsOf(sent ?? {}, names).filter((row) => row[key]!.trim() !== '')
const withEmpty = (rows: string[][], width: number) => [
  ...rows,
  ...Array.from({ length: EMPTY_ROWS }, () => Array<string>(width).fill('')),
]

const parentForm = (
  base: string,
  state: FormState,
  needed: boolean,
) => html`${formMessage(state, ['parent_game', 'parent_external_name', 'parent_external_url'])}
<form class="form" method="post" action="${base}/page/parent">
${textField(state, { name: 'parent_game', label: 'A game or application here', hint: `Its address, such as my-game.${needed ? ' Needed before this can be public, unless it belongs to something elsewhere.' : ''}` })}
<div class="pair">${textField(state, { name: 'parent_external_name', label: 'Or something elsewhere', hint: 'Its name' })}
${textField(state, { name: 'parent_external_url', label: 'Its page', type: 'url', hint: 'https only' })}</div>
${button('Save what it belongs to', { kind: 'ink' })}</form>`

const parentValues = ({ parent }: Listing) =>
  parent && 'game' in parent
    ? { parent_game: parent.game.vanity_name }
    : { parent_external_name: parent?.external_name, parent_external_url: parent?.external_url }

/** The API names the parent's parts in one object; the form has a field for each. */
const parentState = (state: FormState): FormState => {
  const { refused } = state
  if (!refused?.field?.startsWith('parent')) return state
  const field =
    {
      'parent.external_url': 'parent_external_url',
      'parent.external_name': 'parent_external_name',
    }[refused.field] ?? 'parent_game'
  return { ...state, refused: { ...refused, field } }
}

const similarForm = (base: string, state: FormState) => html`${formMessage(state, ['games'])}
<form class="form" method="post" action="${base}/page/similar">${textArea(state, { name: 'games', label: `Similar titles, up to ${MAX_SIMILAR}`, rows: 4, hint: 'One address a line, most similar first, such as my-game.' })}${button('Save similar titles', { kind: 'ink' })}</form>`

const select = (
  name: string,
  label: string,
  values: readonly string[],
  chosen: string,
  shown: (value: string) => string,
) =>
  html`<select name="${name}" aria-label="${label}">${values.map((value) => html`<option value="${value}"${value === chosen && html` selected`}>${shown(value)}</option>`)}</select>`
const input = (name: string, label: string, value: string, placeholder = '') =>
  html`<input name="${name}" aria-label="${label}" value="${value}" placeholder="${placeholder}">`

const dependencyForm = (base: string, state: FormState) => html`${formMessage(state)}
<form class="form rows" method="post" action="${base}/page/dependencies">${withEmpty(
  rowsOf(state.values, ['kind', 'game']),
  2,
).map(
  ([kind, game], i) =>
    html`<div class="line">${select('kind', `Kind of link ${i + 1}`, dependencyKinds, kind!, labelOf)}${input('game', `Listing ${i + 1}`, game!, 'address of a listing')}</div>`,
)}<p class="hint">Uses: an asset pack or plugin. Supports: what a mod is for. Made with: a tool. An empty line is left out.</p>${button('Save what it uses', { kind: 'ink' })}</form>`

const rangeForm = (base: string, state: FormState) => html`${formMessage(state)}
<form class="form rows" method="post" action="${base}/page/compat">${withEmpty(
  rowsOf(state.values, rangeParts),
  rangeParts.length,
).map(
  ([engine, min, max, renderer, os], i) =>
    html`<div class="line">${input('engine', `Engine ${i + 1}`, engine!, 'engine')}${input('min_version', `From version ${i + 1}`, min!, 'from')}${input('max_version', `To version ${i + 1}`, max!, 'to')}${input('renderer', `Renderer ${i + 1}`, renderer!, 'renderer')}${select('platform', `System ${i + 1}`, ['', ...operatingSystems], os!, (value) => (value ? platformLabel(value) : 'any system'))}</div>`,
)}<p class="hint">A last version such as 4.3 covers all its patches. An empty end is open.</p>${button('Save engine versions', { kind: 'ink' })}</form>`

const modFields = ['install_path', 'loader', 'instructions']
const modForm = (base: string, state: FormState) => html`${formMessage(state, modFields)}
<form class="form" method="post" action="${base}/page/mod">
${textField(state, { name: 'install_path', label: 'Folder', hint: 'Inside the game folder, such as mods/my-mod.' })}
${textField(state, { name: 'loader', label: 'Loader', hint: 'A short name, if one is needed.' })}
${textArea(state, { name: 'instructions', label: 'How to install it', rows: 5, maxlength: 8000, hint: 'Markdown.' })}${button('Save how to install it', { kind: 'ink' })}</form>`

const listed = (rows: readonly Record<string, unknown>[], names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? '')]))

/** What a page says of other listings, and of the engines it works with. */
export function relationParts({ base, listing }: Desk, filled: Filled): Html {
  const rule = parentRule[listing.asset_type]
  const uses = listing.relations.uses.map(({ kind, vanity_name }) => ({ kind, game: vanity_name }))
  return html`${rule !== 'none' && section('parent', 'What it belongs to', parentForm(base, parentState(formOf(filled, 'parent', parentValues(listing))), rule === 'required'))}
${modTypes.includes(listing.asset_type) && section('mod', 'Installing it', modForm(base, formOf(filled, 'mod', listing.mod_settings ?? {})))}
${section('similar', 'Similar titles', similarForm(base, formOf(filled, 'similar', { games: listing.similar.map((one) => one.vanity_name) })), 'Players of those find this one.')}
${section('uses', 'What it uses', dependencyForm(base, formOf(filled, 'dependencies', listed(uses, ['kind', 'game']))))}
${section('compat', 'Engine versions', rangeForm(base, formOf(filled, 'compat', listed(listing.engine_compat, rangeParts))), 'For mods, plugins and assets: which versions they work with.')}`
}

function readParent(sent: FormBody) {
  const [game, name, url] = ['parent_game', 'parent_external_name', 'parent_external_url'].map(
    (field) => fieldValue(sent, field).trim(),
  )
  return game ? { game } : name || url ? { external_name: name, external_url: url } : null
}

const readRange = ([engine, min, max, renderer, os]: string[]) => ({
  engine: engine!.trim(),
  ...(min ? { min_version: min.trim() } : {}),
  ...(max ? { max_version: max.trim() } : {}),
  ...(renderer ? { renderer: renderer.trim() } : {}),
  ...(os ? { platform: os } : {}),
})

export const relationForms = (show: Show): Route[] => [
  deskForm('page/parent', 'Save what a project belongs to', {
    form: 'parent',
    show,
    send: ({ api }, sent) => ({ method: 'PATCH', url: api, body: { parent: readParent(sent) } }),
    done: 'Saved',
    back: 'page#parent',
  }),
  deskForm('page/similar', 'Save similar titles', {
    form: 'similar',
    show,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/similar`,
      body: { games: fieldLines(sent, 'games') },
    }),
    done: 'Saved',
    back: 'page#similar',
  }),
  deskForm('page/dependencies', 'Save what a project uses', {
    form: 'dependencies',
    show,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/dependencies`,
      body: {
        dependencies: filledRows(sent, ['game', 'kind']).map(([game, kind]) => ({
          game: game!.trim(),
          kind,
        })),
      },
    }),
    done: 'Saved',
    back: 'page#uses',
  }),
  deskForm('page/compat', 'Save engine versions', {
    form: 'compat',
    show,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/engine-compat`,
      body: { ranges: filledRows(sent, rangeParts).map(readRange) },
    }),
    done: 'Saved',
    back: 'page#compat',
  }),
  deskForm('page/mod', 'Save how a mod is installed', {
    form: 'mod',
    show,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/mod-settings`,
      body: Object.fromEntries(modFields.map((name) => [name, fieldValue(sent, name)])),
    }),
    done: 'Saved',
    back: 'page#mod',
  }),
]
