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
    select uid, module_name, debug_id, os, arch, size, checksum, created_at from symbols
    where game_uid = ${game_uid} and build_uid = ${build_uid} order by module_name, debug_id`
}

/** The same module of the same build replaces what was there; answers what it replaced. */
export async function replaceSymbols(
  tx: Tx,
  game_uid: string,
  build_uid: string,
  symbols: NewSymbol[],
): Promise<string[]> {
  const replaced: string[] = []
  for (const { module_name, debug_id, ...symbol } of symbols) {
    const gone = await tx`
      delete from symbols where build_uid = ${build_uid} and module_name = ${module_name} and debug_id = ${debug_id} returning uid`
    replaced.push(...gone.map(({ uid }) => uid as string))
    await tx`insert into symbols ${tx({ ...symbol, module_name, debug_id, game_uid, build_uid })}`
  }
  return replaced
}

/** One of a build's, or all of them; answers which. */
export async function deleteSymbols(
  tx: Tx,
  game_uid: string,
  build_uid: string,
  uid?: string,
): Promise<string[]> {
  const gone = await tx`
    delete from symbols where game_uid = ${game_uid} and build_uid = ${build_uid} ${uid ? tx`and uid = ${uid}` : tx``} returning uid`
  return gone.map((row) => row.uid as string)
}
