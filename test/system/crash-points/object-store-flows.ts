import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { random as seededRandom } from '../../../demo/random.ts'
import { fileKey } from '../../../src/builds/files/key.ts'
import { uploadInChunks } from '../../constellation/chunked-upload.ts'
import { clientAt } from '../../constellation/client.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { REGISTER } from '../../uploads/fixtures.ts'
import { zip } from '../../uploads/zips.ts'
import type { BugApp, Flow } from './flows.ts'

/** Flows of a service whose objects are in a bucket, as in `makeFlows`. */
export async function makeObjectStoreFlows(
  app: BugApp,
  url: string,
): Promise<Record<string, Flow>> {
  const http = clientAt('127.0.0.1', url)
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const deploy_key = await app.a.deployer(game)
  const { build_id } = must(await app.post(REGISTER, { version: '1' }, deploy_key))
  return {
    chunks: {
      points: [
        'part-numbers-reserved',
        'tail-stored',
        'chunk-recorded',
        'parts-stored',
        'parts-completed',
        'upload-recording',
        'session-discarded',
      ],
      without_commit: ['session-discarded'],
      async act() {
        const bytes = zip([{ name: 'a', body: Buffer.alloc(6_000_000, randomUUID()), method: 0 }])
        const random = seededRandom(randomUUID())
        // The first chunk becomes a tail, the second a part with it, and the third the last part.
        const chunk_bytes: [number, number] = [2_700_000, 2_900_000]
        const upload = { http, deploy_key, build_id, bytes, random, chunk_bytes }
        const object_uid = await uploadInChunks(upload)
        const key = fileKey({ object_uid, game_uid: game.uid })
        const object = await app.core.storage.get(key)
        assert.ok(object && (await buffer(object.stream)).equals(bytes), 'other bytes are stored')
        return 200
      },
      settled: () =>
        eventually('every scan', async () => {
          const scanning = app.sql`select from files where scan = 'scanning'`
          return (await scanning.catch(() => ['unknown'])).length === 0
        }),
    },
  }
}
