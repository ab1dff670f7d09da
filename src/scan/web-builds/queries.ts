import { objectUid } from '../../builds/files/queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { WebReport } from '../../listings/fields/web-build.ts'
import type { StoredFile } from '../stored-zip.ts'

export type CheckedWebBuild = WebReport & {
  /** The limits that the build was compared with. */
  limits: string
}

/** Stores what the check of a build for browsers found; a trigger renews the page. */
export async function saveWebCheck(
  tx: Sql | Tx,
  file_uid: string,
  { problem, detail, warnings, limits }: CheckedWebBuild,
): Promise<void> {
  await tx`
    update files
    set web_problem = ${problem}, web_detail = ${detail}, web_limits = ${limits},
      web_warnings = ${tx.json(warnings)}
    where uid = ${file_uid}`
}

/** Clean builds for browsers after a uid that were not checked, or with other limits. */
export async function findUncheckedWebBuilds(
  sql: Sql,
  limits: string,
  { after, count }: { after: string; count: number },
): Promise<(StoredFile & { uid: string })[]> {
  return sql<(StoredFile & { uid: string })[]>`
    select f.uid, ${objectUid(sql)} as object_uid, f.game_uid, f.size
    from files f
    where f.os = 'web' and f.scan = 'clean' and f.web_limits is distinct from ${limits}
      and f.uid > ${after}
    order by f.uid
    limit ${count}`
}
