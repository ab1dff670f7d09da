import type { Sql, Tx } from '../../core/database/sql.ts'
import type { StoreLink } from '../fields/store-links.ts'

export async function replaceStoreLinks(
  tx: Tx,
  game_uid: string,
  links: StoreLink[],
): Promise<void> {
  await tx`delete from listing_store_links where game_uid = ${game_uid}`
  if (links.length)
    await tx`
      insert into listing_store_links
      ${tx(links.map(({ platform, url }) => ({ game_uid, platform, url })))}`
}

export async function readStoreLinks(
  sql: Sql | Tx,
  game_uid: string,
): Promise<{ platform: StoreLink['platform']; url: string }[]> {
  return sql<{ platform: StoreLink['platform']; url: string }[]>`
    select platform, url
    from listing_store_links
    where game_uid = ${game_uid}
    order by platform`
}
