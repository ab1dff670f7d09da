import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transact } from '../../../src/core/database/transaction.ts'
import { lockListing } from '../../../src/listings/listing/queries.ts'
import { addImages, removeUnused } from '../../../src/listings/media/edit.ts'
import { imageKey } from '../../../src/listings/media/url.ts'
import { eventually, startApp } from '../../support/app.ts'
import { lockWaits, must, storedKeys } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { type App, hashOf, mediaOf, mediaRequests } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

/** Which of these images are stored. */
const stored = async ({ core }: App, hashes: string[]) => {
  const keys = await storedKeys(core, 'images/')
  return hashes.filter((sha256) => keys.includes(imageKey(sha256)))
}
const cover = async () => ({ bytes: await picture(1024, 576) })

test('the sweep schedules unused images for a check a day later, and removes none', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const [remaining, deleted] = [await app.a.listing(), await app.a.listing()]
  const used = hashOf(must(await upload(remaining, { kind: 'cover' }, [await cover()])).cover)
  const unused = hashOf(must(await upload(deleted, { kind: 'cover' }, [await cover()])).cover)
  must(await app.del(`/api/v1/private/games/${deleted.uid}`, deleted.owner))
  await app.core.jobs.send(app.sql, 'listings.sweep-images')
  const scheduled = await eventually('the scheduled check', async () => {
    const [job] = await app.sql`
      select data, extract(epoch from start_after - created_on)::int as seconds
      from pgboss.job
      where name = 'listings.remove-images'`
    return job
  })
  assert.deepEqual(scheduled.data, { sha256s: [unused] })
  assert.ok(Math.abs(scheduled.seconds - 86_400) < 60, `${scheduled.seconds}`)
  assert.deepEqual(await stored(app, [used, unused]), [used, unused])
})

test('an image still unused at its check is removed, and one in use again stays', async (t) => {
  const app = await sharedApp(t)
  const { upload, remove } = mediaRequests(app)
  const listing = await app.a.listing()
  const [back, unused] = [await cover(), await cover()]
  const hashes: string[] = []
  for (const file of [back, unused]) {
    hashes.push(hashOf(must(await upload(listing, { kind: 'cover' }, [file])).cover))
    must(await remove(listing, 'cover'))
  }
  assert.deepEqual(await stored(app, hashes), hashes)
  const { cover: url } = must(await upload(listing, { kind: 'cover' }, [back]))
  await app.core.jobs.send(app.sql, 'listings.remove-images', { sha256s: hashes })
  await eventually('the removal', async () => (await stored(app, hashes)).length === 1)
  assert.deepEqual(await stored(app, hashes), [hashes[0]])
  assert.equal((await app.get(new URL(url).pathname)).status, 200)
})

test('a removal waits for a concurrent upload of the same content, then leaves it', async (t) => {
  const app = await sharedApp(t)
  const { upload, remove } = mediaRequests(app)
  const listing = await app.a.listing()
  const sha256 = hashOf(must(await upload(listing, { kind: 'cover' }, [await cover()])).cover)
  must(await remove(listing, 'cover'))
  const image = { sha256, type: 'image/png', width: 1024, height: 576, size: 1 } as const
  let removal: Promise<void> | undefined
  await transact(app.sql, async (tx) => {
    const locked = await lockListing(tx, listing.uid, null)
    await addImages(app.core, tx, locked!, { kind: 'cover', position: null, images: [image] })
    removal = removeUnused(app.core, sha256)
    await eventually('the removal to wait', async () => (await lockWaits(tx)) > 0)
  })
  await removal
  assert.deepEqual(await stored(app, [sha256]), [sha256])
})

test('an upload whose content was removed meanwhile is not saved', async (t) => {
  const app = await sharedApp(t)
  const { read } = mediaRequests(app)
  const listing = await app.a.listing()
  const image = {
    sha256: '0'.repeat(64),
    type: 'image/png',
    width: 1024,
    height: 576,
    size: 1,
  } as const
  const adding = transact(app.sql, async (tx) => {
    const locked = await lockListing(tx, listing.uid, null)
    await addImages(app.core, tx, locked!, { kind: 'cover', position: null, images: [image] })
  })
  await assert.rejects(adding, { refusal: 'UNAVAILABLE' })
  assert.equal((await read(listing)).cover, '')
})

test('concurrent uploads and removals never remove an image that a listing shows', async (t) => {
  const app = await sharedApp(t)
  const { upload, remove, read } = mediaRequests(app)
  const listings = [await app.a.listing(), await app.a.listing()]
  const file = await cover()
  const sha256 = hashOf(must(await upload(listings[0]!, { kind: 'cover' }, [file])).cover)
  for (let round = 0; round < 15; round++) {
    const answers = await Promise.all(
      listings
        .map((listing) => upload(listing, { kind: 'cover' }, [file]))
        .concat(removeUnused(app.core, sha256) as never),
    )
    for (const [i, listing] of listings.entries()) {
      const { cover } = await read(listing)
      assert.ok([200, 503].includes(answers[i]!.status))
      if (cover)
        assert.equal((await app.get(new URL(cover).pathname)).status, 200, mediaOf(listing))
    }
    await Promise.all([
      ...listings.map((listing) => remove(listing, 'cover')),
      removeUnused(app.core, sha256),
    ])
  }
  await removeUnused(app.core, sha256)
  assert.deepEqual(await stored(app, [sha256]), [])
})
