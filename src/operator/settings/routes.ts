import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perAccount } from '../../core/security/limits.ts'
import { listSettingChanges } from '../../core/settings/queries.ts'
import { type SettingName, settingNames, settingsTable } from '../../core/settings/table.ts'
import { changeSettings } from './change.ts'

const SETTINGS = '/api/v1/private/operations/settings'
const MAX_CHANGES = 100

const schemas = Object.fromEntries(
  settingNames.map((name) => {
    const { schema, about } = settingsTable[name]
    return [name, { ...schema, description: about }]
  }),
) as unknown as { [Name in SettingName]: (typeof settingsTable)[Name]['schema'] }

const SettingsData = Type.Object({
  settings: Type.Object(schemas, { description: 'As they are in force' }),
  fixed: Type.Array(OneOf(settingNames), {
    description: 'Set by environment variables of the same name; they cannot be changed here',
  }),
  changes: Type.Array(
    Type.Object({
      uid: Uid,
      name: Type.String(),
      old_value: Nullable(Type.String()),
      new_value: Nullable(Type.String()),
      username: Nullable(Type.String()),
      changed_at: Timestamp,
    }),
    { description: 'The newest first' },
  ),
})

const asJson = (value: unknown) => (value === null ? null : JSON.stringify(value))

async function showSettings({ sql, settings, config }: Core) {
  const changes = await listSettingChanges(sql, MAX_CHANGES)
  return {
    settings: settings.current,
    fixed: Object.keys(config.fixed_settings) as SettingName[],
    changes: changes.map(({ old_value, new_value, changed_at, ...change }) => ({
      ...change,
      old_value: asJson(old_value),
      new_value: asJson(new_value),
      changed_at: changed_at.toISOString(),
    })),
  }
}

export const readSettingsRoute = route({
  method: 'GET',
  url: SETTINGS,
  summary: 'For operators: the settings of the store and who changed them',
  auth: operator,
  limits: [perAccount(60)],
  data: SettingsData,
  handle: ({ core }) => showSettings(core),
})

export const changeSettingsRoute = route({
  method: 'PATCH',
  url: SETTINGS,
  summary: 'For operators: change settings of the store; others stay',
  description: 'Null restores the default. All processes follow within a second.',
  auth: operator,
  limits: [perAccount(60)],
  body: Body(
    Object.fromEntries(
      settingNames.map((name) => {
        const { schema, about: description } = settingsTable[name]
        return [name, Type.Optional(Type.Union([schema, Type.Null()], { description }))]
      }),
    ),
  ),
  data: SettingsData,
  errors: ['SETTING_FIXED', 'COLOR_CONTRAST'],
  async handle({ core, who, body }) {
    await changeSettings(core, body, who.user_uid)
    return showSettings(core)
  },
})

export const settingRoutes = [readSettingsRoute, changeSettingsRoute]
