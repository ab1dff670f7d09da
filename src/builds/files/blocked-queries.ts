import type { Sql, Tx } from '../../core/database/sql.ts'

const HASHES_PER_STATEMENT = 20_000

/**
 * Until the end of the transaction no hash is blocked, so what it stores is either checked against
 * a block or found by the sweep that blocks. Call it before other locks, as a sweep does.
 */
export async function holdBlockedHashes(tx: Tx): Promise<void> {
  await tx`lock table blocked_hashes in row share mode`
}

/** Waits for the transactions that store content, and keeps others from starting. */
export async function lockBlockedHashes(tx: Tx): Promise<void> {
  await tx`lock table blocked_hashes in exclusive mode`
}

/** Which of these hashes, in hex, are blocked. */
export async function findBlocked(
  sql: Sql | Tx,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const blocked = new Set<string>()
  const [any] = await sql`select from blocked_hashes limit 1`
  if (!any) return blocked
  for (let start = 0; start < hashes.length; start += HASHES_PER_STATEMENT) {
    const batch = hashes.slice(start, start + HASHES_PER_STATEMENT)
    const rows = await sql<{ sha256: string }[]>`
      select encode(b.sha256, 'hex') as sha256
      from unnest(${batch}::text[]) as candidate (hash)
      join blocked_hashes b on b.sha256 = decode(candidate.hash, 'hex')`
    for (const { sha256 } of rows) blocked.add(sha256)
  }
  return blocked
}

type Block = { sweep_uid: string; blocked_by: string }

/** Returns how many were not blocked before. */
export async function blockHashes(
  tx: Tx,
  hashes: readonly string[],
  { sweep_uid, blocked_by }: Block,
): Promise<number> {
  const { count } = await tx`
    insert into blocked_hashes (sha256, sweep_uid, blocked_by)
    select distinct decode(hash, 'hex'), ${sweep_uid}::uuid, ${blocked_by}::uuid
    from unnest(${hashes as string[]}::text[]) as hash
    on conflict (sha256) do nothing`
  return count
}

/** Returns false if the hash was not blocked. */
export async function unblockHash(tx: Tx, hash: string): Promise<boolean> {
  const { count } = await tx`delete from blocked_hashes where sha256 = decode(${hash}, 'hex')`
  return count === 1
}

export type BlockedHash = {
  sha256: string
  sweep_uid: string | null
  blocked_by: string | null
  blocked_at: Date
}

/** Blocked hashes, newest first. */
export async function listBlocked(
  sql: Sql,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: BlockedHash[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    sql<BlockedHash[]>`
      select encode(b.sha256, 'hex') as sha256, b.sweep_uid, u.username as blocked_by, b.blocked_at
      from blocked_hashes b
      left join users u on u.uid = b.blocked_by
      order by b.blocked_at desc, b.sha256
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from blocked_hashes`,
  ])
  return { items, total: counted!.total }
}
