import type { OpenAppeal } from './queries.ts'

type Appealed = Pick<
  OpenAppeal,
  'moderator_uid' | 'subject_uid' | 'moderator' | 'others' | 'subject_in_team'
>

/** Whether a member of the team may decide an appeal; `decideAppeal` refuses everybody else. */
export function mayDecideAppeal(
  { moderator_uid, subject_uid, others, subject_in_team }: Appealed,
  { user_uid, is_operator }: { user_uid: string; is_operator: boolean },
): boolean {
  if (subject_uid === user_uid || (subject_in_team && !is_operator)) return false
  return moderator_uid !== user_uid || others.length === 0
}

/** Others than who decided first; that person only if there is nobody else. */
export const decidersOf = ({ others, moderator }: Appealed): string[] =>
  others.length || moderator === null ? others : [moderator]
