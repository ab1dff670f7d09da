import type { Sql, Tx } from '../sql.ts'

/** The schemas of a database of ours: our tables, and those of the job queue. */
const schemas = ['public', 'pgboss']
/**
 * Tables that the job queue fills by itself: its version belongs to the code, statistics and index
 * builds to the server.
 */
const queueInternals = ['version', 'bam', 'queue_stats', 'warning']
/** Marks a database whose restore has not ended. */
export const RESTORE_MARKER = 'restore_in_progress'

export type TableName = { schema: string; name: string }
export type Table = TableName & { columns: string[] }
export type Sequence = TableName & { last_value: string; is_called: boolean }

export const quoted = ({ schema, name }: TableName) => `${quoteName(schema)}.${quoteName(name)}`
export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`

/**
 * Every table with the columns that have values of their own. Partitions belong to their parent.
 * Transaction numbers mean nothing in another server, which fills in its own.
 */
export async function readTables(sql: Sql | Tx): Promise<Table[]> {
  return [
    ...(await sql<Table[]>`
      select n.nspname as schema, c.relname as name,
        array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid
      where n.nspname = any(${schemas})
        and c.relkind in ('r', 'p')
        and not c.relispartition
        and not (n.nspname = 'pgboss' and c.relname = any(${queueInternals}))
        and c.relname <> ${RESTORE_MARKER}
        and a.attnum > 0
        and not a.attisdropped
        and a.attgenerated = ''
        and a.atttypid <> 'xid8'::regtype
      group by n.nspname, c.relname
      order by n.nspname, c.relname`),
  ]
}

export async function readSequences(sql: Sql | Tx): Promise<Sequence[]> {
  const names = await sql<TableName[]>`
    select n.nspname as schema, c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${schemas}) and c.relkind = 'S'
    order by n.nspname, c.relname`
  const sequences: Sequence[] = []
  for (const name of names) {
    const [state] = await sql<{ last_value: string; is_called: boolean }[]>`
      select last_value::text, is_called
      from ${sql(name.schema)}.${sql(name.name)}`
    sequences.push({ ...name, ...state! })
  }
  return sequences
}

/** The days that have tables of events: partitions, which the migrations do not make. */
export async function readEventDays(sql: Sql | Tx): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select distinct substring(pg_get_expr(c.relpartbound, c.oid) from '[0-9]{4}-[0-9]{2}-[0-9]{2}') as day
    from pg_class c
    join pg_inherits i on i.inhrelid = c.oid
    where i.inhparent in (to_regclass('public.event_packs'), to_regclass('public.event_keys'))
    order by 1`
  return rows.map(({ day }) => day)
}

/** The version of the job queue's tables, if there are any. */
export async function readQueueVersion(sql: Sql | Tx): Promise<number | null> {
  const [table] = await sql<{ name: string | null }[]>`
    select to_regclass('pgboss.version')::text as name`
  if (!table!.name) return null
  const [row] = await sql<{ version: number }[]>`select version from pgboss.version`
  return row?.version ?? null
}

/** A table or the like that somebody made in this database; undefined if it is empty. */
export async function findAnyTable(sql: Sql | Tx): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select n.nspname || '.' || c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and n.nspname !~ '^pg_'
      and n.nspname <> 'information_schema'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1
    limit 1`
  return row?.name
}

export async function isRestoring(sql: Sql | Tx): Promise<boolean> {
  const [row] = await sql<{ name: string | null }[]>`
    select to_regclass(${`public.${RESTORE_MARKER}`})::text as name`
  return row!.name !== null
}

export type ForeignKey = { table: string; name: string; definition: string }

export async function readForeignKeys(sql: Sql | Tx): Promise<ForeignKey[]> {
  return [
    ...(await sql<ForeignKey[]>`
      select c.conrelid::regclass::text as table, quote_ident(c.conname) as name,
        pg_get_constraintdef(c.oid) as definition
      from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      where c.contype = 'f' and c.conparentid = 0 and n.nspname = any(${schemas})
      order by 1, 2`),
  ]
}

/** The triggers that run for ordinary changes, by table. Clones of partitions follow their parent. */
export async function readTriggers(sql: Sql | Tx): Promise<{ table: string; name: string }[]> {
  return [
    ...(await sql<{ table: string; name: string }[]>`
      select t.tgrelid::regclass::text as table, quote_ident(t.tgname) as name
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      join pg_namespace n on n.oid = c.relnamespace
      where not t.tgisinternal and t.tgenabled = 'O' and t.tgparentid = 0
        and c.relkind in ('r', 'p')
        and n.nspname = any(${schemas})
      order by 1, 2`),
  ]
}

/** Removes what an interrupted restore has made. The database was empty before. */
export async function dropEverything(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`drop schema if exists pgboss cascade`
    await tx.unsafe(`
      do $$
      declare
        command text;
      begin
        -- Tables come first: they take the sequences of their columns with them.
        for command in
          select format('drop %s if exists %I.%I cascade',
            case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
              when 'S' then 'sequence' else 'table' end,
            n.nspname, c.relname)
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = 'public'
            and c.relkind in ('v', 'm', 'r', 'p', 'S')
            and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
          order by c.relkind = 'S'
        loop
          execute command;
        end loop;
        for command in
          select format('drop routine if exists %s cascade', p.oid::regprocedure)
          from pg_proc p
          where p.pronamespace = 'public'::regnamespace
            and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        loop
          execute command;
        end loop;
      end $$`)
  })
}
