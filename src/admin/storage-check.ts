import { contentOf, RENDITIONS } from '../assets/images/renditions.ts'
import type { Core } from '../core/runtime/core.ts'
import { DAY, DAY_MS } from '../core/runtime/units.ts'
import { isUuid, uuidTime } from '../core/security/crypto.ts'
import { OWNER_KEY } from '../core/storage/owner-marker.ts'
import {
  expectedObjects,
  recordedPrefixes,
  stillExpected,
} from '../core/storage/recorded-objects.ts'
import type { ListedObject } from '../core/storage/storage.ts'
import { isSweepAllowed, saveSweep, sweepLimit } from '../core/storage/sweep-limit.ts'
import { isTrashKey } from '../core/storage/trash-key.ts'
import { unusedContent } from '../listings/media/queries.ts'
import { parseKey, RENDITION_PREFIX } from '../listings/renditions/rendition-rules.ts'
import { AdminError, type Run } from './command.ts'

const CONCURRENCY = 16
const KEYS_PER_QUERY = 500
const isRecorded = (key: string) => recordedPrefixes.some((prefix) => key.startsWith(prefix))
/** Temporary objects of uploads and of the storage health check, which remove them themselves. */
const TEMPORARY = /^(uploads\/|probe$)/
/** The name under which operators allow `storage check --remove` to remove many objects. */
export const CHECK_SWEEP = 'storage-check'

const isRendition = (key: string) => key.startsWith(RENDITIONS) || key.startsWith(RENDITION_PREFIX)
/** The hash of the image that a rendition was made from. */
const originalOf = (key: string) => contentOf(key) ?? parseKey(key)?.sha256 ?? ''

export type Findings = {
  /** Records whose object is missing or has another size. */
  missing: string[]
  /** Objects without a record, except those younger than a day, which may still get one. */
  orphans: ListedObject[]
  /** Objects under prefixes that this version does not use. */
  unknown: ListedObject[]
  counted: {
    records: number
    objects: number
    bytes: number
    /** Removed objects, which are not among the others. */
    trash: number
    trash_bytes: number
  }
}

type CheckRun = Pick<Run, 'core' | 'progress' | 'signal'>

export async function checkStorage(run: CheckRun): Promise<Findings> {
  const findings: Findings = {
    missing: [],
    orphans: [],
    unknown: [],
    counted: { records: 0, objects: 0, bytes: 0, trash: 0, trash_bytes: 0 },
  }
  await checkRecords(run, findings)
  await checkObjects(run, findings)
  return findings
}

/** Finds records whose object is missing or has another size. */
async function checkRecords(
  { core, progress, signal }: CheckRun,
  { missing, counted }: Findings,
): Promise<void> {
  for await (const rows of expectedObjects(core.sql)) {
    signal.throwIfAborted()
    const checked = await inGroups(rows, async (row) => ({
      row,
      object: await core.storage.stat(row.key),
    }))
    const mismatches = checked.filter(
      ({ row, object }) => !object || (row.size !== null && object.size !== row.size),
    )
    const expected = await stillExpected(
      core.sql,
      mismatches.map(({ row }) => row.key),
    )
    for (const { row, object } of mismatches) {
      if (!expected.has(row.key)) continue
      const problem = object ? `has ${object.size} bytes, not ${row.size}` : 'is not there'
      missing.push(`${row.of}: ${row.key} ${problem}`)
    }
    counted.records += rows.length
    progress(`${counted.records} records checked`)
  }
}

/** Finds objects without a record, and objects with unknown names. */
async function checkObjects(
  { core, progress, signal }: CheckRun,
  findings: Findings,
): Promise<void> {
  const { counted } = findings
  let batch: ListedObject[] = []
  const flush = async () => {
    await classify(core, batch, findings)
    batch = []
    progress(`${counted.records} records and ${counted.objects} objects checked`)
  }
  for await (const object of core.storage.list('')) {
    signal.throwIfAborted()
    if (object.key === OWNER_KEY) continue
    if (isTrashKey(object.key)) {
      counted.trash++
      counted.trash_bytes += object.size
      continue
    }
    counted.objects++
    counted.bytes += object.size
    if (batch.push(object) === KEYS_PER_QUERY) await flush()
  }
  await flush()
}

