import { type Static, Type } from 'typebox'
import { Nullable, nameSchemas, OneOf, TextOf, Timestamp, Uid } from '../../core/http/route.ts'
import { ArchName, OsName, ScanState, WebReportData } from '../../listings/fields/file-schema.ts'
import { architectures, operatingSystems } from '../../listings/fields/platforms.ts'
import { MAX_VERSION } from '../../listings/fields/text.ts'
import { WithdrawalData } from '../../listings/withdrawn/schema.ts'
import { MAX_CHANGELOG, MAX_TITLE } from '../build-limits.ts'
import type { SymbolRow } from '../symbols/queries.ts'
import { symbolSystems } from '../symbols/symbols.ts'
import { coepValues } from './fields.ts'
import { MAX_LAUNCH_ARGS, MAX_LAUNCH_TEXT } from './launch-hint.ts'
import type { Build, BuildWithFiles } from './queries.ts'

const Text = Type.String()

export const BuildData = Type.Object({
  build_id: Uid,
  app_id: Uid,
  app: Text,
  version: Text,
  build_type: Text,
  os: OsName,
  arch: ArchName,
  channel: Text,
  title: Text,
  engine_version: Type.Optional(Text),
  coep: Type.Optional(
    OneOf(coepValues, {
      description: 'Of a build for browsers: whether it is cross-origin isolated when it is played',
    }),
  ),
  created_at: Timestamp,
})
export const FileData = Type.Object({
  file_uid: Uid,
  filename: Text,
  checksum: Text,
  size: Type.Integer(),
  scan: ScanState,
  os: OsName,
  arch: ArchName,
  channel: Text,
  uploaded_at: Timestamp,
  source_checksum: Type.Optional(
    Type.String({
      description: 'The SHA-256 of the zip that the uploader packed, if it sent a delta of it',
    }),
  ),
})
/** A file with the scanner's findings, for those who published it. */
export const ScannedFile = Type.Object({
  ...FileData.properties,
  findings: Type.Optional(Text),
  web: Type.Optional(WebReportData),
})
export const ListedBuild = Type.Object({
  ...BuildData.properties,
  withdrawn: Nullable(WithdrawalData),
  symbols: Type.Integer(),
  files: Type.Array(FileData),
})

/** `app_id` is the uid of the listing, which a game sends as X-App-Id. */
export const toBuildData = ({
  uid: build_id,
  game_uid: app_id,
  engine_version,
  created_at,
  isolated,
  ...build
}: Build): Static<typeof BuildData> => ({
  ...build,
  build_id,
  app_id,
  created_at: created_at.toISOString(),
  ...(engine_version ? { engine_version } : {}),
  ...(build.os === 'web' ? { coep: isolated ? 'on' : 'off' } : {}),
})

export const toListedBuild = ({
  files,
  symbols,
  withdrawn,
  ...build
}: BuildWithFiles): Static<typeof ListedBuild> => ({
  ...toBuildData(build),
  withdrawn,
  symbols,
  files: files.map(({ uid: file_uid, source_checksum, ...file }) => ({
    file_uid,
    ...file,
    ...(source_checksum ? { source_checksum } : {}),
  })),
})

export const toScannedBuild = ({ files, symbols, withdrawn, ...build }: BuildWithFiles) => ({
  ...toBuildData(build),
  withdrawn,
  symbols,
  files: files.map(({ uid: file_uid, detail, web, source_checksum, ...file }) => ({
    file_uid,
    ...file,
    ...(source_checksum ? { source_checksum } : {}),
    ...(detail ? { findings: detail } : {}),
    ...(web ? { web } : {}),
  })),
})

export const buildQuery = Type.Object(
  Object.fromEntries(
    ['os', 'arch', 'channel', 'version', 'app', 'page', 'page_size'].map((name) => [
      name,
      Type.Optional(Type.String()),
    ]),
  ),
)

const optionalText = (description: string, maxLength?: number) =>
  Type.Optional(Type.String({ description, ...(maxLength && { maxLength }) }))

/** The platform of a build or file, for the API description. */
export const platformFields = {
  os: Type.Optional(OneOf(operatingSystems, { description: 'The operating system' })),
  arch: Type.Optional(OneOf(architectures, { description: 'The processor architecture' })),
  channel: optionalText('stable, beta, dev or a name of your own; stable by default', 32),
}
export const appFields = {
  app: optionalText('One program of the project, such as a dedicated server', 32),
  app_name: optionalText('The name of that program for people'),
}

/** The filters of build lists, for the API description; build-query.ts checks them. */
export const describedBuildQuery = {
  query: {
    ...platformFields,
    channel: optionalText('Only builds of this channel'),
    version: optionalText('Only builds of this version', MAX_VERSION),
    app: optionalText('Only builds of this program; empty for the main one'),
    page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'From 1' })),
    page_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Builds per page' }),
    ),
  },
}

/** A registration, for the API description; fields.ts checks it with its own error codes. */
export const RegistrationBody = Type.Object(
  {
    version: Type.String({ maxLength: MAX_VERSION, description: 'The version, as players see it' }),
    build_type: optionalText('What the build contains; game by default'),
    ...platformFields,
    title: optionalText('The version by default', MAX_TITLE),
    description: optionalText('Markdown'),
    engine_version: optionalText('The version of the engine, for mod compatibility'),
    demo_url: optionalText('The address where the build can be tried'),
    coep: Type.Optional(
      OneOf(coepValues, {
        description:
          'Of a build for browsers: off plays it without cross-origin isolation, so without ' +
          'threads but with resources of any origin; on by default',
      }),
    ),
    launch: Type.Optional(
      Type.Object(
        {
          executable: Type.String({
            maxLength: MAX_LAUNCH_TEXT,
            description: 'The path of the program in the build',
          }),
          args: Type.Optional(
            Type.Array(Type.String({ maxLength: MAX_LAUNCH_TEXT }), { maxItems: MAX_LAUNCH_ARGS }),
          ),
          working_dir: optionalText('The folder it is started in; the top by default'),
        },
        { description: 'How the build is started; null removes it' },
      ),
    ),
    changelog_items: Type.Optional(
      Type.Array(
        Type.Object({
          title: Type.String({ maxLength: MAX_TITLE }),
          description: optionalText('Markdown'),
        }),
        { maxItems: MAX_CHANGELOG },
      ),
    ),
    ...appFields,
  },
  { title: 'BuildRegistration', additionalProperties: true },
)

export const SymbolData = Type.Object({
  symbol_uid: Uid,
  module_name: Text,
  debug_id: Text,
  os: TextOf(symbolSystems, 'The system that the symbol file names'),
  arch: Type.String({ description: 'The architecture that the symbol file names, in lowercase' }),
  size: Type.Integer(),
  checksum: Text,
  created_at: Timestamp,
})
nameSchemas({
  Build: BuildData,
  BuildFile: FileData,
  ScannedFile,
  ListedBuild,
  SymbolFile: SymbolData,
})

export const toSymbolData = ({
  uid: symbol_uid,
  created_at,
  ...symbol
}: SymbolRow): Static<typeof SymbolData> => ({
  ...symbol,
  symbol_uid,
  created_at: created_at.toISOString(),
})
