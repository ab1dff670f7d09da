import type { Tx } from '../core/database/sql.ts'

/** Each returns false if the review or tag is in that state already. */
export async function removeReview(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update all_reviews
    set removed_at = now()
    where uid = ${uid} and removed_at is null`
  return count === 1
}

export async function restoreReview(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update all_reviews
    set removed_at = null
    where uid = ${uid} and removed_at is not null`
  return count === 1
}

export async function removeCommunityTag(tx: Tx, game_uid: string, tag: string): Promise<boolean> {
  const { count } = await tx`
    update community_tags
    set removed_at = now()
    where game_uid = ${game_uid} and tag = ${tag} and removed_at is null`
  return count === 1
}

export async function restoreCommunityTag(tx: Tx, game_uid: string, tag: string): Promise<boolean> {
  const { count } = await tx`
    update community_tags
    set removed_at = null
    where game_uid = ${game_uid} and tag = ${tag} and removed_at is not null`
  return count === 1
}
