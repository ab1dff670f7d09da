import { contentOf, RENDITIONS } from '../assets/images/renditions.ts'
import type { Core } from '../core/runtime/core.ts'
import { DAY } from '../core/runtime/units.ts'
import { isUuid } from '../core/security/crypto.ts'
import type { ListedObject } from '../core/storage/storage.ts'
import { unusedContent } from '../listings/media/queries.ts'
import type { Run } from './command.ts'
import { expectedObjects, stillExpected } from './storage-queries.ts'

const AT_ONCE = 16
const KEYS_A_QUERY = 500
/** Temporary objects of uploads and of the storage health check, which remove them themselves. */
const PASSING = /^(uploads\/|probe$)/

export type Findings = {
  /** Records whose object is missing or has another size. */
  missing: string[]
  /** Objects without a record, except those younger than a day, which may still get one. */
  orphans: ListedObject[]
  /** Objects under prefixes that this version does not use. */
  unknown: ListedObject[]
  counted: { records: number; objects: number; bytes: number }
}

export async function checkStorage({
  core,
  progress,
  signal,
}: Pick<Run, 'core' | 'progress' | 'signal'>): Promise<Findings> {
  const findings: Findings = {
    missing: [],
    orphans: [],
    unknown: [],
    counted: { records: 0, objects: 0, bytes: 0 },
  }
  for await (const rows of expectedObjects(core.sql)) {
    signal.throwIfAborted()
    const wrong = (
      await inGroups(rows, async (row) => ({ row, found: await core.storage.stat(row.key) }))
    ).filter(({ row, found }) => !found || (row.size !== null && found.size !== row.size))
    const named = wrong.length
      ? await stillExpected(
          core.sql,
          wrong.map(({ row }) => row.key),
        )
      : new Set()
    for (const { row, found } of wrong)
      if (named.has(row.key))
        findings.missing.push(
          `${row.of}: ${row.key} ${found ? `has ${found.size} bytes, not ${row.size}` : 'is not there'}`,
        )
    findings.counted.records += rows.length
    progress(`${findings.counted.records} records looked at`)
  }
  let batch: ListedObject[] = []
  const judge = async () => {
    await sortOut(core, batch, findings)
    batch = []
    progress(
      `${findings.counted.records} records and ${findings.counted.objects} objects looked at`,
    )
  }
  for await (const object of core.storage.list('')) {
    signal.throwIfAborted()
    findings.counted.objects++
    findings.counted.bytes += object.size
    if (batch.push(object) === KEYS_A_QUERY) await judge()
  }
  await judge()
  return findings
}

async function inGroups<T, U>(items: readonly T[], ask: (item: T) => Promise<U>): Promise<U[]> {
  const answers: U[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    answers.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(ask))))
  return answers
}

const owned = /^(builds|symbols|images|crashes|bugs)\//

async function sortOut(
  { sql }: Core,
  objects: ListedObject[],
  { orphans, unknown }: Findings,
): Promise<void> {
  const renditions = objects.filter(({ key }) => key.startsWith(RENDITIONS))
  const ours = objects.filter(({ key }) => owned.test(key))
  unknown.push(
    ...objects.filter(
      (object) =>
        !renditions.includes(object) && !ours.includes(object) && !PASSING.test(object.key),
    ),
  )
  const known = await stillExpected(
    sql,
    ours.map(({ key }) => key),
  )
  orphans.push(...ours.filter(({ key }) => !known.has(key) && !isYoung(key)))
  const unused = new Set(
    await unusedContent(sql, [...new Set(renditions.map(({ key }) => contentOf(key) ?? ''))]),
  )
  orphans.push(...renditions.filter(({ key }) => unused.has(contentOf(key) ?? '')))
}

/**
 * Whether the object was created within the last day. The first 48 bits of a uid are its creation
 * time. The key of an image has no uid, so images are removed only a day after they are reported.
 */
function isYoung(key: string): boolean {
  const uid = key.match(/[0-9a-f-]{36}/g)?.findLast(isUuid)
  return (
    uid !== undefined &&
    !key.startsWith('images/') &&
    Date.now() - Number.parseInt(uid.replaceAll('-', '').slice(0, 12), 16) < DAY * 1000
  )
}

/**
 * Removes the objects that still have no record, which is checked again for each batch. Images are
 * left to a job that runs a day later, because a new one may belong to an upload in progress.
 */
export async function removeOrphans(
  { core, progress, signal }: Pick<Run, 'core' | 'progress' | 'signal'>,
  orphans: ListedObject[],
) {
  const pictures = orphans
    .filter(({ key }) => key.startsWith('images/'))
    .map(({ key }) => key.slice(key.lastIndexOf('/') + 1))
  if (pictures.length)
    await core.jobs.send(
      core.sql,
      'listings.remove-images',
      { sha256s: pictures },
      { after_seconds: DAY },
    )
  const others = orphans.filter(({ key }) => !key.startsWith('images/'))
  let removed = 0
  for (let at = 0; at < others.length; at += KEYS_A_QUERY) {
    signal.throwIfAborted()
    const batch = others.slice(at, at + KEYS_A_QUERY).map(({ key }) => key)
    const named = await stillExpected(core.sql, batch)
    const gone = batch.filter((key) => !named.has(key))
    await inGroups(gone, (key) => core.storage.remove(key))
    removed += gone.length
    progress(`${removed} of ${others.length} removed`)
  }
  return { removed, tomorrow: pictures.length }
}
