import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'

export async function deviceExists(
  sql: Sql,
  user_uid: string,
  device_hash: Buffer,
): Promise<boolean> {
  const [row] = await sql`
    select from known_devices
    where user_uid = ${user_uid} and device_hash = ${device_hash}`
  return row !== undefined
}

/** Remembers the device. Returns whether it is new to an account that has others. */
export async function rememberDevice(
  tx: Tx,
  user_uid: string,
  device_hash: Buffer,
): Promise<boolean> {
  const [device] = await tx<{ is_unfamiliar: boolean }[]>`
    with others as (
      select count(*) as count, count(*) filter (where device_hash = ${device_hash}) as same
      from known_devices
      where user_uid = ${user_uid})
    insert into known_devices (user_uid, device_hash)
    values (${user_uid}, ${device_hash})
    on conflict (user_uid, device_hash) do update
    set last_used_at = now()
    returning (select count > 0 and same = 0 from others) as is_unfamiliar`
  return device!.is_unfamiliar
}

/** Then the next sign-in on any of them counts as the first. */
export async function forgetDevices(tx: Tx, user_uid: string): Promise<void> {
  await tx`delete from known_devices where user_uid = ${user_uid}`
}

export async function sweepDevices(tx: Tx): Promise<void> {
  await tx`
    delete from known_devices
    where last_used_at < now() - ${retention.known_device_days} * interval '1 day'`
}
