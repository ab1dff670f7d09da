import type { Sql, Tx } from '../core/database/sql.ts'
import type { TagVotes } from './community-tags.ts'

export type CommunityTag = TagVotes & { hidden: boolean; shown: boolean }

/** Players may suggest any number of different tags; the list has those with the most votes. */
const MAX_LISTED = 500

/**
 * The caller has locked the listing (`withLockedListing`), so two lists of one player never mix.
 * Unchanged suggestions are not touched.
 */
export async function replaceSuggestions(
  tx: Tx,
  user_uid: string,
  game_uid: string,
  tags: string[],
): Promise<true> {
  await tx`
    delete from tag_suggestions
    where game_uid = ${game_uid} and user_uid = ${user_uid} and tag <> all(${tags}::text[])`
  await tx`
    insert into tag_suggestions (game_uid, user_uid, tag)
    select ${game_uid}, ${user_uid}, tag
    from unnest(${tags}::text[]) as tag
    on conflict (game_uid, user_uid, tag) do nothing`
  return true
}

export async function readSuggestions(
  tx: Tx,
  user_uid: string,
  game_uid: string,
): Promise<string[]> {
  const rows = await tx<{ tag: string }[]>`
    select tag
    from tag_suggestions
    where game_uid = ${game_uid} and user_uid = ${user_uid}
    order by tag collate "C"`
  return rows.map(({ tag }) => tag)
}

/** Every suggested tag, most suggested first, and whether the page shows it. */
export async function listCommunityTags(sql: Sql | Tx, game_uid: string): Promise<CommunityTag[]> {
  return sql<CommunityTag[]>`
    select c.tag, c.votes, c.hidden, s.tag is not null as shown
    from community_tags c
    left join shown_community_tags s on s.game_uid = c.game_uid and s.tag = c.tag
    where c.game_uid = ${game_uid} and (c.votes > 0 or c.hidden)
    order by c.votes desc, c.tag collate "C"
    limit ${MAX_LISTED}`
}

/** False when nobody suggested the tag. */
export async function setTagHidden(
  tx: Tx,
  game_uid: string,
  tag: string,
  hidden: boolean,
): Promise<boolean> {
  const { count } = await tx`
    update community_tags set hidden = ${hidden}
    where game_uid = ${game_uid} and tag = ${tag} and (votes > 0 or hidden)`
  return count === 1
}
