import type { Sql, Tx } from '../../core/database/sql.ts'

export type Role = 'operator' | 'moderator'

/** The role of a person in the moderation team; operators have every right of moderators. */
export async function moderationRole(sql: Sql | Tx, user_uid: string): Promise<Role | undefined> {
  const [row] = await sql<{ role: Role }[]>`
    select 'operator' as role from operators where user_uid = ${user_uid}
    union all
    select 'moderator' from moderators where user_uid = ${user_uid}
    limit 1`
  return row?.role
}

/** Whether this changed anything. */
export async function setModerator(
  tx: Tx,
  user_uid: string,
  moderator: boolean,
  made_by: string | null,
): Promise<boolean> {
  const { count } = moderator
    ? await tx`
        insert into moderators (user_uid, made_by)
        values (${user_uid}, ${made_by})
        on conflict do nothing`
    : await tx`delete from moderators where user_uid = ${user_uid}`
  return count === 1
}

export type TeamMember = { username: string; role: Role; since: Date }

export async function listModerationTeam(sql: Sql): Promise<TeamMember[]> {
  return sql<TeamMember[]>`
    select u.username, case when o.user_uid is null then 'moderator' else 'operator' end as role,
      coalesce(o.made_at, m.made_at) as since
    from users u
    left join operators o on o.user_uid = u.uid
    left join moderators m on m.user_uid = u.uid
    where o.user_uid is not null or m.user_uid is not null
    order by role desc, lower(u.username)`
}
