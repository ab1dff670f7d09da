import type { Sql, Tx } from '../../core/database/sql.ts'
import type { StoredImage } from '../media/store.ts'
import { type ProfileSlot, profileSlots } from './image-rules.ts'
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

/** The hashes of the images of a person; null where there is none. */
export type ProfileImages = Record<ProfileSlot, string | null>

export async function readProfileImages(sql: Sql | Tx, user_uid: string): Promise<ProfileImages> {
  const rows = await sql<{ slot: ProfileSlot; sha256: string }[]>`
    select slot, sha256
    from profile_images
    where user_uid = ${user_uid}`
  const images: ProfileImages = { avatar: null, banner: null }
  for (const { slot, sha256 } of rows) images[slot] = sha256
  return images
}

type NewImage = StoredImage & { uid: string }

export async function replaceProfileImage(
  tx: Tx,
  user_uid: string,
  slot: ProfileSlot,
  { uid, sha256, type, width, height, size }: NewImage,
): Promise<void> {
  const image = { uid, sha256, type, width, height, size }
  await tx`
    insert into profile_images ${tx({ ...image, user_uid, slot })}
    on conflict (user_uid, slot) do update set ${tx({ ...image, created_at: new Date() })}`
}

/** Returns the hashes of what was removed. */
export async function deleteProfileImages(
  tx: Tx,
  user_uid: string,
  slots: readonly ProfileSlot[] = profileSlots,
): Promise<string[]> {
  const rows = await tx<{ sha256: string }[]>`
    delete from profile_images
    where user_uid = ${user_uid} and slot = any(${slots as string[]}::text[])
    returning sha256`
  return rows.map(({ sha256 }) => sha256)
}
