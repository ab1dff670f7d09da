import type { Sql, Tx } from '../../core/database/sql.ts'

export type AccountRow = {
  user_uid: string
  account_ref: string | null
  /** The account that the person disconnected last. */
  disconnected_ref: string | null
  charges_enabled: boolean
  requirements: string[]
  checked_at: Date | null
  legal_name: string
  address: string
  tax_id: string
  tax_basis_points: number
}
export type TaxDetails = Pick<AccountRow, 'legal_name' | 'address' | 'tax_id' | 'tax_basis_points'>

const columns = (sql: Sql | Tx) => sql`
  user_uid, account_ref, disconnected_ref, charges_enabled, requirements, checked_at, legal_name,
  address, tax_id, tax_basis_points`

export async function findAccount(
  sql: Sql | Tx,
  user_uid: string,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    select ${columns(sql)}
    from payment_accounts
    where user_uid = ${user_uid}`
  return row
}

export async function findAccountByRef(
  sql: Sql | Tx,
  account_ref: string,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    select ${columns(sql)}
    from payment_accounts
    where account_ref = ${account_ref}`
  return row
}

/** What the provider says about an account; the first account of a person stays theirs. */
export async function saveAccountState(
  sql: Sql | Tx,
  user_uid: string,
  state: { account_ref: string; charges_enabled: boolean; requirements: string[] },
): Promise<void> {
  const { account_ref, charges_enabled, requirements } = state
  await sql`
    insert into payment_accounts as a
      (user_uid, account_ref, charges_enabled, requirements, checked_at)
    values (${user_uid}, ${account_ref}, ${charges_enabled}, ${requirements}, now())
    on conflict (user_uid) do update
    set account_ref = coalesce(a.account_ref, excluded.account_ref),
      charges_enabled = excluded.charges_enabled, requirements = excluded.requirements,
      checked_at = now()
    where excluded.account_ref is distinct from a.disconnected_ref`
}

/** The store has no access to the account any more; the person can set up another. */
export async function disconnectAccount(
  sql: Sql | Tx,
  user_uid: string,
  account_ref: string,
): Promise<void> {
  await sql`
    update payment_accounts
    set account_ref = null, disconnected_ref = ${account_ref}, charges_enabled = false,
      requirements = '{}', checked_at = now()
    where user_uid = ${user_uid} and account_ref = ${account_ref}`
}

export async function saveTaxDetails(
  sql: Sql | Tx,
  user_uid: string,
  details: TaxDetails,
): Promise<void> {
  const { legal_name, address, tax_id, tax_basis_points } = details
  await sql`
    insert into payment_accounts (user_uid, legal_name, address, tax_id, tax_basis_points)
    values (${user_uid}, ${legal_name}, ${address}, ${tax_id}, ${tax_basis_points})
    on conflict (user_uid) do update
    set legal_name = excluded.legal_name, address = excluded.address, tax_id = excluded.tax_id,
      tax_basis_points = excluded.tax_basis_points`
}

export async function readEmail(sql: Sql | Tx, user_uid: string): Promise<string> {
  const [row] = await sql<{ email: string }[]>`select email from users where uid = ${user_uid}`
  return row?.email ?? ''
}
