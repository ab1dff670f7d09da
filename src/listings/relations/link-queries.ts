import { isEditor } from '../../accounts/people/role-queries.ts'
import type { Tx } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { DependencyKind, Target } from './relations.ts'

export type TargetRow = NonNullable<Target> & { owner_uid: string; is_editor: boolean }

/**
 * Finds listings by uid or vanity name and returns one entry for each reference, in order. The rows
 * are locked against deletion until the transaction ends, and with `lock_changes` also against
 * changes.
 */
export async function findListings(
  tx: Tx,
  refs: readonly string[],
  user_uid: string,
  { lock_changes = false } = {},
): Promise<(TargetRow | null)[]> {
  const uids = refs.filter(isUuid)
  const names = refs.filter((ref) => !isUuid(ref))
  const rows = await tx<(TargetRow & { vanity_name: string })[]>`
    select l.uid, l.vanity_name, l.asset_type, l.visibility, l.owner_uid,
      ${isEditor(tx, user_uid)} as is_editor
    from listings l
    where l.uid = any(${uids}::uuid[]) or l.vanity_name = any(${names})
    order by l.uid
    ${lock_changes ? tx`for share of l` : tx`for key share of l`}`
  return refs.map(
    (ref) => rows.find((row) => row.uid === ref.toLowerCase() || row.vanity_name === ref) ?? null,
  )
}

export async function replaceSimilar(tx: Tx, game_uid: string, uids: string[]): Promise<void> {
  await tx`delete from listing_similar where game_uid = ${game_uid}`
  if (uids.length)
    await tx`
      insert into listing_similar
      ${tx(uids.map((similar_uid, position) => ({ game_uid, position, similar_uid })))}`
}

export async function replaceDependencies(
  tx: Tx,
  game_uid: string,
  links: { uid: string; kind: DependencyKind }[],
): Promise<void> {
  await tx`delete from listing_dependencies where game_uid = ${game_uid}`
  if (links.length)
    await tx`
      insert into listing_dependencies
      ${tx(
        links.map(({ uid: target_uid, kind }, position) => ({
          game_uid,
          position,
          target_uid,
          kind,
        })),
      )}`
}

export async function readDependencyLinks(
  tx: Tx,
  game_uid: string,
): Promise<{ uid: string; kind: DependencyKind }[]> {
  return tx<{ uid: string; kind: DependencyKind }[]>`
    select target_uid as uid, kind
    from listing_dependencies
    where game_uid = ${game_uid}
    order by position`
}

/** Deletes the links of one kind, for a listing whose new type does not allow them. */
export async function dropDependencies(
  tx: Tx,
  game_uid: string,
  kind: DependencyKind,
): Promise<void> {
  await tx`delete from listing_dependencies where game_uid = ${game_uid} and kind = ${kind}`
}
