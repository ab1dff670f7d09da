import { type Text, t } from '../../../core/text/text.ts'
import { operatingSystems } from '../../../listings/fields/platforms.ts'
import { modLimits, modTypes } from '../../../listings/relations/mod-settings.ts'
import { parentRule, parentTypes } from '../../../listings/relations/parent.ts'
import {
  type DependencyKind,
  dependencyKinds,
  MAX_SIMILAR,
} from '../../../listings/relations/relations.ts'
import {
  type FormBody,
  type FormState,
  fieldLines,
  fieldValue,
  textArea,
  textField,
} from '../../components/form.ts'
import { platformLabel } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { scriptTexts } from '../../components/script-texts.ts'
import { type Listing, subsection } from '../project-page.ts'
import { asColumns, filledRows, rowInput, rowSelect, rowsField } from './rows-form.ts'

const dependencyColumns = ['kind', 'game'] as const
const rangeColumns = ['engine', 'min_version', 'max_version', 'renderer', 'platform'] as const
const parentFields = ['parent_game', 'parent_external_name', 'parent_external_url'] as const
const modFields = ['install_path', 'loader', 'instructions'] as const

/** The fields by which errors are shown, in the order of the page. */
export const relationFields = [...parentFields, ...modFields, 'games', 'dependencies', 'ranges']

const pickerTexts = scriptTexts({
  list: t('picker-list'),
  search: t('picker-search'),
  none: t('picker-none'),
  found_one: t('picker-found-one'),
  found: t('picker-found', { count: '{count}' }),
  chosen: t('picker-chosen', { name: '{name}' }),
  earlier: t('picker-earlier'),
  earlier_named: t('picker-earlier-named', { name: '{name}' }),
  remove: t('picker-remove'),
  remove_named: t('picker-remove-named', { name: '{name}' }),
})

type PickerParts = { types?: readonly string[]; own?: boolean; names?: object }

/** With script, a search by name fills in addresses; listing-picker.mjs has the details. */
function picker({ vanity_name }: Listing, control: Html, parts: PickerParts): Html {
  const { types = [], own = false, names } = parts
  const attributes = [
    types.length > 0 && html` data-types="${types.join()}"`,
    own && html` data-own`,
    names && html` data-names="${JSON.stringify(names)}"`,
  ]
  return html`
    <listing-picker data-self="${vanity_name}" data-texts="${pickerTexts}"${attributes}>
      ${control}
    </listing-picker>`
}

function parentControls(listing: Listing, state: FormState, is_required: boolean): Html {
  const game = textField(state, {
    name: 'parent_game',
    label: t('parent-game'),
    needed_to_publish: is_required,
    hint: t(is_required ? 'parent-game-hint-required' : 'parent-game-hint'),
  })
  const name = textField(state, {
    name: 'parent_external_name',
    label: t('parent-external'),
    hint: t('parent-external-hint'),
  })
  const url = textField(state, {
    name: 'parent_external_url',
    label: t('parent-link'),
    type: 'url',
    hint: t('https-only'),
  })
  return html`
    ${picker(listing, game, { types: parentTypes, own: true })}
    <div class="pair">${name}${url}</div>`
}

function similarControl(listing: Listing, state: FormState): Html {
  const names = Object.fromEntries(
    listing.similar.map(({ vanity_name, name }) => [vanity_name, name]),
  )
  const control = textArea(state, {
    name: 'games',
    label: t('similar-label', { max: MAX_SIMILAR }),
    rows: 4,
    hint: richText('similar-hint', { noscript: (text) => html`<noscript>${text}</noscript>` }),
  })
  return picker(listing, control, { types: ['game'], names })
}

const kindLabels: Record<DependencyKind, Text> = {
  uses: t('relation-uses'),
  supports: t('uses-supports'),
  made_with: t('relation-made-with'),
}
const kindChoices = dependencyKinds.map((value) => ({ value, label: kindLabels[value] }))
const platformChoices = [
  { value: '', label: t('any-system-label') },
  ...operatingSystems.map((value) => ({ value, label: platformLabel(value) })),
]

const dependencyRow =
  (listing: Listing) =>
  ([kind, game]: string[], i: number): Html => {
    const number = i + 1
    const label = t('uses-listing', { number })
    return html`
      <div class="line">
        ${rowSelect('kind', t('uses-kind', { number }), kindChoices, kind!)}
        ${picker(listing, rowInput('game', label, game!, t('uses-placeholder')), {})}
      </div>`
  }

const dependencyControls = (listing: Listing, state: FormState): Html =>
  rowsField(state, {
    name: 'dependencies',
    label: t('uses-label'),
    columns: dependencyColumns,
    row: dependencyRow(listing),
    hint: t('uses-hint'),
  })

function rangeRow([engine, min, max, renderer, os]: string[], i: number): Html {
  const number = i + 1
  const system = t('engines-system', { number })
  return html`
    <div class="line">
      ${rowInput('engine', t('engines-engine', { number }), engine!, t('engines-engine-example'))}
      ${rowInput('min_version', t('engines-min', { number }), min!, t('engines-min-example'))}
      ${rowInput('max_version', t('engines-max', { number }), max!, t('engines-max-example'))}
      ${rowInput(
        'renderer',
        t('engines-renderer', { number }),
        renderer!,
        t('engines-renderer-example'),
      )}
      ${rowSelect('platform', system, platformChoices, os!)}
    </div>`
}

const rangeControls = (state: FormState): Html =>
  rowsField(state, {
    name: 'ranges',
    label: t('engines-label'),
    columns: rangeColumns,
    row: rangeRow,
    hint: t('engines-hint'),
  })

function modControls(state: FormState): Html {
  const install_path = textField(state, {
    name: 'install_path',
    label: t('mod-folder'),
    hint: t('mod-folder-hint'),
  })
  const loader = textField(state, {
    name: 'loader',
    label: t('mod-loader-label'),
    hint: t('mod-loader-hint'),
  })
  const instructions = textArea(state, {
    name: 'instructions',
    label: t('mod-instructions'),
    rows: 5,
    maxlength: modLimits.instructions,
    hint: t('mod-instructions-hint'),
  })
  return html`${install_path}${loader}${instructions}`
}

export const takesParent = ({ asset_type }: Listing) => parentRule[asset_type] !== 'none'
export const isMod = ({ asset_type }: Listing) => modTypes.includes(asset_type)

/** How the listing relates to other listings and to engine versions. */
export function relationSubsections(listing: Listing, state: FormState): Html {
  const is_required = parentRule[listing.asset_type] === 'required'
  return html`
    ${
      takesParent(listing) &&
      subsection('parent', t('parent-title'), parentControls(listing, state, is_required))
    }
    ${isMod(listing) && subsection('mod', t('mod-title'), modControls(state))}
    ${subsection('similar', t('similar-title'), similarControl(listing, state), t('similar-text'))}
    ${subsection('uses', t('uses-title'), dependencyControls(listing, state))}
    ${subsection('compat', t('engines-title'), rangeControls(state), t('engines-text'))}`
}

/** What a browser sends for the saved relations. */
export function sentRelations(listing: Listing): NonNullable<FormBody> {
  const { parent, parent_game, similar, relations, engine_compat, mod_settings } = listing
  const uses = relations.uses.map(({ kind, vanity_name }) => ({ kind, game: vanity_name }))
  const external = parent && 'external_name' in parent ? parent : undefined
  // The developer may no longer see the name of a parent that has been hidden.
  const hidden_uid = parent && 'game' in parent ? parent.game : ''
  return {
    parent_game: parent_game?.vanity_name ?? hidden_uid,
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
