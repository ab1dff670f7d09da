import type { Sql, Tx } from '../../core/database/sql.ts'
import { recordAudit } from '../people/audit-queries.ts'
import { setOperator } from '../people/operator-queries.ts'

/** Every start of a process without an operator makes a link. Older ones stay valid meanwhile. */
const MAX_LINKS = 20

export type SetupLink = { uid: string; token_hash: Buffer; expires_at: Date }

export async function insertSetupLink(sql: Sql, link: SetupLink): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`insert into setup_links ${tx(link)}`
    await tx`
      delete from setup_links
      where expires_at < now()
        or uid not in (select uid from setup_links order by uid desc limit ${MAX_LINKS})`
  })
}

export async function listSetupLinks(sql: Sql): Promise<Pick<SetupLink, 'uid' | 'token_hash'>[]> {
  return sql`select uid, token_hash from setup_links where expires_at > now()`
}

/**
 * Makes a person the first operator and ends all links. False if the link was used or has expired
 * meanwhile, or somebody else is an operator.
 */
export async function claimSetup(tx: Tx, link_uid: string, user_uid: string): Promise<boolean> {
  // One person after the other, also if they have different links.
  await tx`lock table operators in share row exclusive mode`
  const [row] = await tx`
    select from setup_links
    where uid = ${link_uid} and expires_at > now()
      and not exists (select from operators)`
  if (!row) return false
  await setOperator(tx, user_uid, true)
  await tx`delete from setup_links`
  await recordAudit(tx, { user_uid, game_uid: null, action: 'accounts.set-up' })
  return true
}
