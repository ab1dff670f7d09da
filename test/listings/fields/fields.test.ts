import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldNames, fieldOf, filterParameters } from '../../../src/listings/fields/fields.ts'
import type { FieldDefinition } from '../../../src/listings/fields/kinds.ts'
import { labeledValues, valueLabel } from '../../../src/listings/fields/labels.ts'

const distinct = (values: readonly unknown[]) => new Set(values).size === values.length
const valuesOf = (field: FieldDefinition) => ('values' in field ? Object.entries(field.values) : [])

test('every field and every value has a label in sentence case', () => {
  for (const field of fieldNames.map(fieldOf))
    for (const label of [field.label, ...valuesOf(field).map(([, label]) => label)])
      assert.match(label, /^[A-Z0-9]\S*( \S+)*$/)
})

test('a value has the same label in every field', () => {
  const labels = new Map<string, string>()
  for (const [value, label] of fieldNames.map(fieldOf).flatMap(valuesOf)) {
    assert.equal(labels.get(value) ?? label, label)
    labels.set(value, label)
  }
})

test('no two fields share a facet or a search parameter', () => {
  const facets = fieldNames.map((name) => fieldOf(name).facet).filter(Boolean)
  const parameters = filterParameters.flatMap(({ parameter, alias }) => [parameter, alias ?? []])
  assert.ok(distinct(facets))
  assert.ok(distinct(parameters.flat()))
})

test('a value without a label shows its slug in sentence case', () => {
  assert.equal(valueLabel('genres', 'tower-defense'), 'Tower defense')
  assert.equal(valueLabel('engines', 'my-engine_2'), 'My engine 2')
  assert.equal(valueLabel('genres', 'toString'), 'ToString')
  assert.equal(valueLabel('languages', 'pt-BR'), 'Brazilian Portuguese')
})

test('labels are built for zero, one and several values, and for codes with flags', () => {
  assert.deepEqual(labeledValues('net', null), [])
  assert.deepEqual(labeledValues('net', 'local'), [
    { value: 'local', label: 'Local multiplayer', details: '' },
  ])
  assert.deepEqual(
    labeledValues('tone', ['cozy', 'dark']).map(({ label }) => label),
    ['Cozy', 'Dark'],
  )
  const languages = [{ code: 'de', interface: true, audio: false, subtitles: true }]
  assert.deepEqual(labeledValues('languages', languages), [
    { value: 'de', label: 'German', details: 'interface, subtitles' },
  ])
})
