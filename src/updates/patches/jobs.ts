import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { job, type Run } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { DAY_MS, HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { makeFolder } from '../../core/storage/durable-files.ts'
import { isOldUid, removeOrphans } from '../../core/storage/remove-orphans.ts'
import { reserveQuota } from '../../listings/storage/quota.ts'
import { findMissingPatches } from './base-build-queries.ts'
import type { Pass } from './compress.ts'
import { ZSTD_FORMAT } from './format.ts'
import { patchKey } from './key.ts'
import { type MadePatch, makePatch } from './make.ts'
import {
  deleteOldPatches,
  type FilePair,
  findPopularPatches,
  findRecordedPatches,
  markImproved,
  readPair,
  savePatch,
} from './queries.ts'

/** Finds the patches that are missing: of a listing after a scan, and where channels moved. */
export const planPatches = job<{ game_uid?: string }>({
  name: 'updates.plan-patches',
  schedule: '* * * * *',
  async handle({ core, data, finish }) {
    const { patch_bases: bases } = core.config
    if (!bases) return
    const pairs = await findMissingPatches(core.sql, { game_uid: data?.game_uid, bases })
    await finish(async (tx) => {
      for (const { from_file, to_file } of pairs)
        await core.jobs.send(
          tx,
          'updates.make-patch',
          { from_file, to_file },
          { key: `${from_file} ${to_file}` },
        )
    })
  },
})

const limits = { expire_seconds: 3 * HOUR, retries: 3, concurrency: 1 }

/** Makes the patch of a pair. Runs that were killed leave an object without a record, at most. */
export const makePatchJob = job<FilePair>({
  name: 'updates.make-patch',
  ...limits,
  handle: (run) => runPass(run, 1),
})

/** The same with more effort. A job of its own, so that new patches do not wait for it. */
export const improvePatch = job<FilePair>({
  name: 'updates.improve-patch',
  ...limits,
  handle: (run) => runPass(run, 2),
})

async function runPass({ core, data, signal, finish }: Run<FilePair>, pass: Pass): Promise<void> {
  const pair = await readPair(core.sql, data)
  if (!pair || (pair.pass ?? 0) >= pass) return
  const { from_file, to_file } = data
  const { game_uid } = pair.to
  const folder = await makeTemporaryFolder(core)
  const uid = uuidv7()
  const key = patchKey({ uid, game_uid })
  try {
    const made = await makePatch(core, pair, { folder, pass, signal })
    // The second pass must be better than the first.
    const patch = made && made.size < (pair.size ?? Number.POSITIVE_INFINITY) ? made : undefined
    if (patch) await core.storage.put(key, createReadStream(patch.path), { fresh: true })
    crashPoint('patch-stored')
    const is_used = await finish(async (tx) => {
      const bytes = (patch?.size ?? 0) - (pair.size ?? 0)
      const fits = !patch || (await reserveQuota(core, tx, { game_uid, sender, bytes }))
      if (pass === 2 && !(patch && fits)) {
        await markImproved(tx, data)
        return false
      }
      const record = fieldsOf(fits ? patch : undefined)
      const { saved, replaced } = await savePatch(tx, {
        uid,
        game_uid,
        from_file,
        to_file,
        pass,
        ...record,
      })
      if (replaced && saved)
        await core.jobs.send(tx, 'builds.remove-objects', {
          keys: [patchKey({ uid: replaced, game_uid })],
        })
      crashPoint('patch-recording')
      return saved && fits
    })
    crashPoint('patch-recorded')
    if (patch && !is_used) await core.storage.discard(key)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const sender = 'developers'

const fieldsOf = (patch: MadePatch | undefined) => ({
  format: patch?.format ?? ZSTD_FORMAT,
  size: patch?.size ?? null,
  sha256: patch?.sha256 ?? null,
  full_size: patch?.full_size ?? null,
})

/** A folder for the files of a run. Those of runs that were killed are removed. */
async function makeTemporaryFolder({ config }: Core): Promise<string> {
  const parent = join(config.data_dir, 'patches')
  await makeFolder(parent)
  for (const name of await readdir(parent)) {
    const path = join(parent, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats && Date.now() - stats.mtimeMs > DAY_MS)
      await rm(path, { recursive: true, force: true })
  }
  return mkdtemp(join(parent, 'run-'))
}

/** From so many downloads on, a smaller patch is worth the work. */
export const POPULAR_DOWNLOADS = 20
const MAX_IMPROVED = 20

export const improvePatches = job({
  name: 'updates.improve-patches',
  schedule: '23 * * * *',
  async handle({ core, finish }) {
    const pairs = await findPopularPatches(core.sql, POPULAR_DOWNLOADS, MAX_IMPROVED)
    await finish(async (tx) => {
      for (const { from_file, to_file } of pairs)
        await core.jobs.send(
          tx,
          'updates.improve-patch',
          { from_file, to_file },
          { key: `${from_file} ${to_file}` },
        )
    })
  },
})

/** Removes patches to builds that no channel delivers, and the bytes of those without a record. */
export const sweepPatches = job({
  name: 'updates.sweep-patches',
  schedule: '53 4 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    await core.sql.begin(async (tx) => {
      const keys = (await deleteOldPatches(tx)).map(patchKey)
      if (keys.length) await core.jobs.send(tx, 'builds.remove-objects', { keys })
    })
    const findOrphans = async (keys: string[]) => {
      const recorded = await findRecordedPatches(core.sql, keys.map(uidOf))
      return keys.filter((key) => !recorded.has(uidOf(key)))
    }
    const isCandidate = (key: string, now: Date) => isOldUid(uidOf(key), now)
    const prefixes = ['patches/']
    await removeOrphans(core, { name: 'patches', prefixes, isCandidate, findOrphans, signal })
  },
})

const uidOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
