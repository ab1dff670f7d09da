import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { random as seededRandom } from '../../../demo/random.ts'
import { temporaryFolder } from '../../support/app.ts'
import { loopCount, SEED } from '../../support/loop-count.ts'
import { diskAfterCut, type Fate } from '../../support/power-cut/disk-states.ts'
import { diskOf, LEDGER, record } from '../../support/power-cut/record.ts'
import { restoreDisk } from '../../support/power-cut/restore.ts'
import { needs } from '../../support/system-packages.ts'
import { treeOf } from './fixtures.ts'
import {
  contentsOf,
  expectedContents,
  install,
  playedTree,
  releases,
  saveGame,
  updateToNew,
} from './power-cut-program.ts'

const CUTS = loopCount({ short: 12, full: 200 })
const program = join(import.meta.dirname, 'power-cut-program.ts')

const player_files = { 'saves/': '', 'saves/slot': 'level 3' }
const expected: Record<string, Record<string, string>> = Object.fromEntries(
  Object.values(releases).map((release) => [
    release.uid,
    { ...expectedContents(release), ...player_files },
  ]),
)

async function recordUpdate(t: TestContext) {
  const folder = temporaryFolder(t)
  const temporary = join(folder, 'temporary')
  mkdirSync(diskOf(folder))
  mkdirSync(temporary)
  await install(diskOf(folder), releases.old)
  await saveGame(diskOf(folder))
  const args = [diskOf(folder), join(folder, LEDGER), temporary]
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args]
  return { folder, ...(await record<string>({ folder, command })) }
}

test(`a power cut in an update leaves the old version or the new one, ${CUTS} times (SEED=${SEED})`, async (t) => {
  if (!needs(t, 'strace')) return
  const random = seededRandom(`${SEED} client`)
  const { folder, history, base, acknowledged } = await recordUpdate(t)
  const updated_at = acknowledged[0]?.line ?? Number.NaN
  assert.ok(updated_at > 0, 'the update was acknowledged')
  const disk = join(folder, 'after/disk')
  const seen = new Set<string | undefined>()
  const check = async (cut: number, fate: Fate) => {
    rmSync(join(folder, 'after'), { recursive: true, force: true })
    mkdirSync(join(folder, 'after'))
    restoreDisk(diskAfterCut(history, cut, fate), base, disk)
    const { version, tree } = await playedTree(disk)
    const when = `${version} after a cut at line ${cut} of ${history.lines}`
    seen.add(version)
    assert.deepEqual(contentsOf(treeOf(tree!)), expected[version!], when)
    if (cut > updated_at) assert.equal(version, releases.new.uid, `${when}: it was acknowledged`)
    return version
  }
  for (const fate of ['lost', 'names', 'kept'] as const) await check(updated_at + 1, fate)
  for (let cut = 0; cut < CUTS; cut++) {
    const version = await check(random.integer(0, history.lines), random)
    if (version === releases.new.uid) continue
    const temporary = join(folder, 'after/temporary')
    mkdirSync(temporary)
    await updateToNew(disk, temporary)
    const { tree } = await playedTree(disk)
    assert.deepEqual(contentsOf(treeOf(tree!)), expected[releases.new.uid], 'the next update')
  }
  assert.ok(seen.has(releases.old.uid) && seen.has(releases.new.uid))
})
