import { isEditor, isOwner } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'

/**
 * The states that moderators give to listings and images. A listing that is taken down is not in
 * the view `listings`, so every query treats it as missing; see migration 0057.
 */

/** Locks a listing, also one that is taken down, or that its owner deleted and can restore. */
export async function lockModeratedListing(tx: Tx, uid: string): Promise<boolean> {
  const [row] = await tx`
    select
    from all_listings
    where uid = ${uid}
    for no key update`
  return row !== undefined
}

/** Each returns false if the listing is in that state already. */
export async function takeDown(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update all_listings
    set taken_down_at = now()
    where uid = ${uid} and taken_down_at is null`
  return count === 1
}

export async function hideFromDiscovery(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update all_listings
    set hidden_at = now()
    where uid = ${uid} and hidden_at is null`
  return count === 1
}

/** Ends one state or both. A page that was public before it was hidden is public again. */
export async function restoreModerated(
  tx: Tx,
  uid: string,
  ends: { take_down: boolean; hide: boolean },
): Promise<boolean> {
  const taken_down = ends.take_down
    ? await tx`
        update all_listings
        set taken_down_at = null
        where uid = ${uid} and taken_down_at is not null`
    : { count: 0 }
  const hidden = ends.hide
    ? await tx`
        update all_listings
        set hidden_at = null, public_before_hidden = false,
          visibility = case when public_before_hidden then 'public' else visibility end,
          public_since = case when public_before_hidden then now() else public_since end
        where uid = ${uid} and hidden_at is not null`
    : { count: 0 }
  return taken_down.count + hidden.count > 0
}

export type TakenDownListing = { uid: string; name: string; is_owner: boolean }

/** A listing that moderators took down, by its uid or name, for the people who edit it. */
export async function findTakenDown(
  sql: Sql,
  game: string,
  user_uid: string,
): Promise<TakenDownListing | undefined> {
  const [row] = await sql<TakenDownListing[]>`
    select l.uid, l.name, ${isOwner(sql, user_uid)} as is_owner
    from all_listings l
    where l.deleted_at is null and l.taken_down_at is not null and ${isEditor(sql, user_uid)}
      and ${isUuid(game) ? sql`l.uid = ${game}` : sql`l.vanity_name = ${game}`}`
  return row
}

export async function isHiddenFromDiscovery(sql: Sql, uid: string): Promise<boolean> {
  const [row] = await sql`select from listings where uid = ${uid} and hidden_at is not null`
  return row !== undefined
}

/** Sets an image of a listing or a profile aside; false if there is none. */
export async function removeImage(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    with listing_image as (
      delete from listing_images i where i.uid = ${uid} returning to_jsonb(i) as image
    ), profile_image as (
      delete from profile_images i where i.uid = ${uid} returning to_jsonb(i) as image
    ), removed as (
      select image from listing_image union all select image from profile_image
    )
    insert into removed_images (uid, game_uid, user_uid, sha256, image)
    select ${uid}, (image ->> 'game_uid')::uuid, (image ->> 'user_uid')::uuid,
      image ->> 'sha256', image
    from removed`
  return count === 1
}

/**
 * Puts an image back: at the end of the gallery if it was in it, or if its listing has another
 * cover or thumbnail by now. An avatar or banner that was replaced stays aside.
 */
export async function restoreImage(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    with listing_image as (
      insert into listing_images
      select (jsonb_populate_record(null::listing_images, r.image || jsonb_build_object(
        'slot', case when replaced.is_replaced then 'gallery' else r.image ->> 'slot' end,
        'position', case
          when replaced.is_replaced or r.image ->> 'slot' = 'gallery'
          then (
            select count(*) from listing_images i
            where i.game_uid = r.game_uid and i.slot = 'gallery')
          else 0 end))).*
      from removed_images r
      cross join lateral (
        select exists (
          select
          from listing_images i
          where i.game_uid = r.game_uid and i.slot = r.image ->> 'slot' and i.slot <> 'gallery'
        ) as is_replaced) replaced
      where r.uid = ${uid} and r.game_uid is not null
      returning uid
    ), profile_image as (
      insert into profile_images
      select (jsonb_populate_record(null::profile_images, r.image)).*
      from removed_images r
      where r.uid = ${uid} and r.user_uid is not null
      on conflict do nothing
      returning uid
    )
    delete from removed_images
    where uid in (select uid from listing_image union all select uid from profile_image)`
  return count === 1
}
