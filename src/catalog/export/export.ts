import type { Core } from '../../core/runtime/core.ts'
import { parentInAnswer } from '../../listings/relations/parent.ts'
import { showTrailers } from '../../listings/trailers/edit.ts'
import { showCard } from '../cards/cards.ts'
import { type ExportRow, readExport } from './queries.ts'

const BATCH = 250

/**
 * The catalog as lines of JSON, from the listing after a cursor. Each batch is read when the
 * previous one has been consumed, so memory use does not depend on the length of the export, and
 * nothing is sent that has stopped being public by then. Every line contains the cursor to continue
 * from.
 */
export async function* exportLines(
  core: Core,
  cursor: number,
  limit: number,
): AsyncGenerator<string> {
  let after = cursor
  for (let remaining = limit; remaining > 0; ) {
    const size = Math.min(BATCH, remaining)
    const rows = await core.read((sql) => readExport(sql, after, size), core.slow)
    yield rows.map((row) => line(core, row)).join('')
    if (rows.length < size) return
    after = rows.at(-1)!.asset_id
    remaining -= rows.length
  }
}

function line({ addresses }: Core, { asset_id, ...row }: ExportRow): string {
  const { parent_external_name, parent_external_url, trailers: videos, ...card_row } = row
  // The card contains these as `developer`, `platforms`, `creator_avatar` and `sale`.
  const {
    owner_uid: _,
    systems: _systems,
    avatar: _avatar,
    sale_facts: _sale,
    ...fields
  } = card_row
  const parent = parentInAnswer(row)
  const card = showCard(addresses, card_row)
  const trailers = showTrailers(addresses, videos)
  return `${JSON.stringify({ ...fields, ...card, trailers, parent, cursor: String(asset_id) })}\n`
}
