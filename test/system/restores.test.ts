import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { expectedObjects } from '../../src/core/storage/recorded-objects.ts'
import { removeImages } from '../../src/listings/media/jobs.ts'
import { addRecorded, runSweeps } from '../core/storage/owned-objects.ts'
import { outbox, runJob, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { copyDatabase } from '../support/database.ts'
import { loopCount } from '../support/loop-count.ts'

type App = Awaited<ReturnType<typeof startApp>>

/** The records of the live store whose object is gone. */
async function lostObjects({ core }: App): Promise<string[]> {
  const lost: string[] = []
  for await (const rows of expectedObjects(core.sql))
    for (const { key } of rows) if (!(await core.storage.stat(key))) lost.push(key)
  return lost
}

/** Adds and removes things in the live store, and leaves mails in its queue. */
async function useStore(app: App, keys: string[], listing: { uid: string }) {
  for (let nth = 0; nth < 5; nth++) keys.push(await addRecorded(app.core, listing.uid))
  const [removed] = keys.splice(randomInt(keys.length), 1)
  await app.sql`delete from bugs where uid = ${removed!.split('/').at(-1)!}`
  await app.core.storage.remove(removed!)
  const { token } = await app.a.user()
  must(await app.post('/api/v1/private/account/email-code', {}, { token }))
}

const waitingMails = async ({ sql }: App) =>
  (await sql`select from pgboss.job where name ~ 'mail' and state = 'created'`).length

/** The images that a copy takes for unused: those that the live store shows since the backup. */
const imagesOf = async ({ sql }: App) =>
  (await sql`select sha256 from listing_images`).map((row) => row.sha256 as string)

test('restores of any age beside the live store lose no object and send nothing', async (t) => {
  const live = await startApp(t, { SLIPWAY_ROLES: 'api,upload,web', PROXY_HOPS: '1' })
  const listing = await live.a.listing()
  const keys: string[] = []
  const backups: string[] = []
  for (let age = 0; age < loopCount({ short: 2, full: 10 }); age++) {
    await useStore(live, keys, listing)
    await live.a.images(await live.a.listing())
    await live.core.owner.renew()
    backups.push(await copyDatabase(t, live.settings.DATABASE_URL))
  }
  let messages = 0
  for (let nth = 0; nth < loopCount({ short: 2, full: 100 }); nth++) {
    const age = nth < backups.length ? nth : randomInt(backups.length)
    await useStore(live, keys, listing)
    await t.test(`restore ${nth} of backup ${age}`, async (restore) => {
      const env = { ...live.settings, DATABASE_URL: await copyDatabase(restore, backups[age]!) }
      const drill = await startApp(restore, {
        ...env,
        SLIPWAY_DRILL: 'on',
        SLIPWAY_ROLES: 'api,upload,worker,web',
      })
      const waiting = await waitingMails(drill)
      assert.ok(waiting > 0, 'the backup has no mail in its queue')
      await runSweeps(drill.core)
      assert.equal(await waitingMails(drill), waiting, 'a drill took a mail from the queue')
      messages += outbox(live.data_dir).length
      assert.deepEqual(await lostObjects(live), [], 'a drill removed objects')

      // Started by mistake as if it were the live store.
      const copy = await startApp(restore, { ...env, SLIPWAY_ROLES: 'api,upload,web' })
      // As if the files of the database server had been copied: the server looks the same.
      if (randomInt(2))
        await copy.sql`
          update storage_owner
          set database_oid = (select oid from pg_database where datname = current_database())`
      await runSweeps(copy.core)
      await runJob(copy, removeImages, { sha256s: await imagesOf(live) })
      for (const key of keys) await copy.core.storage.remove(key)
      assert.ok(await copy.core.owner.renew(), 'a copy owns the objects of the live store')
      assert.deepEqual(await lostObjects(live), [], 'a copy removed objects')
    })
    assert.equal(await live.core.owner.renew(), undefined, 'the live store was locked out')
  }
  assert.equal(messages, 0)
  await runSweeps(live.core)
  assert.deepEqual(await lostObjects(live), [])
})
