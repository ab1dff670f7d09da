import { Type } from 'typebox'
import { website } from '../../accounts/sessions/schemes.ts'
import { Body, Checked, FreeForm, Nullable, OneOf, route, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { ErrorName } from '../../core/runtime/errors.ts'
import type { Explanation } from '../../core/runtime/reasons.ts'
import { DAY } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import { runSerially } from '../client/concurrency.ts'
import type { LinkRow } from '../sign-in/settings-queries.ts'
import { SettingsData, toSettings } from '../sign-in/settings-routes.ts'
import { groupNames, importsPrice } from './fields.ts'
import { type ImportReport, importApp, previewImport, resync } from './import.ts'

/** For the website only, like the settings: agents must not handle the key of a publisher. */

const Text = Type.String()
/** The value of any field that an import can write. */
const fieldValue = (description: string) =>
  Checked(
    Type.Union(
      [
        Text,
        Type.Number(),
        Type.Boolean(),
        Type.Null(),
        Type.Array(Text),
        FreeForm('A value with several parts'),
        Type.Array(FreeForm('An entry of a list, such as a link to a store')),
      ],
      { description },
    ),
  )
const entry = {
  field: Text,
  group: OneOf(groupNames),
  value: Type.Optional(fieldValue('The value of the store')),
  old: Type.Optional(fieldValue('The current value; absent for a new listing')),
  reason: Type.Optional(Text),
}
const Reasons = Type.Optional(
  Type.Array(Type.Object({ id: Text, values: Type.Optional(FreeForm('Its values')) }), {
    description: 'What the reason says, by stable ids, to write it in another language',
  }),
)
const Entries = Type.Array(Type.Object({ ...entry, reasons: Reasons }))
const report = {
  imported: Entries,
  skipped: Entries,
  kept: Entries,
  not_imported: Type.Array(Type.Object({ field: Text, reason: Text, reasons: Reasons })),
  screenshots: Type.Array(
    Type.Object({
      url: Text,
      width: Type.Optional(Type.Integer()),
      height: Type.Optional(Type.Integer()),
      imported: Type.Boolean(),
      reason: Type.Optional(Text),
      reasons: Reasons,
      preview: Type.Optional(
        Type.String({ description: 'A small rendition as a data URL; only in a preview' }),
      ),
    }),
  ),
}
const options = {
  groups: Type.Optional(
    Checked(
      Nullable(Type.Array(OneOf(groupNames), { description: 'What to import; omit for all' })),
    ),
  ),
  overwrite: Type.Optional(
    Type.Boolean({ description: 'Also replace fields that were edited since the last import' }),
  ),
}
const app = {
  app_id: Type.Optional(
    Checked(
      Type.Union([Type.Integer(), Text], {
        description: 'The number of an app, or a link to its store page',
      }),
    ),
  ),
  web_api_key: Type.Optional(
    Checked(Type.String({ description: 'A publisher key that covers the app, 32 characters' })),
  ),
  game_uid: Type.Optional(
    Type.String({ description: 'The listing to import into; omit to create a draft' }),
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
  'ADULT_CONTENT_OFF',
  'ASSET_TYPE_OFF',
]
const saveErrors: ErrorName[] = [
  ...errors,
  'STORAGE_QUOTA_EXCEEDED',
  'LISTING_CHECK_FAILED',
  'UNAVAILABLE',
  'EXTSTORE_NOT_LINKED',
]
const importLimits = [perAccount(10, { seconds: DAY, bucket: 'extstore import' })]

/** A reason as the API gives it: its message, and what that says by ids. */
const toEntry = <T extends { reason?: Explanation }>({ reason, ...rest }: T) => ({
  ...rest,
  ...(reason && { reason: reason.message, reasons: reason.reasons }),
})
const toPreview = <T extends ImportReport>(full: T) => {
  const { imported, skipped, kept, not_imported, screenshots, ...rest } = full
  return {
    ...rest,
    imported: imported.map(toEntry),
    skipped: skipped.map(toEntry),
    kept: kept.map(toEntry),
    not_imported: not_imported.map(({ field, reason: { message, reasons } }) => ({
      field,
      reason: message,
      reasons,
    })),
    screenshots: screenshots.map(toEntry),
  }
}
const toResult = <T extends ImportReport & { settings: LinkRow }>(
  core: Core,
  { settings, ...rest }: T,
) => ({
  ...toPreview(rest),
  steam: toSettings(core, settings),
})

export const previewImportRoute = route({
  method: 'POST',
  url: '/api/v1/private/steam/import/preview',
  summary: 'Preview an import from the external store',
  auth: website,
  limits: [perAccount(60, { seconds: DAY, bucket: 'extstore preview' })],
  body: Body({ ...app, ...options }),
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
    toPreview(await runSerially(who.user_uid, () => previewImport(core, who, body))),
})

export const importRoute = route({
  method: 'POST',
  url: '/api/v1/private/steam/import',
  summary: 'Import a page of the external store into a new draft or an existing listing',
  auth: website,
  // A new draft has no price yet that would change.
  step_up: ({ body }) =>
    body.enable_auth === true || (body.game_uid !== undefined && importsPrice(body.groups)),
  limits: importLimits,
  body: Body({
    ...app,
    ...options,
    enable_auth: Type.Optional(
      Type.Boolean({ description: 'Also turn sign-in on, which stores the key' }),
    ),
  }),
  data: Type.Object({
    game_uid: Uid,
    vanity_name: Text,
    created: Type.Boolean(),
    ...report,
    steam: SettingsData,
  }),
  errors: saveErrors,
  async handle({ core, who, body }) {
    return toResult(core, await runSerially(who.user_uid, () => importApp(core, who, body)))
  },
})

export const resyncRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:game_id/steam/resync',
  summary: 'Import the linked app again',
  description: 'Without a key, the saved one is used if sign-in is on.',
  auth: website,
  step_up: ({ body }) => importsPrice(body.groups),
  limits: importLimits,
  params: Type.Object({ game_id: Type.String() }),
  body: Body({ ...options, web_api_key: app.web_api_key }),
  data: Type.Object({ game_uid: Uid, vanity_name: Text, ...report, steam: SettingsData }),
  errors: saveErrors,
  async handle({ core, who, params, body }) {
    return toResult(
      core,
      await runSerially(who.user_uid, () => resync(core, who, params.game_id, body)),
    )
  },
})

export const importRoutes = [previewImportRoute, importRoute, resyncRoute]
