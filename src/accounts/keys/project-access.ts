import type { Sql, Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { mayUseAgents } from '../people/queries.ts'
import { holdRoles } from '../revocation/queries.ts'

/** Refuses a credential for one project unless agents of the person may work on that project. */
export async function requireAgentAccess(
  sql: Sql | Tx,
  user_uid: string,
  game_uid: string,
): Promise<void> {
  const allowed = isUuid(game_uid) ? await mayUseAgents(sql, user_uid, game_uid) : undefined
  if (allowed === undefined) refuse('NOT_FOUND')
  if (!allowed) refuse('ADMIN_AGENTS_OFF')
}

/** As requireAgentAccess, and the person keeps the role until the transaction ends. */
export async function holdAgentAccess(tx: Tx, user_uid: string, game_uid: string): Promise<void> {
  await holdRoles(tx, game_uid)
  await requireAgentAccess(tx, user_uid, game_uid)
}
