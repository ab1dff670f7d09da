import type { PendingQuery, Row } from 'postgres'
import {
  isAcceptedAdmin,
  isEditor,
  isOwner,
  type ListingAlias,
} from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'

/**
 * The rules of `visibility.ts` as conditions of a query. Partial indexes repeat some of them, so
 * their constants must stay in the text of the query.
 */
export const wherePublic = (sql: Sql | Tx, alias: ListingAlias = 'l') =>
  sql`${sql(alias)}.visibility = 'public'`

/** Listings whose page is not only for the people who edit it; see `isUnreleasedPage`. */
export const whereReleased = (sql: Sql | Tx) => sql`l.visibility in ('invisible', 'public')`

/** Listings in content that is the same for all viewers, such as shelves: public and not adult. */
export const whereForEveryone = (sql: Sql | Tx, alias: ListingAlias = 'l') =>
  sql`${wherePublic(sql, alias)} and not ${sql(alias)}.adult`

/** Listings that search engines may index; see `isIndexable`. */
export const whereIndexable = (sql: Sql | Tx, alias: ListingAlias = 'l') =>
  sql`${whereForEveryone(sql, alias)} and ${sql(alias)}.indexable`

/** Listings in search and in lists of children: public, and adult ones only with `sees_adult`. */
export const whereSearchable = (
  sql: Sql | Tx,
  sees_adult: boolean | PendingQuery<Row[]>,
  alias: ListingAlias = 'l',
) => sql`${wherePublic(sql, alias)} and (not ${sql(alias)}.adult or ${sees_adult})`

/**
 * Listings whose page a person may open as its owner or an admin, see `canOpenPage`: admins cannot
 * open a page that is visible to its owner only.
 */
export const whereOpenToEditor = (sql: Sql | Tx, user_uid: string | null) => sql`(
  ${isOwner(sql, user_uid)}
  or (l.visibility <> 'owner' and ${isAcceptedAdmin(sql, user_uid)})
)`

/** Listings that a person may see named: public ones, and hidden ones that they edit. */
export const whereNameable = (sql: Sql | Tx, user_uid: string, alias: ListingAlias = 'l') =>
  sql`(${wherePublic(sql, alias)} or ${isEditor(sql, user_uid, alias)})`
