import type { Sql, Tx } from '../../core/database/sql.ts'
import type { SymbolModule } from './symbols.ts'

export type SymbolRow = SymbolModule & {
  uid: string
  size: number
  checksum: string
  created_at: Date
}
export type NewSymbol = Omit<SymbolRow, 'created_at'>

export async function listSymbols(
  sql: Sql | Tx,
  game_uid: string,
  build_uid: string,
): Promise<SymbolRow[]> {
  return sql<SymbolRow[]>`
    select uid, module_name, debug_id, os, arch, size, checksum, created_at
    from symbols
    where game_uid = ${game_uid} and build_uid = ${build_uid}
    order by module_name, debug_id`
}

/** Replaces symbols of the same module in the same build; returns the uids of the replaced ones. */
export async function replaceSymbols(
  tx: Tx,
  game_uid: string,
  build_uid: string,
  symbols: NewSymbol[],
): Promise<string[]> {
  const replaced: string[] = []
  for (const { module_name, debug_id, ...symbol } of symbols) {
    const deleted = await tx`
      delete from symbols
      where build_uid = ${build_uid} and module_name = ${module_name} and debug_id = ${debug_id}
      returning uid`
    replaced.push(...deleted.map(({ uid }) => uid as string))
    await tx`insert into symbols ${tx({ ...symbol, module_name, debug_id, game_uid, build_uid })}`
  }
  return replaced
}

/** Deletes one symbol file of a build, or all of them; returns the deleted uids. */
export async function deleteSymbols(
  tx: Tx,
  game_uid: string,
  build_uid: string,
  uid?: string,
): Promise<string[]> {
  const deleted = await tx`
    delete from symbols
    where game_uid = ${game_uid} and build_uid = ${build_uid} ${uid ? tx`and uid = ${uid}` : tx``}
    returning uid`
  return deleted.map((symbol) => symbol.uid as string)
}
