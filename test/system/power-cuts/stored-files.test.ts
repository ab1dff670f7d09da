import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { random as seededRandom } from '../../../demo/random.ts'
import { loopCount } from '../../support/loop-count.ts'
import { diskOf } from '../../support/power-cut/record.ts'
import { canRecord, lossesAfterCut, recordWorkload } from './fixtures.ts'
import { compareWithDisk } from './list-files.ts'
import { type WorkloadName, workloads } from './workloads.ts'

const SEED = process.env.SEED ?? String(randomInt(1_000_000))
const names = Object.keys(workloads) as WorkloadName[]
const CUTS_PER_WORKLOAD = loopCount({ short: 6, full: 100 })

for (const name of names)
  test(`a power cut loses nothing acknowledged: ${name} (SEED=${SEED})`, async (t) => {
    if (!canRecord(t)) return
    const random = seededRandom(`${SEED} ${name}`)
    const recording = await recordWorkload(t, name)
    const { history, acknowledged, folder } = recording
    assert.ok(acknowledged.length, 'nothing was acknowledged')
    const { recorded, actual } = compareWithDisk(history, diskOf(folder))
    assert.deepEqual(recorded, actual)
    for (const { line } of acknowledged)
      for (const fate of ['lost', 'names', 'kept'] as const)
        assert.deepEqual(await lossesAfterCut(recording, line + 1, fate), [], `${line} ${fate}`)
    for (let cut = 0; cut < CUTS_PER_WORKLOAD; cut++) {
      const line = random.integer(0, history.lines)
      assert.deepEqual(await lossesAfterCut(recording, line, random), [], `line ${line}`)
    }
    t.diagnostic(`${acknowledged.length} acknowledgements, ${CUTS_PER_WORKLOAD} random cuts`)
  })
