import type { Sql } from '../../core/database/sql.ts'
import { parentInAnswer } from '../relations/parent.ts'
import {
  type AdultChildren,
  type ChildAudience,
  type ParentAndChildrenRow,
  readOwnAdultChildren,
} from './queries.ts'

type Viewer = { user_uid: string; show_adult: boolean } | null
/** Which adult children of a listing a viewer sees: all, none, or those of some kinds. */
export type SeenAdult = boolean | AdultChildren

const isInAudience = (audience: ChildAudience, sees_adult: boolean) =>
  audience === 'everyone' || (audience === 'adults' && sees_adult)

/** The fields of an answer about the parent and the children of a listing. */
export function parentAndChildren(row: ParentAndChildrenRow, seen: SeenAdult) {
  const { mods, tools } = typeof seen === 'boolean' ? { mods: seen, tools: seen } : seen
  return {
    parent: parentInAnswer(row),
    parent_game: row.parent_game,
    has_mods: isInAudience(row.mods_audience, mods),
    has_tools: isInAudience(row.tools_audience, tools),
  }
}

/** Whether an answer for viewers who see adult listings differs from that for others. */
export const dependsOnViewer = ({ mods_audience, tools_audience }: ParentAndChildrenRow) =>
  mods_audience === 'adults' || tools_audience === 'adults'

/**
 * Which adult children of each of these listings a viewer sees: those who opted in see all, others
 * only those that they run themselves.
 */
export async function seenAdultChildren(
  sql: Sql,
  viewer: Viewer,
  rows: readonly (ParentAndChildrenRow & { uid: string })[],
): Promise<(uid: string) => SeenAdult> {
  const parents = viewer && !viewer.show_adult ? rows.filter(dependsOnViewer) : []
  if (!viewer || !parents.length) return () => viewer?.show_adult ?? false
  const own = await readOwnAdultChildren(
    sql,
    viewer.user_uid,
    parents.map(({ uid }) => uid),
  )
  return (uid) => own.get(uid) ?? false
}
