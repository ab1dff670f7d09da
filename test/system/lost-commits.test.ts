import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cut, lossyDatabase } from '../../sim/lossy-database.ts'
import { checkStorage } from '../../src/admin/storage-check.ts'
import { startBugApp } from '../bugs/fixtures.ts'
import { eventually } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { loopCount } from '../support/loop-count.ts'
import { storingRequests } from './stored-bytes.ts'

const ROUNDS = loopCount({ short: 2, full: 50 })

/**
 * A connection that is lost around a COMMIT leaves open whether the transaction was committed. What
 * a request stored may be removed only if it was not.
 */
test('a connection lost before or after a commit leaves no record without its bytes', async (t) => {
  const database = await lossyDatabase(await freshDatabase(t))
  cleanup(t, () => database.close())
  const app = await startBugApp(t, { DATABASE_URL: database.url })
  const run = { core: app.core, progress: () => {}, signal: new AbortController().signal }
  const refusals = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    // New people each time, because of their limits.
    const { requests } = await storingRequests(app)
    for (const cut of ['before', 'after'] satisfies Cut[])
      for (const [name, send] of Object.entries(requests)) {
        database.cutNext(cut)
        const { status, body } = await send()
        database.cutNext(undefined)
        // The commit that was cut may be one of a job: then the request succeeded.
        if (status >= 300) {
          assert.ok(
            [5031, 5020, 4048].includes(body.error.code),
            `${name} ${cut}: ${JSON.stringify(body)}`,
          )
          refusals.add(`${name} ${cut}`)
        }
        const { missing } = await eventually('the database', () =>
          checkStorage(run).catch(() => undefined),
        )
        assert.deepEqual(missing, [], `${name}, cut ${cut} its commit`)
        await eventually('a request that succeeds', async () => (await send()).status < 300)
      }
  }
  t.diagnostic(`${database.cuts()} connections were cut; refused: ${[...refusals].join(', ')}`)
  assert.ok(refusals.size >= 5, 'the cuts did not reach the requests')
})
