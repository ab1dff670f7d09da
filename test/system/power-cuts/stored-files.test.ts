import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { random as seededRandom } from '../../../demo/random.ts'
import { chooseCases, loopCount, SEED } from '../../support/loop-count.ts'
import { diskOf } from '../../support/power-cut/record.ts'
import { canRecord, lossesAfterCut, recordWorkload } from './fixtures.ts'
import { compareWithDisk } from './list-files.ts'
import { type WorkloadName, workloads } from './workloads.ts'

const names = Object.keys(workloads) as WorkloadName[]
/** Recording a workload takes longer than most checks of it. */
const WORKLOADS = loopCount({ short: 4, full: names.length })
const ACKNOWLEDGEMENTS = 5
const CUTS_PER_WORKLOAD = loopCount({ short: 2, full: 100 })

async function cutPower(t: TestContext, name: WorkloadName) {
  const random = seededRandom(`${SEED} ${name}`)
  const recording = await recordWorkload(t, name)
  const { history, acknowledged, folder } = recording
  assert.ok(acknowledged.length, 'nothing was acknowledged')
  const { recorded, actual } = compareWithDisk(history, diskOf(folder))
  assert.deepEqual(recorded, actual)
  for (const { line } of chooseCases(t, acknowledged, ACKNOWLEDGEMENTS))
    for (const fate of ['lost', 'names', 'kept'] as const)
      assert.deepEqual(await lossesAfterCut(recording, line + 1, fate), [], `${line} ${fate}`)
  for (let cut = 0; cut < CUTS_PER_WORKLOAD; cut++) {
    const line = random.integer(0, history.lines)
    assert.deepEqual(await lossesAfterCut(recording, line, random), [], `line ${line}`)
  }
  t.diagnostic(`${acknowledged.length} acknowledgements, ${CUTS_PER_WORKLOAD} random cuts`)
}

test(`a power cut loses nothing acknowledged (SEED=${SEED})`, async (t) => {
  if (!canRecord(t)) return
  for (const name of chooseCases(t, names, WORKLOADS))
    await t.test(`a power cut loses nothing acknowledged: ${name}`, (t) => cutPower(t, name))
})
