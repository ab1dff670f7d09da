import type { Sql } from '../../core/database/sql.ts'
import { emptyProfile, type Profile } from './profile.ts'

export async function readProfile(sql: Sql, user_uid: string): Promise<Profile> {
  const [row] = await sql<Profile[]>`
    select bio, links, is_public
    from profiles
    where user_uid = ${user_uid}`
  return row ?? emptyProfile
}

export async function saveProfile(sql: Sql, user_uid: string, profile: Profile): Promise<void> {
  const { bio, links, is_public } = profile
  await sql`
    insert into profiles (user_uid, bio, links, is_public)
    values (${user_uid}, ${bio}, ${links}, ${is_public})
    on conflict (user_uid) do update
    set bio = excluded.bio, links = excluded.links, is_public = excluded.is_public,
      updated_at = now()`
}
