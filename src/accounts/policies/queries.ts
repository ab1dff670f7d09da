import type { Sql, Tx } from '../../core/database/sql.ts'
import type { PolicyKind } from './policies.ts'

export type PolicyVersion = {
  kind: PolicyKind
  version: number
  summary: string
  /** A day in UTC, as 2027-01-31. */
  effective_from: string
  published_at: Date
  /** Who published it; null for a deleted account. */
  username: string | null
}

const versionColumns = (sql: Sql | Tx) => sql`
  p.kind, p.version, p.summary, p.effective_from::text as effective_from, p.published_at,
  u.username`

/** All versions of one kind or of all, newest first. */
export async function listPolicyVersions(
  sql: Sql,
  kind: PolicyKind | null,
): Promise<PolicyVersion[]> {
  return sql<PolicyVersion[]>`
    select ${versionColumns(sql)}
    from policies p
    left join users u on u.uid = p.user_uid
    where p.kind = ${kind} or ${kind}::text is null
    order by p.kind, p.version desc`
}

export async function readPolicyText(
  sql: Sql,
  kind: PolicyKind,
  version: number,
): Promise<string | undefined> {
  const [row] = await sql<{ text: string }[]>`
    select text from policies where kind = ${kind} and version = ${version}`
  return row?.text
}

export type NewPolicy = {
  kind: PolicyKind
  text: string
  summary: string
  effective_from: string
  user_uid: string
  /** The newest version that the author knew; null accepts any. */
  previous_version: number | null
}

/** The number of the new version; undefined if another was published since `previous_version`. */
export async function insertPolicy(tx: Tx, policy: NewPolicy): Promise<number | undefined> {
  const { kind, text, summary, effective_from, user_uid, previous_version } = policy
  // New versions are rare. One after the other, they have consecutive numbers.
  await tx`lock table policies in share row exclusive mode`
  const [row] = await tx<{ newest: number }[]>`
    select coalesce(max(version), 0) as newest from policies where kind = ${kind}`
  const newest = row!.newest
  if (previous_version !== null && previous_version !== newest) return undefined
  await tx`
    insert into policies (kind, version, text, summary, effective_from, user_uid)
    values (${kind}, ${newest + 1}, ${text}, ${summary}, ${effective_from}, ${user_uid})`
  return newest + 1
}
