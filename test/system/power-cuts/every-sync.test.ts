import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { random as seededRandom } from '../../../demo/random.ts'
import { chooseCases } from '../../support/loop-count.ts'
import { listSyncSites, nameOf, type SyncSite } from '../../support/power-cut/sync-sites.ts'
import { canRecord, lossesAfterCut, reachedSyncs, recordWorkload } from './fixtures.ts'
import type { WorkloadName } from './workloads.ts'

/** Syncs that lose nothing if they are missing, each with what it is for. */
const notForDurability: Record<string, string> = {
  'cli/client/background-writer.ts#0':
    'starts early on what the last sync of a file would have to wait for',
  'src/uploads/receive/file-sink.ts#0':
    'starts early on what the last sync of an upload would have to wait for',
  'src/core/database/embedded/cluster.ts#2':
    'a start repeats the last rename of an upgrade, and syncs it before the database is used',
  'src/core/database/embedded/upgrade.ts#0':
    'the next rename is to the name that this one frees, so it cannot come before it',
}

/** A loss that a power cut causes if a call does not sync. */
async function findLoss(t: TestContext, site: SyncSite, names: WorkloadName[]) {
  for (const name of names) {
    const recording = await recordWorkload(t, name, { WITHOUT_SYNC: nameOf(site) })
    for (const { line } of recording.acknowledged)
      for (const fate of ['lost', 'names'] as const) {
        const [loss] = await lossesAfterCut(recording, line + 1, fate)
        if (loss) return `${name}: ${loss}`
      }
    // Other losses need some changes of names and not others.
    for (const { end } of recording.history.names)
      for (let attempt = 0; attempt < 8; attempt++) {
        const random = seededRandom(`${end} ${attempt}`)
        const [loss] = await lossesAfterCut(recording, end + 1, random)
        if (loss) return `${name}: ${loss}`
      }
  }
  return undefined
}

test('without any of its syncs, the service or the client loses acknowledged bytes', async (t) => {
  if (!canRecord(t)) return
  const sites = listSyncSites()
  assert.ok(sites.length > 10)
  const reached = await reachedSyncs(t)
  const needed = sites.filter((site) => !notForDurability[nameOf(site)])
  const placeOf = ({ file, line }: SyncSite) => `${file}:${line}`
  for (const site of needed)
    assert.ok(
      reached.has(nameOf(site)),
      `no workload of test/system/power-cuts/workloads.ts reaches the sync at ${placeOf(site)}: add one`,
    )
  for (const site of chooseCases(t, needed, 2)) {
    const place = placeOf(site)
    const loss = await findLoss(t, site, reached.get(nameOf(site))!)
    assert.ok(loss, `no power cut shows that the sync at ${place} is needed`)
    t.diagnostic(`${place} ${site.text} → ${loss}`)
  }
})

test('the list of syncs that are not for durability names calls that exist', () => {
  const names = new Set(listSyncSites().map(nameOf))
  for (const name of Object.keys(notForDurability)) assert.ok(names.has(name), name)
})
