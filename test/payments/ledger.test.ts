import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../../src/core/database/sql.ts'
import { findLedgerProblems } from '../../src/payments/ledger/queries.ts'
import { startApp } from '../support/app.ts'

const ORDERS = 1000

/** Paid orders with their transactions in the ledger. */
async function insertOrders(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      insert into orders (uid, provider, title, seller, currency, list_minor, amount_minor,
        tax_minor, fee_minor, state, expires_at, paid_at)
      select gen_random_uuid(), 'manual', 'Game', '{}', 'USD', 1000, 1000, 0, 100, 'paid',
        now(), now()
      from generate_series(1, ${ORDERS})`
    await tx`
      insert into ledger_transactions (uid, fact, order_uid, kind, currency)
      select gen_random_uuid(), 'payment:' || uid, uid, 'payment', 'USD'
      from orders`
    await tx`
      insert into ledger_entries (transaction_uid, position, account, amount_minor)
      select t.uid, e.position, e.account, e.amount_minor
      from ledger_transactions t
      cross join (values (1, 'buyer', -1000), (2, 'seller', 900), (3, 'store', 100))
        as e (position, account, amount_minor)`
  })
}

/** How many entries of the ledger the statements of this connection have read. */
async function readEntries(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as count
    from pg_stat_xact_user_tables
    where relname = 'ledger_entries'`
  return row!.count
}

test('the ledger is compared with the orders in few passes, however many there are', async (t) => {
  const { sql } = await startApp(t)
  await insertOrders(sql)
  await sql.begin(async (tx) => {
    const before = await readEntries(tx as unknown as Sql)
    assert.equal((await findLedgerProblems(tx)).length, 0)
    const reads = (await readEntries(tx as unknown as Sql)) - before
    assert.ok(reads <= 3 * ORDERS * 4, `${reads} reads of ${3 * ORDERS} entries`)
  })
})
