import type { Tx } from '../../core/database/sql.ts'

/** The state a file had before comes back when it leaves quarantine. */
const quarantined = (tx: Tx) => tx`scan = 'quarantined', scan_before_quarantine = scan`
const released = (tx: Tx) => tx`scan = scan_before_quarantine, scan_before_quarantine = null`

/** Each returns false if nothing changed. The caller must lock the listing first. */
export async function quarantineFile(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update files
    set ${quarantined(tx)}
    where uid = ${uid} and scan <> 'quarantined'`
  return count === 1
}

/** Also those that are uploaded to the build later. */
export async function quarantineBuild(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update builds
    set quarantined_at = now()
    where uid = ${uid} and quarantined_at is null`
  if (count !== 1) return false
  await tx`
    update files
    set ${quarantined(tx)}
    where build_uid = ${uid} and scan <> 'quarantined'`
  return true
}

/** The files that left quarantine and must be scanned. */
type Released = { files: number; unscanned: string[] }

const releasedFiles = (rows: readonly { uid: string; scan: string }[]): Released => ({
  files: rows.length,
  unscanned: rows.filter(({ scan }) => scan === 'scanning').map(({ uid }) => uid),
})

/** A file of a quarantined build stays in quarantine until its build is restored. */
export async function releaseFile(tx: Tx, uid: string): Promise<Released> {
  return releasedFiles(
    await tx<{ uid: string; scan: string }[]>`
      update files f
      set ${released(tx)}
      where f.uid = ${uid} and f.scan = 'quarantined'
        and not exists (
          select from builds b where b.uid = f.build_uid and b.quarantined_at is not null)
      returning f.uid, f.scan`,
  )
}

/** Undefined if the build is not in quarantine. Files that were decided on by themselves stay. */
export async function releaseBuild(
  tx: Tx,
  uid: string,
  staying_files: readonly string[],
): Promise<Released | undefined> {
  const { count } = await tx`
    update builds
    set quarantined_at = null
    where uid = ${uid} and quarantined_at is not null`
  if (count !== 1) return undefined
  return releasedFiles(
    await tx<{ uid: string; scan: string }[]>`
      update files
      set ${released(tx)}
      where build_uid = ${uid} and scan = 'quarantined'
        and uid <> all(${[...staying_files]}::uuid[])
      returning uid, scan`,
  )
}
