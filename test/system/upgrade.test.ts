import assert from 'node:assert/strict'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { random } from '../../demo/random.ts'
import { migrate } from '../../src/core/database/migrate.ts'
import { startReceiver } from '../bugs/receivers.ts'
import { runJourney } from '../constellation/user-journey.ts'
import { startExtstoreApp } from '../extstore/fixtures.ts'
import { temporaryFolder } from '../support/app.ts'
import { childService } from '../support/child.ts'

/**
 * What the next version may add by the rules of docs/upgrading.md: columns, a default, an index.
 */
const expanded = (table: string) => `
  alter table "${table}"
    add column expand_note text,
    add column expand_flag boolean not null default false;
  create index on "${table}" (expand_note) where expand_note is not null;`

/** The current migrations, followed by one for each table. */
function nextVersion(folder: string, tables: string[]): number {
  cpSync(join(import.meta.dirname, '../../migrations'), folder, { recursive: true })
  const last = Number(readdirSync(folder).sort().at(-1)!.slice(0, 4))
  for (const [nth, table] of tables.entries()) {
    const number = String(last + 1 + nth).padStart(4, '0')
    writeFileSync(join(folder, `${number}_expand_${nth}.sql`), expanded(table))
  }
  return tables.length
}

test('older processes serve and restart while a newer version expands the schema', async (t) => {
  const { url, data_dir, store, sql, settings, get } = await startExtstoreApp(t)
  const receiver = await startReceiver(t)
  const steps = new Set<string>()
  const journey = (seed: string) =>
    runJourney({
      url,
      data_dir,
      store,
      receiver,
      random: random(seed),
      onStep: (name, retries) => {
        assert.equal(retries, 0, name)
        steps.add(name)
      },
    })
  // Prepare every statement against the old tables first.
  await journey('before')
  assert.ok(steps.size > 30, [...steps].join(', '))
  const tables = await sql`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')
      and not relispartition`
  const names = tables
    .map(({ name }) => name as string)
    .filter((name) => name !== 'schema_migrations')
  const folder = temporaryFolder(t)
  const added = nextVersion(folder, names)
  assert.ok(added > 40)
  await Promise.all([
    journey('meanwhile'),
    migrate(settings.DATABASE_URL, pino({ level: 'silent' }), folder),
  ])
  await journey('after')
  assert.equal(
    (await sql`select from schema_migrations where name like '%_expand_%'`).length,
    added,
  )
  const older = childService(t, { ...settings, PORT: '0', SLIPWAY_ROLES: 'api' })
  assert.equal(
    (await fetch(`${await older.start()}/api/v1/public/search?q=journey`)).status,
    200,
    'the older version does not start with the newer schema',
  )
  assert.equal((await get('/health')).status, 200)
})
