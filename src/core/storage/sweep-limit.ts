import type { Sql } from '../database/sql.ts'
import type { Core } from '../runtime/core.ts'
import type { OwnerRefusal } from './owner.ts'

/** A sweep may remove this share of all objects, and always this many. */
const MAX_SHARE = 0.01
const ALWAYS_ALLOWED = 100
/** The nightly run after an operator allowed it, and some time. */
const ALLOWED_HOURS = 30

export type SweepResult = {
  name: string
  objects: number
  orphans: number
  limit: number
  is_refused: boolean
}

/** How many objects a sweep may remove. The other sweeps have counted theirs in their last run. */
export async function largestSweep(sql: Sql, name: string, objects: number): Promise<number> {
  const [row] = await sql<{ others: number }[]>`
    select coalesce(sum(objects), 0)::bigint as others
    from storage_sweeps
    where name <> ${name} and objects > 0`
  return sweepLimit(Number(row!.others) + objects)
}

export const sweepLimit = (objects: number) =>
  Math.max(ALWAYS_ALLOWED, Math.floor(objects * MAX_SHARE))

export async function isSweepAllowed(sql: Sql, name: string): Promise<boolean> {
  const rows = await sql`
    select
    from storage_sweeps
    where name = ${name} and allowed_until > now()`
  return rows.length > 0
}

export async function saveSweep(
  { sql, log }: Pick<Core, 'sql' | 'log'>,
  { name, objects, orphans, limit, is_refused }: SweepResult,
): Promise<void> {
  await sql`
    insert into storage_sweeps (name, objects, orphans, refused_at)
    values (${name}, ${objects}, ${orphans}, ${is_refused ? sql`now()` : null})
    on conflict (name) do update
    set objects = excluded.objects,
      orphans = excluded.orphans,
      ran_at = now(),
      refused_at = case
        when excluded.refused_at is null then null
        else coalesce(storage_sweeps.refused_at, now())
      end,
      allowed_until = null`
  if (is_refused)
    log.error(
      { sweep: name, orphans, objects, limit },
      'a clean-up of the object store would remove too many objects, so it removed none: check ' +
        'with "npm run admin -- storage check", then confirm in the console or with "storage ' +
        'confirm"; see "When the clean-up of objects is refused" in docs/backup.md',
    )
}

/** Lets the refused sweeps remove any number of objects in their next run; returns their names. */
export async function allowSweeps(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    update storage_sweeps
    set allowed_until = now() + ${ALLOWED_HOURS} * interval '1 hour', refused_at = null
    where refused_at is not null
    returning name`
  return rows.map(({ name }) => name)
}

export type CleanUpState = {
  refusal: OwnerRefusal | null
  sweeps: { name: string; orphans: number; objects: number }[]
}

/** Why objects are not removed, as the last check of any process found it. */
export async function readCleanUpState(sql: Sql): Promise<CleanUpState> {
  const [owner] = await sql<Pick<CleanUpState, 'refusal'>[]>`
    select refusal
    from storage_owner`
  const sweeps = await sql<CleanUpState['sweeps']>`
    select name, orphans, objects
    from storage_sweeps
    where refused_at is not null
    order by name`
  return { refusal: owner?.refusal ?? null, sweeps }
}
