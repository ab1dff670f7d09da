import type { Sql, Tx } from '../../core/database/sql.ts'

export type Invitation = {
  uid: string
  note: string
  max_uses: number
  uses: number
  may_publish: boolean
  created_at: Date
  expires_at: Date
}

type NewInvitation = Pick<
  Invitation,
  'uid' | 'note' | 'max_uses' | 'may_publish' | 'expires_at'
> & {
  token_hash: Buffer
  created_by: string
}

export async function insertInvitation(
  sql: Sql | Tx,
  invitation: NewInvitation,
): Promise<InvitationRow> {
  await sql`insert into invitations ${sql(invitation)}`
  return (await findInvitationRow(sql, invitation.uid))!
}

const columns = (sql: Sql | Tx) => sql`
  i.uid, i.note, i.max_uses, i.uses, i.may_publish, i.created_at, i.expires_at`

export async function findInvitation(
  sql: Sql | Tx,
  token_hash: Buffer,
): Promise<Invitation | undefined> {
  const [row] = await sql<Invitation[]>`
    select ${columns(sql)}
    from invitations i
    where i.token_hash = ${token_hash}`
  return row
}

/** Takes one use, unless another person took the last one. */
export async function takeInvitation(
  tx: Tx,
  token_hash: Buffer,
  user_uid: string,
): Promise<Invitation | undefined> {
  const [row] = await tx<Invitation[]>`
    update invitations i
    set uses = i.uses + 1
    where i.token_hash = ${token_hash} and i.uses < i.max_uses and i.expires_at > now()
    returning ${columns(tx)}`
  if (row)
    await tx`
      insert into invitation_uses (user_uid, invitation_uid)
      values (${user_uid}, ${row.uid})`
  return row
}

export type InvitationRow = Invitation & {
  /** Who made it; null once that account is deleted. */
  created_by: string | null
  /** Who signed up with it. */
  usernames: string[]
}

const MAX_USERNAMES = 50

const rowColumns = (sql: Sql | Tx) => sql`
  ${columns(sql)},
  (select u.username from users u where u.uid = i.created_by) as created_by,
  array(
    select u.username
    from invitation_uses s
    join users u on u.uid = s.user_uid
    where s.invitation_uid = i.uid
    order by s.used_at, u.username
    limit ${MAX_USERNAMES}) as usernames`

export async function findInvitationRow(
  sql: Sql | Tx,
  uid: string,
): Promise<InvitationRow | undefined> {
  const [row] = await sql<InvitationRow[]>`
    select ${rowColumns(sql)}
    from invitations i
    where i.uid::text = ${uid}`
  return row
}

/** The newest first. */
export async function listInvitations(
  sql: Sql,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: InvitationRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    sql<InvitationRow[]>`
      select ${rowColumns(sql)}
      from invitations i
      order by i.created_at desc, i.uid desc
      limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total from invitations`,
  ])
  return { rows, total: counted!.total as number }
}

/** Ends an invitation. Accounts that were made with it stay. */
export async function endInvitation(sql: Sql, uid: string): Promise<InvitationRow | undefined> {
  await sql`
    update invitations
    set expires_at = least(expires_at, now())
    where uid::text = ${uid}`
  return findInvitationRow(sql, uid)
}
