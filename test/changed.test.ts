import assert from 'node:assert/strict'
import { test } from 'node:test'
import { affectedTests } from './changed.ts'

test('a change in one module selects the tests of that module and of those built on it', () => {
  const tests = affectedTests(['src/bugs/deliveries/deliver.ts'])
  assert.ok(tests.includes('test/bugs/deliveries.test.ts'))
  assert.ok(!tests.includes('test/library/reviews.test.ts'))
  assert.ok(
    affectedTests(['src/listings/listing/visibility.ts']).includes('test/press/routes.test.ts'),
  )
})

test('a change to core or to a migration selects every test that runs the service', () => {
  const all = affectedTests(['migrations/0001_core.sql'])
  assert.ok(all.length > 150)
  const core = affectedTests(['src/core/http/route.ts'])
  assert.ok(core.includes('test/library/reviews.test.ts'))
  assert.ok(core.includes('test/core/http/openapi.test.ts'))
})

test('a changed fixture selects the tests that import it, and no others', () => {
  const tests = affectedTests(['test/press/zip-fixtures.ts'])
  assert.ok(tests.includes('test/press/zip.test.ts'))
  assert.ok(!tests.some((path) => !path.startsWith('test/press/')))
})

test('a changed page of the documentation selects the tests that read it', () => {
  assert.ok(affectedTests(['docs/telemetry.md']).includes('test/telemetry/docs.test.ts'))
})
