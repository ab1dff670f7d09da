import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { writeMarker } from '../../src/core/storage/owner-marker.ts'
import { removeBytes } from '../../src/scan/jobs.ts'
import { eventually, runJob } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { FILES, startUploadApp } from '../uploads/fixtures.ts'
import { upload } from '../uploads/forms.ts'
import { EICAR, zip } from '../uploads/zips.ts'

/** Starts a service with a way to upload a file that the scanner rejects. */
async function start(t: TestContext) {
  const app = await startUploadApp(t)
  const { core, sql, call, build_id, ci, listing } = app
  async function uploadInfected() {
    const bytes = zip([{ name: 'game', body: EICAR }])
    const { file_uid } = must(await call('POST', FILES, upload(bytes, { build_id }, ci)))
    await eventually('the scan', async () => {
      const files = await sql`select from files where uid = ${file_uid} and scan = 'infected'`
      return files.length === 1
    })
    return {
      file_uid,
      isStored: async () => !!(await core.storage.stat(`builds/${listing.uid}/${file_uid}.zip`)),
      isMarked: async () => {
        const [file] = await sql`select bytes_removed_at from files where uid = ${file_uid}`
        return file!.bytes_removed_at !== null
      },
    }
  }
  return { ...app, uploadInfected }
}

test('rejected bytes that the object store may not remove are removed once it may', async (t) => {
  const { core, sql, uploadInfected } = await start(t)
  await writeMarker(core.storage, { catalog_uid: uuidv7(), token: uuidv7() })
  assert.equal(await core.owner.renew(), 'other_catalog')
  const { isStored, isMarked } = await uploadInfected()
  const pending = await eventually('the first attempt', async () => {
    const [job] = await sql`
      select state, output ->> 'message' as message
      from pgboss.job
      where name = 'scan.remove-bytes' and state not in ('created', 'active')`
    return job
  })
  assert.deepEqual(
    { stored: await isStored(), marked: await isMarked(), state: pending.state },
    { stored: true, marked: false, state: 'retry' },
  )
  assert.match(pending.message, /was not removed: .+ is refused \(other_catalog\)/)

  await core.owner.confirm()
  await sql`update pgboss.job set start_after = now() where name = 'scan.remove-bytes'`
  await eventually('the removal', isMarked)
  assert.equal(await isStored(), false)
})

test('rejected bytes that are still stored are not recorded as removed', async (t) => {
  const app = await start(t)
  const { core, listing, uploadInfected } = app
  const { storage } = core
  core.storage = { ...storage, discard: async () => {} }
  const { file_uid, isStored, isMarked } = await uploadInfected()
  const run = () => runJob(app, removeBytes, { file_uid, game_uid: listing.uid })
  await assert.rejects(run(), /was not removed/)
  assert.deepEqual([await isStored(), await isMarked()], [true, false])
  core.storage = storage
  await run()
  assert.deepEqual([await isStored(), await isMarked()], [false, true])
})
