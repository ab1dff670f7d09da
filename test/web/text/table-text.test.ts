import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentScopes, operatorScopes, playerScopes } from '../../../src/accounts/keys/scopes.ts'
import { languageNames } from '../../../src/core/text/languages.ts'
import { hasMessage } from '../../../src/core/text/messages.ts'
import { fieldNames, fieldOf } from '../../../src/listings/fields/fields.ts'
import { launchBands } from '../../../src/listings/fields/launch-bands.ts'
import { levelNames, partNames } from '../../../src/listings/fields/requirements.ts'
import { valueLabels } from '../../../src/web/components/format.ts'

const idOf = (kind: string, name: string) => `${kind}-${name.replace(/[^\w-]/g, '-')}`

/** The messages that the tables of the code need in every other language. */
function tableIds(): string[] {
  const ids: string[] = []
  const add = (kind: 'field' | 'value' | 'hint', names: Iterable<string>) => {
    for (const name of names) ids.push(idOf(kind, name))
  }
  for (const name of fieldNames) {
    const field = fieldOf(name)
    add('field', [name])
    if ('help' in field && field.help) add('hint', [name])
    if ('values' in field) add('value', Object.keys(field.values))
    if ('value_help' in field && field.value_help) add('hint', Object.keys(field.value_help))
    if ('flags' in field)
      add(
        'value',
        Object.keys(field.flags).map((flag) => `flag_${flag}`),
      )
    const excludes_only = field.exclude?.description && !field.include?.description
    if (excludes_only && field.facet) add('field', [`exclude_${name}`])
  }
  add('value', Object.keys(valueLabels))
  add(
    'value',
    levelNames.map((level) => `level_${level}`),
  )
  add(
    'value',
    partNames.map((part) => `part_${part}`),
  )
  add(
    'value',
    launchBands.map((band) => `band_${band}`),
  )
  add(
    'hint',
    launchBands.map((band) => `band_${band}`),
  )
  add('hint', [...playerScopes, ...agentScopes, ...operatorScopes])
  return ids
}

for (const language of Object.keys(languageNames).filter((code) => code !== 'en'))
  test(`${languageNames[language]} has every label, value and hint of the tables`, () => {
    const missing = tableIds().filter((id) => !hasMessage(language, id))
    assert.deepEqual(missing, [])
  })
