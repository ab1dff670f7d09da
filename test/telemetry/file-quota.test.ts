import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { must, newAddress, refused, storedKeys } from '../support/builders.ts'
import { form } from '../uploads/forms.ts'
import { put, read, report } from './crash-fixtures.ts'
import { CRASHES, idsOf, startTelemetryApp } from './fixtures.ts'

const SHARE = Math.floor(MIB / 10)

test('files of players use up their share of the quota, and no more than that', async (t) => {
  const app = await startTelemetryApp(t, { LISTING_QUOTA_MIB: '1' })
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const to = await app.build(listing)
  const sendForm = (bytes: Uint8Array) =>
    app.call(
      'POST',
      CRASHES,
      form([{ name: 'log', filename: 'x', bytes }], { headers: { ...idsOf(to), ...newAddress() } }),
    )
  const hasLog = async ({ id }: { id: string }) =>
    (await read(app, listing, `crashes/${id}`)).has_log as boolean
  const links = must(await report(app, to, { has_log: true, has_dump: true })).uploads

  const over = await put(app, links.log.url, Buffer.alloc(SHARE + 1, 'x'))
  assert.deepEqual(refused(over), [413, 4285])
  assert.equal(await hasLog(must(await sendForm(Buffer.alloc(SHARE + 1, 'x')))), false)
  assert.deepEqual(await storedKeys(app.core, 'crashes/'), [])

  // The refused upload did not use up its link.
  must(await put(app, links.log.url, Buffer.alloc(SHARE - 100, 'x')))
  const together = await Promise.all([1, 2, 3].map(() => sendForm(Buffer.alloc(50, 'x'))))
  const kept = await Promise.all(together.map(async (answer) => hasLog(must(answer))))
  assert.deepEqual(kept.toSorted(), [false, true, true])
  assert.deepEqual(refused(await put(app, links.dump.url, Buffer.from('MDMP'))), [413, 4285])
  assert.equal((await storedKeys(app.core, 'crashes/')).length, 3)

  // What is left for the developer is what players cannot use.
  const [use] = await app.sql`
    select sum(bytes)::float8 as bytes
    from stored_use
    where kind = 'crashes'`
  assert.equal(use!.bytes, SHARE)
})
