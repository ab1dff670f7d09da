import type { Sql } from '../../core/database/sql.ts'
import { type ExportedField, exportedFields } from '../../listings/fields/fields.ts'
import { fieldColumns } from '../../listings/fields/queries.ts'
import type { Listing } from '../../listings/listing/queries.ts'
import { whereForEveryone } from '../../listings/listing/visibility-queries.ts'
import { type Linked, parentGame } from '../../listings/page/queries.ts'
import { type TrailerRow, trailersColumn } from '../../listings/trailers/queries.ts'
import {
  type CardRow,
  cardColumns,
  communityTags,
  whereShownToSearchEngines,
} from '../cards/queries.ts'

type ExternalParent = 'parent_external_name' | 'parent_external_url'
type Columns = ExportedField | 'asset_id' | 'anonymous_downloads' | ExternalParent

export type ExportRow = CardRow &
  Pick<Listing, Columns> & {
    community_tags: string[]
    trailers: TrailerRow[]
    parent_game: Linked | null
  }

/**
 * The next listings in the order of their creation, which no edit changes. A parent is included
 * only while everyone may see it.
 */
export async function readExport(sql: Sql, after: number, limit: number): Promise<ExportRow[]> {
  return sql<ExportRow[]>`
    select l.asset_id, ${cardColumns(sql)},
      ${fieldColumns(sql, exportedFields)},
      l.anonymous_downloads,
      ${communityTags(sql)} as community_tags,
      ${trailersColumn(sql)} as trailers,
      l.parent_external_name, l.parent_external_url,
      ${parentGame(sql, whereForEveryone(sql, 'o'))} as parent_game
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereShownToSearchEngines(sql)} and l.asset_id > ${after}
    order by l.asset_id
    limit ${limit}`
}