/** Runs a task for each item, a few of them in parallel. */
export async function inGroups<T, U>(
  items: readonly T[],
  task: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = []
  for (let at = 0; at < items.length; at += CONCURRENCY)
    results.push(...(await Promise.all(items.slice(at, at + CONCURRENCY).map(task))))
  return results
}

async function classify(
  { sql }: Core,
  objects: ListedObject[],
  { orphans, unknown }: Findings,
): Promise<void> {
  const renditions = objects.filter(({ key }) => isRendition(key))
  const recorded = objects.filter(({ key }) => isRecorded(key))
  unknown.push(
    ...objects.filter(
      (object) =>
        !renditions.includes(object) && !recorded.includes(object) && !TEMPORARY.test(object.key),
    ),
  )
  const expected = await stillExpected(
    sql,
    recorded.map(({ key }) => key),
  )
  orphans.push(...recorded.filter(({ key }) => !expected.has(key) && !isYoung(key)))
  const unused = new Set(
    await unusedContent(sql, [...new Set(renditions.map(({ key }) => originalOf(key)))]),
  )
  orphans.push(...renditions.filter(({ key }) => unused.has(originalOf(key))))
}

/**
 * Whether the object was created within the last day, by the time in its uid. The key of an image
 * has no uid, so images are removed only a day after they are reported.
 */
function isYoung(key: string): boolean {
  const uid = key.match(/[0-9a-f-]{36}/g)?.findLast(isUuid)
  return uid !== undefined && !key.startsWith('images/') && Date.now() - uuidTime(uid) < DAY_MS
}

/** Nothing is removed where the nightly clean-up would refuse it. */
async function requireRemovable(core: Core, orphans: number, objects: number): Promise<void> {
  const confirm =
    'run "npm run admin -- storage confirm", then this again; see "When the clean-up of objects ' +
    'is refused" in docs/backup.md'
  const refusal = await core.owner.renew()
  if (refusal)
    throw new AdminError(
      `Nothing was removed: the objects may belong to another database (${refusal}). If they ` +
        `belong to this one, ${confirm}`,
    )
  const limit = sweepLimit(objects)
  const is_refused = orphans > limit && !(await isSweepAllowed(core.sql, CHECK_SWEEP))
  // Its objects are those that the nightly sweeps count too.
  await saveSweep(core, { name: CHECK_SWEEP, objects: 0, orphans, limit, is_refused })
  if (is_refused)
    throw new AdminError(
      `Nothing was removed: ${orphans} of ${objects} objects have no record, more than ${limit}. ` +
        `Check them with "storage check". If they may go, ${confirm}`,
    )
}

/** `scheduled` counts images, which a job removes a day later. */
export type Removed = { removed: number; scheduled: number }

/**
 * Removes the objects that still have no record, which is checked again for each batch. Images are
 * left to a job that runs a day later, because a new one may belong to an upload in progress.
 */
export async function removeOrphans(
  { core, progress, signal }: CheckRun,
  { orphans, counted: { objects } }: Pick<Findings, 'orphans' | 'counted'>,
): Promise<Removed> {
  await requireRemovable(core, orphans.length, objects)
  const image_hashes = orphans
    .filter(({ key }) => key.startsWith('images/'))
    .map(({ key }) => key.slice(key.lastIndexOf('/') + 1))
  if (image_hashes.length)
    await core.jobs.send(
      core.sql,
      'listings.remove-images',
      { sha256s: image_hashes },
      { after_seconds: DAY },
    )
  const others = orphans.filter(({ key }) => !key.startsWith('images/'))
  let removed = 0
  for (let at = 0; at < others.length; at += KEYS_PER_QUERY) {
    signal.throwIfAborted()
    const batch = others.slice(at, at + KEYS_PER_QUERY).map(({ key }) => key)
    const expected = await stillExpected(core.sql, batch)
    const removable = batch.filter((key) => !expected.has(key))
    await inGroups(removable, (key) => core.storage.remove(key))
    removed += removable.length
    progress(`${removed} of ${others.length} removed`)
  }
  return { removed, scheduled: image_hashes.length }
}
