import type { Sql, Tx } from '../../core/database/sql.ts'
import { uuidv7 } from '../../core/security/crypto.ts'

export type AuditEntry = {
  /** Null when an administrator acted from the command line. */
  user_uid: string | null
  game_uid: string | null
  /** module.verb */
  action: string
  /** Never contains a secret. */
  detail?: Record<string, string | number | boolean>
}

/** Call it in the transaction of the action. */
export async function recordAudit(
  tx: Sql | Tx,
  { user_uid, game_uid, action, detail = {} }: AuditEntry,
): Promise<void> {
  await tx`
    insert into audit_entries (uid, user_uid, game_uid, action, detail)
    values (${uuidv7()}, ${user_uid}, ${game_uid}, ${action}, ${tx.json(detail)})`
}
