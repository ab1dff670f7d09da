import { type Static, Type } from 'typebox'
import { Timestamp, Uid } from '../../core/http/route.ts'
import type { SymbolRow } from '../symbols/queries.ts'
import type { Build, BuildWithFiles } from './queries.ts'

const Text = Type.String()

export const BuildData = Type.Object({
  build_id: Uid,
  app_id: Uid,
  app: Text,
  version: Text,
  build_type: Text,
  os: Text,
  arch: Text,
  channel: Text,
  title: Text,
  engine_version: Type.Optional(Text),
  created_at: Timestamp,
})
export const FileData = Type.Object({
  file_uid: Uid,
  filename: Text,
  checksum: Text,
  size: Type.Integer(),
  scan: Text,
  os: Text,
  arch: Text,
  channel: Text,
  uploaded_at: Text,
})
/** A file with the scanner's findings, for those who published it. */
export const ScannedFile = Type.Object({ ...FileData.properties, findings: Type.Optional(Text) })
export const ListedBuild = Type.Object({
  ...BuildData.properties,
  symbols: Type.Integer(),
  files: Type.Array(FileData),
})

/** `app_id` is the uid of the listing, which a game sends as X-App-Id. */
export const toBuildData = ({
  uid: build_id,
  game_uid: app_id,
  engine_version,
  created_at,
  ...build
}: Build): Static<typeof BuildData> => ({
  ...build,
  build_id,
  app_id,
  created_at: created_at.toISOString(),
  ...(engine_version ? { engine_version } : {}),
})

export const toListedBuild = ({
  files,
  symbols,
  ...build
}: BuildWithFiles): Static<typeof ListedBuild> => ({
  ...toBuildData(build),
  symbols,
  files: files.map(({ uid: file_uid, ...file }) => ({ file_uid, ...file })),
})

export const toScannedBuild = ({ files, symbols, ...build }: BuildWithFiles) => ({
  ...toBuildData(build),
  symbols,
  files: files.map(({ uid: file_uid, detail, ...file }) => ({
    file_uid,
    ...file,
    ...(detail ? { findings: detail } : {}),
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

export const SymbolData = Type.Object({
  symbol_uid: Uid,
  module_name: Text,
  debug_id: Text,
  os: Text,
  arch: Text,
  size: Type.Integer(),
  checksum: Text,
  created_at: Timestamp,
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
