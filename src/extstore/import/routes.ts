import { Type } from 'typebox'
import { website } from '../../accounts/sessions/schemes.ts'
import { Body, Nullable, OneOf, route, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { ErrorName } from '../../core/runtime/errors.ts'
import { DAY, perAccount } from '../../core/security/limits.ts'
import { inLine } from '../client/concurrency.ts'
import type { LinkRow } from '../sign-in/settings-queries.ts'
import { SettingsData, showSettings } from '../sign-in/settings-routes.ts'
import { groupNames } from './fields.ts'
import { importApp, previewImport, type Report, resync } from './import.ts'

/** Website-only, as the whole of the settings: the key of a publisher is not for agents. */

const Text = Type.String()
const entry = {
  field: Text,
  group: OneOf(groupNames),
  value: Type.Optional(Type.Unknown({ description: 'What the store has' })),
  old: Type.Optional(Type.Unknown({ description: 'What the listing has; absent for a new one' })),
  reason: Type.Optional(Text),
}
const Entries = Type.Array(Type.Object(entry))
const report = {
  imported: Entries,
  skipped: Entries,
  kept: Entries,
  not_imported: Type.Array(Type.Object({ field: Text, reason: Text })),
  screenshots: Type.Array(
    Type.Object({
      url: Text,
      width: Type.Optional(Type.Integer()),
      height: Type.Optional(Type.Integer()),
      imported: Type.Boolean(),
      reason: Type.Optional(Text),
    }),
  ),
}
const asked = {
  groups: Type.Optional(
    Type.Unknown({ description: `Some of ${groupNames.join(', ')}; left out, all` }),
  ),
  overwrite: Type.Optional(
    Type.Boolean({ description: 'Also fields that were edited here since the last import' }),
  ),
}
const app = {
  app_id: Type.Optional(
    Type.Unknown({ description: 'The number of the app, or a link to its store page' }),
  ),
  web_api_key: Type.Optional(
    Type.Unknown({ description: 'A publisher key that covers the app, 32 characters' }),
  ),
  game_uid: Type.Optional(
    Type.String({ description: 'A listing to import into; left out, a new draft' }),
  ),
}
const errors: ErrorName[] = [
  'DEVELOPER_MODE_REQUIRED',
  'INVALID_EXTSTORE_REQUEST',
  'NOT_FOUND',
  'NOT_A_PUBLISHER_KEY',
  'EXTSTORE_APP_REFUSED',
  'EXTSTORE_APP_TAKEN',
  'EXTSTORE_UNAVAILABLE',
]
const saving: ErrorName[] = [
  ...errors,
  'LISTING_CHECK_FAILED',
  'UNAVAILABLE',
  'EXTSTORE_NOT_LINKED',
]
const imports = [perAccount(10, { seconds: DAY, bucket: 'extstore import' })]

const shown = <T extends Report>({ not_imported, ...found }: T) => ({
  ...found,
  not_imported: [...not_imported],
})
const saved = <T extends Report & { settings: LinkRow }>(core: Core, { settings, ...done }: T) => ({
  ...shown(done),
  steam: showSettings(core, settings),
})

export const previewImportRoute = route({
  method: 'POST',
  url: '/api/v1/private/steam/import/preview',
  summary: 'What an import from the external store would do; nothing is changed',
  auth: website,
  limits: [perAccount(60, { seconds: DAY, bucket: 'extstore preview' })],
  body: Body({ ...app, ...asked }),
  data: Type.Object({
    ...report,
    target: Type.Object({
      game_uid: Nullable(Uid),
      vanity_name: Nullable(Text),
      name: Text,
      created: Type.Boolean(),
    }),
  }),
  errors,
  handle: async ({ core, who, body }) =>
    shown(await inLine(who.user_uid, () => previewImport(core, who, body))),
})

export const importRoute = route({
  method: 'POST',
  url: '/api/v1/private/steam/import',
  summary:
    'Make a draft from a page of the external store, or bring one of your listings up to date with it',
  auth: website,
  limits: imports,
  body: Body({
    ...app,
    ...asked,
    enable_auth: Type.Optional(
      Type.Boolean({ description: 'Also turn sign-in on, which keeps the key' }),
    ),
  }),
  data: Type.Object({
    game_uid: Uid,
    vanity_name: Text,
    created: Type.Boolean(),
    ...report,
    steam: SettingsData,
  }),
  errors: saving,
  async handle({ core, who, body }) {
    return saved(core, await inLine(who.user_uid, () => importApp(core, who, body)))
  },
})

export const resyncRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:game_id/steam/resync',
  summary: 'Import the linked app again; without a key the saved one is used while sign-in is on',
  auth: website,
  limits: imports,
  params: Type.Object({ game_id: Type.String() }),
  body: Body({ ...asked, web_api_key: app.web_api_key }),
  data: Type.Object({ game_uid: Uid, vanity_name: Text, ...report, steam: SettingsData }),
  errors: saving,
  async handle({ core, who, params, body }) {
    return saved(core, await inLine(who.user_uid, () => resync(core, who, params.game_id, body)))
  },
})
