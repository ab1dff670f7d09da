import { parentInAnswer } from '../relations/parent.ts'
import type { ChildAudience, ParentAndChildrenRow } from './queries.ts'

const isInAudience = (audience: ChildAudience, sees_adult: boolean) =>
  audience === 'everyone' || (audience === 'adults' && sees_adult)

/** The fields of an answer about the parent and the children of a listing. */
export const parentAndChildren = (row: ParentAndChildrenRow, sees_adult: boolean) => ({
  parent: parentInAnswer(row),
  parent_game: row.parent_game,
  has_mods: isInAudience(row.mods_audience, sees_adult),
  has_tools: isInAudience(row.tools_audience, sees_adult),
})

/** Whether an answer for viewers who see adult listings differs from that for others. */
export const dependsOnViewer = ({ mods_audience, tools_audience }: ParentAndChildrenRow) =>
  mods_audience === 'adults' || tools_audience === 'adults'
