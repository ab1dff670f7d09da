import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { planPatches, sweepPatches } from '../../../src/updates/patches/jobs.ts'
import { runJob } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { type ZipEntry, zip } from '../../uploads/zips.ts'
import { startUpdates } from '../fixtures.ts'
import { changedLevel, firstFiles, waitForPatches } from './fixtures.ts'

const filesOf = (version: string): ZipEntry[] => [
  { name: 'data/level.pak', body: Buffer.concat([changedLevel, Buffer.from(version)]), method: 0 },
]

/** A game with builds that were heads of stable, and further ones that can be staged there. */
async function startStaging(t: TestContext, bases: number, heads: string[], staged: string[]) {
  const app = await startUpdates(t, firstFiles, { PATCH_BASES: String(bases) })
  const builds = new Map([['1.0', { build_id: app.build_id, file_uid: app.file_uid }]])
  for (const version of [...heads, ...staged]) {
    const channel = heads.includes(version) ? 'stable' : `try-${version.replace('.', '-')}`
    const bytes = zip(filesOf(version))
    builds.set(version, await app.a.cleanBuild(app.game, { version, channel, bytes }))
  }
  const stage = async (version: string, percent: number) => {
    const { build_id } = builds.get(version)!
    const channel = `/api/v1/private/games/${app.game.uid}/channels/stable`
    must(await app.put(channel, { build_id, percent }, app.game.owner))
  }
  /** The versions that there are patches from, once there are so many. */
  const basesOf = async (version: string, count: number) => {
    await runJob(app, planPatches)
    const { file_uid } = builds.get(version)!
    await waitForPatches(app.sql, file_uid, count)
    const rows = await app.sql<{ from_file: string }[]>`
      select from_file from file_patches where to_file = ${file_uid}`
    const versionOf = (uid: string) =>
      [...builds].find(([, build]) => build.file_uid === uid)?.[0] ?? uid
    return rows.map(({ from_file }) => versionOf(from_file)).toSorted()
  }
  return { ...app, builds, stage, basesOf }
}

test('a staged build has patches from the last heads, and back to the head', async (t) => {
  const app = await startStaging(t, 2, ['2.0', '3.0'], ['4.0'])
  // Channels that moved long ago are not looked at; the staged release is what changed.
  await app.sql`update channel_heads set moved_at = now() - interval '1 day'`
  await app.stage('4.0', 10)
  assert.deepEqual(await app.basesOf('4.0', 2), ['2.0', '3.0'])
  assert.deepEqual(await app.basesOf('3.0', 3), ['1.0', '2.0', '4.0'], 'pulled back by a patch')
  const { build_id } = app.builds.get('4.0')!
  const { manifest } = must(await app.get(`${app.path}/builds/${build_id}/manifest`))
  const froms = manifest.patches.map(({ from_build }: { from_build: string }) => from_build)
  assert.ok(froms.includes(app.builds.get('3.0')!.build_id), 'signed in its manifest')
})

test('the next head has a patch from the build that was staged before it', async (t) => {
  const app = await startStaging(t, 1, ['2.0'], ['3.0', '4.0'])
  await app.stage('3.0', 10)
  await app.stage('4.0', 100)
  assert.deepEqual(await app.basesOf('4.0', 2), ['2.0', '3.0'])
})

test('staged builds that were pulled back do not displace the heads', async (t) => {
  const app = await startStaging(t, 1, ['2.0'], ['3.0', '4.0', '5.0'])
  for (const version of ['3.0', '4.0']) {
    await app.stage(version, 10)
    await app.stage(version, 0)
  }
  await app.stage('5.0', 10)
  assert.deepEqual(await app.basesOf('5.0', 2), ['2.0', '4.0'])
  await app.stage('5.0', 100)
  assert.deepEqual(await app.basesOf('5.0', 2), ['2.0', '4.0'])
})

test('patches to a staged build stay as long as it is staged', async (t) => {
  const app = await startStaging(t, 1, [], ['2.0'])
  await app.sql`delete from channel_heads where channel <> 'stable'`
  await app.stage('2.0', 10)
  await app.basesOf('2.0', 1)
  const { file_uid } = app.builds.get('2.0')!
  const sweep = async () => {
    await app.sql`update file_patches set made_at = now() - interval '2 days'`
    await runJob(app, sweepPatches)
    return (await app.sql`select from file_patches where to_file = ${file_uid}`).length
  }
  assert.equal(await sweep(), 1, 'it is staged')
  await app.stage('2.0', 0)
  assert.equal(await sweep(), 0, 'it was pulled back')
})
