import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type startApp, temporaryFolder } from '../../support/app.ts'
import { must, storedKeys } from '../../support/builders.ts'
import { withBuild } from '../fixtures.ts'
import {
  deltaOf,
  entriesOf,
  openDelta,
  packFolder,
  sendPart,
  storedEntries,
  uploadWhole,
} from './fixtures.ts'
import { gameVersions, writeTree } from './trees.ts'

/** A delta is received in parts, composed on the disk and stored; nothing else of it stays. */
export async function composesDeltas(
  t: TestContext,
  service: Awaited<ReturnType<typeof startApp>>,
) {
  const app = await withBuild(service)
  const game = { uid: app.listing.uid, ci: app.ci }
  const staged = await storedKeys(app.core, 'uploads/')
  const { before, after } = gameVersions()
  const folder = join(temporaryFolder(t), 'game')
  const base_uid = await uploadWhole(app, game, await packFolder(writeTree(folder, before)))
  const whole = await packFolder(writeTree(folder, after))
  const { build_id, bytes } = await deltaOf(app, game, folder)
  const session = await openDelta(app, game, { build_id, bytes })
  must(await sendPart(app, game, bytes, { session, to: 1000 }))
  const { file_uid } = must(await sendPart(app, game, bytes, { session, from: 1000 }))
  assert.deepEqual(await storedEntries(app, game, file_uid), await entriesOf(whole))
  assert.deepEqual(
    await storedKeys(app.core, `builds/${game.uid}/`),
    [base_uid, file_uid].map((uid) => `builds/${game.uid}/${uid}.zip`).sort(),
  )
  assert.deepEqual(await storedKeys(app.core, 'uploads/'), staged)
}
