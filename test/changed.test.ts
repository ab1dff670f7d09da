import assert from 'node:assert/strict'
import { test } from 'node:test'
import { affectedTests } from './changed.ts'

const rootTests = ['test/architecture.test.ts', 'test/changed.test.ts', 'test/style.test.ts']

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

test('a changed fixture selects the tests that import it, and no tests of other modules', () => {
  const tests = affectedTests(['test/press/kits.ts'])
  assert.ok(tests.includes('test/press/kit-rules.test.ts'))
  assert.deepEqual(
    tests.filter((path) => !path.startsWith('test/press/')),
    rootTests,
  )
})

test('a changed page of the documentation selects the tests that read it', () => {
  assert.ok(affectedTests(['docs/telemetry.md']).includes('test/telemetry/docs.test.ts'))
  for (const path of ['.env.example', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])
    assert.ok(affectedTests([path]).includes('test/system/deploy/compose.test.ts'), path)
})

test('every change selects the tests that read all files', () => {
  for (const path of ['src/bugs/deliveries/deliver.ts', 'CONTRIBUTING.md', 'sdk/verify/verify.ts'])
    assert.deepEqual(
      affectedTests([path]).filter((test) => rootTests.includes(test)),
      rootTests,
      path,
    )
})
