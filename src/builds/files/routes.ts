import { Type } from 'typebox'
import { developer, viewer } from '../../accounts/sessions/schemes.ts'
import { nameSchemas, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { ArchName, OsName, ScanState } from '../../listings/fields/file-schema.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { FileData } from '../../listings/page/schema.ts'
import { authorizeFileAccess } from '../channels/access.ts'
import { readProvenance, readVisibleFiles, type VisibleFile } from './queries.ts'

const Text = Type.String()
const origin = ({ method, key_ref }: { method: string; key_ref: string | null }) => ({
  method,
  ...(key_ref ? { key_ref } : {}),
})
const toFileData = ({ playable, isolated, ...file }: VisibleFile) => ({
  ...file,
  ...(playable !== null && { playable }),
  ...(isolated !== null && { isolated }),
  provenance: origin(file),
  uploaded_at: file.uploaded_at.toISOString(),
})

const VisibleFileData = Type.Object({
  ...FileData.properties,
  channels: Type.Array(Text, {
    description: 'The channels you can see that point at the build of this file',
  }),
})

export const publicFiles = route({
  method: 'GET',
  url: '/api/v1/public/user/:user_id/games/:game_id/files',
  summary: 'List the files of a listing',
  auth: viewer,
  params: Type.Object({ user_id: Text, game_id: Text }),
  data: Type.Object({ files: Type.Array(VisibleFileData) }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { listing, access } = await authorizeFileAccess(sql, who, params.game_id)
    const owner = params.user_id.toLowerCase()
    if (listing.owner_uid !== owner && listing.owner_username.toLowerCase() !== owner)
      refuse('NOT_FOUND')
    return { files: (await readVisibleFiles(sql, listing.uid, access)).map(toFileData) }
  },
})

const ProvenanceData = Type.Object({
  file_uid: Uid,
  filename: Text,
  checksum: Text,
  size: Type.Integer(),
  build_id: Uid,
  version: Text,
  os: OsName,
  arch: ArchName,
  channel: Text,
  uploaded_at: Timestamp,
  method: Text,
  key_ref: Type.Optional(Text),
  scan: ScanState,
  scan_history: Type.Array(
    Type.Object({ state: Text, engine: Text, detail: Type.Optional(Text), at: Timestamp }),
  ),
})
nameSchemas({ FileProvenance: ProvenanceData })

export const provenanceRoute = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/files/:file_uid/provenance',
  summary: 'Read where a file came from and how its scan ended',
  auth: viewer,
  params: Type.Object({ game_id: Text, file_uid: Text }),
  data: ProvenanceData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { listing, access } = await authorizeFileAccess(sql, who, params.game_id)
    const file = isUuid(params.file_uid)
      ? await readProvenance(sql, listing.uid, params.file_uid)
      : undefined
    if (!file || (file.scan === 'quarantined' && !access.all)) refuse('NOT_FOUND')
    const { key_ref, channel_expired, ...rest } = file
    const is_visible =
      access.all ||
      (!channel_expired && access.channels.includes(file.channel)) ||
      (await readVisibleFiles(sql, listing.uid, access, { file_uid: file.file_uid })).length > 0
    if (!is_visible) refuse('NOT_FOUND')
    // The scanner's findings are for the publisher; everyone sees only the state.
    const scan_history = file.scan_history.map(({ detail, ...step }) =>
      detail && access.all ? { ...step, detail } : step,
    )
    return { ...rest, ...origin(file), uploaded_at: file.uploaded_at.toISOString(), scan_history }
  },
})

export const ownProvenanceRoute = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/files/:file_uid/provenance',
  summary: 'Read the provenance of one of your files, with the findings of the scanner',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text, file_uid: Text }),
  data: ProvenanceData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const file = isUuid(params.file_uid)
      ? await readProvenance(sql, uid, params.file_uid)
      : undefined
    const { key_ref, channel_expired, ...rest } = file ?? refuse('NOT_FOUND')
    const scan_history = rest.scan_history.map(({ detail, ...step }) =>
      detail ? { ...step, detail } : step,
    )
    return { ...rest, ...origin(file!), uploaded_at: rest.uploaded_at.toISOString(), scan_history }
  },
})

export const buildFileRoutes = [publicFiles, provenanceRoute, ownProvenanceRoute]
