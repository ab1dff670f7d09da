import type { Sql } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { mayUseAgents } from '../people/queries.ts'

/** Refuses a credential for one project unless agents of the person may work on that project. */
export async function requireAgentAccess(
  sql: Sql,
  user_uid: string,
  game_uid: string,
): Promise<void> {
  const allowed = isUuid(game_uid) ? await mayUseAgents(sql, user_uid, game_uid) : undefined
  if (allowed === undefined) refuse('NOT_FOUND')
  if (!allowed) refuse('ADMIN_AGENTS_OFF')
}
