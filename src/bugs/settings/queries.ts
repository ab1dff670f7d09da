import type { Sql, Tx } from '../../core/database/sql.ts'
import { defaultSettings, type Settings } from './settings.ts'

export async function readSettings(sql: Sql | Tx, game_uid: string): Promise<Settings> {
  const [settings] = await sql<Settings[]>`
    select enabled, daily_cap, webhook_urls
    from bug_reporters
    where game_uid = ${game_uid}`
  return settings ?? defaultSettings
}

/** Reads the settings, which nobody else can change until the transaction ends. */
export async function lockSettings(tx: Tx, game_uid: string): Promise<Settings> {
  await tx`insert into bug_reporters (game_uid) values (${game_uid}) on conflict do nothing`
  const [settings] = await tx<Settings[]>`
    select enabled, daily_cap, webhook_urls
    from bug_reporters
    where game_uid = ${game_uid}
    for no key update`
  return settings!
}

export async function saveSettings(
  tx: Tx,
  game_uid: string,
  { enabled, daily_cap, webhook_urls }: Settings,
): Promise<void> {
  await tx`
    update bug_reporters set
      enabled = ${enabled}, daily_cap = ${daily_cap}, webhook_urls = ${webhook_urls},
      updated_at = now()
    where game_uid = ${game_uid}`
}
