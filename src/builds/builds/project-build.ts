import type { Sql, Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { findBuild, type ProjectBuild } from './queries.ts'

/** The build that a private route names. One that the project does not have is always 4006. */
export async function findProjectBuild(
  sql: Sql | Tx,
  game_uid: string,
  build_id: string,
): Promise<ProjectBuild> {
  const build = isUuid(build_id) ? await findBuild(sql, game_uid, build_id) : undefined
  return build ?? refuse('BUILD_NOT_IN_PROJECT')
}
