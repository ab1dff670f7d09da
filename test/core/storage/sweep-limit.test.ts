import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepLimit } from '../../../src/core/storage/sweep-limit.ts'
import { OPERATIONS, startConsole } from '../../operator/fixtures.ts'
import { admin } from '../../support/admin-run.ts'
import { startApp } from '../../support/app.ts'
import { must, storedKeys } from '../../support/builders.ts'
import { addOrphan, runSweeps } from './owned-objects.ts'

const ROLES = { SLIPWAY_ROLES: 'api,web' }
const CONFIRM = `${OPERATIONS}/storage/confirm`

test('a sweep may remove 100 objects, or 1 % of all', () => {
  assert.deepEqual(
    [0, 5000, 10_000, 10_100, 1_000_000].map(sweepLimit),
    [100, 100, 100, 101, 10_000],
  )
})

test('a sweep that would remove more waits for an operator, and removes nothing', async (t) => {
  const { core, get, post, operator, console } = await startConsole(t, ROLES)
  for (let nth = 0; nth < 100; nth++) await addOrphan(core)
  await runSweeps(core)
  assert.equal((await storedKeys(core, 'bugs/')).length, 0, '100 orphans were not removed')
  for (let nth = 0; nth < 101; nth++) await addOrphan(core)
  await runSweeps(core)
  assert.equal((await storedKeys(core, 'bugs/')).length, 101)
  const { storage_cleanup, checks } = must(await get(`${OPERATIONS}/overview`, operator))
  assert.deepEqual(storage_cleanup, {
    refusal: null,
    sweeps: [{ name: 'screenshots', orphans: 101, objects: 101 }],
  })
  assert.equal(checks.storage_cleanup, 'degraded')
  const { body } = await console.open('/operator')
  assert.match(body, /would remove 101 of 101 stored files, so it removed none/)

  assert.deepEqual(must(await post(CONFIRM, undefined, operator)), {
    refusal: null,
    sweeps: ['screenshots'],
  })
  await runSweeps(core)
  assert.equal((await storedKeys(core, 'bugs/')).length, 0)
  for (let nth = 0; nth < 101; nth++) await addOrphan(core)
  await runSweeps(core)
  assert.equal((await storedKeys(core, 'bugs/')).length, 101, 'one confirmation allowed two runs')
})

test('storage check --remove obeys the same limit', async (t) => {
  const { core, settings } = await startApp(t, ROLES)
  for (let nth = 0; nth < 101; nth++) await addOrphan(core)
  const refused = await admin(settings, 'storage', 'check', '--remove')
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /Nothing was removed: 101 of 101 objects have no record, more than 1/,
  )
  assert.equal((await storedKeys(core, 'bugs/')).length, 101)
  const { stdout } = await admin(settings, 'storage', 'confirm', '--json')
  assert.deepEqual(JSON.parse(stdout), { refusal: null, sweeps: ['storage-check'] })
  assert.equal((await admin(settings, 'storage', 'check', '--remove')).code, 0)
  assert.equal((await storedKeys(core, 'bugs/')).length, 0)
})
