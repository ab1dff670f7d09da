import { webhookRules } from '../../bugs/deliveries/webhook-url.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { writeSetting } from '../../core/settings/queries.ts'
import {
  defaultSettings,
  type SettingName,
  type StoreSettings,
  settingNames,
  variableOf,
} from '../../core/settings/table.ts'
import { checkSettings } from './check-settings.ts'
import { findUnknownListings } from './queries.ts'

/** Null restores the default. */
export type SettingChanges = Partial<Record<SettingName, unknown>>

function checkNotFixed({ config }: Core, changes: SettingChanges): void {
  const fixed = settingNames.find((name) => name in changes && name in config.fixed_settings)
  if (!fixed) return
  const variable = variableOf(fixed)
  refuse(
    'SETTING_FIXED',
    { setting: fixed },
    explain('setting_fixed', `${variable} is set in the environment; change it there`, {
      variable,
    }),
  )
}

/** Refuses changes that are not valid together with the settings as they are. */
export async function checkChanges(core: Core, changes: SettingChanges): Promise<void> {
  checkNotFixed(core, changes)
  await core.settings.reload()
  const next = Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      value ?? defaultSettings[name as SettingName],
    ]),
  )
  checkSettings({ ...core.settings.current, ...next }, webhookRules(core))
  if (changes.picks) await checkPicks(core, changes.picks as StoreSettings['picks'])
}

/** A pick whose listing is deleted later is left out of the shelf; a new one must exist. */
async function checkPicks({ sql }: Core, picks: StoreSettings['picks']): Promise<void> {
  const refs = picks.map(({ listing }) => listing)
  const [unknown] = refs.length ? await findUnknownListings(sql, refs) : []
  if (unknown === undefined) return
  const field = `picks[${refs.indexOf(unknown)}].listing`
  const explanation = explain('pick_unknown', `${field}: there is no listing ${unknown}`, {
    ref: unknown,
  })
  refuse('MALFORMED', { field }, explanation)
}

/**
 * Changes settings, all or none, and records who did it: null at the command line. The values have
 * the types of the table.
 */
export async function changeSettings(
  core: Core,
  changes: SettingChanges,
  user_uid: string | null,
): Promise<void> {
  await checkChanges(core, changes)
  await core.sql.begin(async (tx) => {
    for (const [name, value] of Object.entries(changes))
      await writeSetting(tx, { name, value, user_uid })
  })
  await core.settings.reload()
}
