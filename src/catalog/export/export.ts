import type { Core } from '../../core/runtime/core.ts'
import { showCard } from '../cards/cards.ts'
import { type ExportRow, readExport } from './queries.ts'

const BATCH = 250

/**
 * The catalog as lines of JSON, from the listing after a cursor. Each batch is read when the one before was taken, so that memory stays the same
 * however long it goes on, and nothing is sent that had stopped being public by then. Every line has the cursor to go on from after it.
 */
export async function* exportLines(
  core: Core,
  cursor: number,
  most: number,
): AsyncGenerator<string> {
  let after = cursor
  for (let left = most; left > 0; ) {
    const size = Math.min(BATCH, left)
    const rows = await core.read((sql) => readExport(sql, after, size), core.slow)
    yield rows.map((row) => line(core, row)).join('')
    if (rows.length < size) return
    after = rows.at(-1)!.asset_id
    left -= rows.length
  }
}

function line({ addresses }: Core, { asset_id, ...row }: ExportRow): string {
  const { owner_uid: _named_as_developer, ...shown } = row
  return `${JSON.stringify({ ...shown, ...showCard(addresses, row), cursor: String(asset_id) })}\n`
}
