import type { ChangelogItem } from '../builds/builds/fields.ts'
import type { LaunchHint } from '../builds/builds/launch-hint.ts'
import { objectUid } from '../builds/files/queries.ts'
import type { Sql } from '../core/database/sql.ts'

/** The uid of the object that a clean file is stored as. */
export async function readObjectUid(sql: Sql, file_uid: string): Promise<string | undefined> {
  const [row] = await sql<{ object_uid: string }[]>`
    select ${objectUid(sql)} as object_uid
    from files f
    where f.uid = ${file_uid} and f.scan = 'clean'`
  return row?.object_uid
}

/** How the build is started, as its registration says. */
export async function readLaunchHint(sql: Sql, build_uid: string): Promise<LaunchHint | null> {
  const [row] = await sql<{ launch: LaunchHint | null }[]>`
    select launch from builds where uid = ${build_uid}`
  return row?.launch ?? null
}

export type BuildNotes = {
  title: string
  description: string
  changelog_items: ChangelogItem[]
}

export async function readNotes(sql: Sql, build_uid: string): Promise<BuildNotes> {
  const [row] = await sql<BuildNotes[]>`
    select title, description, changelog_items from builds where uid = ${build_uid}`
  return row ?? { title: '', description: '', changelog_items: [] }
}
