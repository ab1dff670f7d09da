import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openPool } from '../../../src/core/database/sql.ts'
import { sealedColumns } from '../../../src/core/security/sealed-columns.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'

/** Columns of bytes that are not sealed: hashes, fingerprints and public keys. */
const PLAIN_COLUMNS = new Set([
  'access_keys.key_hash',
  'blocked_hashes.sha256',
  'crash_groups.group_key',
  'crash_uploads.token_hash',
  'crashes.report_key',
  'deploy_keys.secret_hash',
  'deploy_keys.token_hash',
  'extstore_sign_in.auth_key_hash',
  'file_entries.sha256',
  'invitations.token_hash',
  'known_devices.device_hash',
  'mails.recipient_hash',
  'oauth_records.grant_hash',
  'oauth_records.id_hash',
  'oauth_records.user_code_hash',
  'pack_contents.sha256',
  'passkeys.public_key',
  'recovery_codes.code_hash',
  'redeem_keys.hash',
  'reports.network_hash',
  'reports.reporter_hash',
  'sessions.device_hash',
  'sessions.token_hash',
  'setup_links.token_hash',
  'sweep_matches.sha256',
  'sweeps.hashes',
])

/** The files that seal values, and the tables that they store them in. */
const SEALING_FILES = {
  'src/accounts/second-factor/routes.ts': 'account_secrets',
  'src/agents/oauth/adapter.ts': 'oauth_records',
  'src/core/database/idempotency-keys.ts': 'idempotency_keys',
  'src/core/security/rotate-secrets.ts': 'every table',
  'src/core/settings/store-secrets.ts': 'store_secrets',
}

test('every column of bytes is sealed and rotated, or known as not sealed', async (t) => {
  const sql = openPool(await freshDatabase(t), 1, 'test')
  cleanup(t, () => sql.end())
  const columns = await sql<{ name: string }[]>`
    select c.table_name || '.' || c.column_name as name
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public'
      and t.table_type = 'BASE TABLE'
      and c.udt_name in ('bytea', '_bytea')
    order by 1`
  const sealed = sealedColumns.map((column) => `${column.table}.${column.sealed}`)
  assert.deepEqual(
    columns.map(({ name }) => name).filter((name) => !PLAIN_COLUMNS.has(name)),
    sealed.sort(),
    'a new column of bytes is listed in sealedColumns or in PLAIN_COLUMNS',
  )
  for (const { table, owner, key_version, field } of sealedColumns) {
    const names = [owner, key_version, ...('column' in field ? [field.column] : [])]
    const rows = await sql`
      select from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and column_name = any(${names})`
    assert.equal(rows.length, names.length, table)
  }
})

test('values are sealed only where their column is known', () => {
  const sealing = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && path !== 'src/core/security/secrets.ts')
    .filter((path) => /\bseal\(/.test(readFileSync(path, 'utf8')))
  assert.deepEqual(sealing.sort(), Object.keys(SEALING_FILES).sort())
  const tables = new Set(sealedColumns.map(({ table }) => table))
  for (const table of Object.values(SEALING_FILES))
    assert.ok(table === 'every table' || tables.has(table), table)
})
