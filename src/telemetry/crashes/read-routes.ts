import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { attachment, FILE_POLICY } from '../../core/http/file-headers.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import {
  anyone,
  Body,
  FreeForm,
  Nullable,
  nameSchemas,
  OneOf,
  route,
  TextOf,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { OsName } from '../../listings/fields/file-schema.ts'
import { MAX_VERSION } from '../../listings/fields/text.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import {
  type Artifact,
  artifactNamed,
  artifacts,
  checkCrashLink,
  signCrashLink,
} from './file-links.ts'
import { groupKinds } from './groups.ts'
import {
  type CrashRow,
  type GroupRow,
  listCrashes,
  readArtifacts,
  readCrash,
  readGroups,
  setGroupStatus,
} from './read-queries.ts'
import { severities, severityOf } from './severity.ts'

const Text = Type.String()
const url = '/api/v1/private/games/:uid'
const MAX_GROUPS = 100
const EXCERPT_LENGTH = 4000

const crashFields = {
  id: Uid,
  build_id: Uid,
  group_uid: Nullable(Uid),
  version: Text,
  app_name: Text,
  app_version: Text,
  engine_version: Text,
  os: Text,
  arch: Text,
  user_message: Text,
  anonymous: Type.Boolean(),
  has_dump: Type.Boolean(),
  has_log: Type.Boolean(),
  has_stack: Type.Boolean(),
  severity: OneOf(severities, {
    description: 'What the report names; else fatal, or warning if the dump was only requested',
  }),
  created_at: Timestamp,
}
const FrameData = Type.Object({
  module: Text,
  offset: Text,
  function: Type.Optional(Text),
  file: Type.Optional(Text),
  line: Type.Optional(Type.Integer()),
  trust: Text,
})
const AnalysisData = Type.Object({
  crash_reason: Type.Optional(Text),
  crash_address: Type.Optional(Text),
  os: Type.Optional(Text),
  arch: Type.Optional(Text),
  note: Type.Optional(Text),
  frames: Type.Optional(Type.Array(FrameData)),
  modules: Type.Optional(
    Type.Array(Type.Object({ name: Text, debug_id: Text, symbols: Type.Boolean() })),
  ),
})

const toCrash = ({ created_at, reported_severity, crash_reason, ...row }: CrashRow) => ({
  ...row,
  severity: severityOf(reported_severity, crash_reason),
  created_at: created_at.toISOString(),
})

export const listCrashesRoute = route({
  method: 'GET',
  url: `${url}/crashes`,
  summary: 'List crash reports, newest first',
  auth: developer('mcp:crash.read'),
  params: Type.Object({ uid: Text }),
  query: Type.Object({ ...pageQuery, build_id: Type.Optional(Uid), group_uid: Type.Optional(Uid) }),
  data: Type.Object({ items: Type.Array(Type.Object(crashFields)), ...pageData }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...range } = paging(query)
    const { rows, total } = await listCrashes(sql, uid, query, range)
    return { items: rows.map(toCrash), total, page, page_size }
  },
})

export const readCrashRoute = route({
  method: 'GET',
  url: `${url}/crashes/:id`,
  summary: 'Read a crash report with the analysis of its dump',
  auth: developer('mcp:crash.read'),
  params: Type.Object({ uid: Text, id: Text }),
  data: Type.Object({
    ...crashFields,
    analysis: Nullable(AnalysisData),
    stack_excerpt: Nullable(Text),
    metadata: FreeForm('What the game sent besides'),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const row = (isUuid(params.id) && (await readCrash(sql, uid, params.id))) || refuse('NOT_FOUND')
    const { analysis, metadata, stack, dump_key, log_key, ...crash } = row
    return {
      ...toCrash(crash),
      analysis,
      metadata,
      stack_excerpt: stack?.slice(0, EXCERPT_LENGTH) ?? null,
    }
  },
})

export const crashDownload = route({
  method: 'GET',
  url: `${url}/crashes/:id/download`,
  summary: 'Get a link to the dump, log or stack of a crash report, valid for one hour',
  auth: developer('mcp:crash.read'),
  params: Type.Object({ uid: Text, id: Text }),
  query: Type.Object({ kind: OneOf(artifacts) }),
  data: Type.Object({
    url: Text,
    kind: OneOf(artifacts),
    filename: Text,
    expires_at: Timestamp,
    expires_in: Type.Integer(),
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle({ core, sql, who, params, query: { kind } }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const crash =
      (isUuid(params.id) && (await readCrash(sql, uid, params.id))) || refuse('NOT_FOUND')
    if (!crash[`has_${kind}`]) refuse('CONFLICT', undefined, `This report has no ${kind}`)
    return signCrashLink(core, crash.id, kind, new Date())
  },
})

const serveCrashFile = route({
  method: 'GET',
  url: '/crash-files/:id/:filename',
  summary: 'Download the dump, log or stack of a crash report by a signed link',
  auth: anyone,
  params: Type.Object({ id: Text, filename: Text }),
  query: Type.Object({
    expires: Type.String({ default: '' }),
    signature: Type.String({ default: '' }),
  }),
  envelope: false,
  produces: 'application/octet-stream',
  cache: 'private, no-store',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handle({ core, params, query, reply }) {
    const kind = artifactNamed(params.filename) ?? refuse('NOT_FOUND')
    if (!isUuid(params.id)) refuse('NOT_FOUND')
    checkCrashLink(core, { id: params.id, kind }, query, new Date())
    const file = (await openArtifact(core, params.id, kind)) ?? refuse('NOT_FOUND')
    reply.headers({
      'content-disposition': attachment(params.filename),
      'content-security-policy': FILE_POLICY,
    })
    return reply
      .type('application/octet-stream')
      .header('content-length', file.size)
      .send(file.stream)
  },
})

async function openArtifact(
  core: Core,
  id: string,
  kind: Artifact,
): Promise<{ stream: Readable; size: number } | null> {
  const row = await readArtifacts(core.sql, id)
  if (!row) return null
  if (kind === 'stack') {
    const bytes = Buffer.from(row.stack ?? '')
    return row.stack === null ? null : { stream: Readable.from([bytes]), size: bytes.length }
  }
  const key = row[`${kind}_key`]
  return key === null ? null : core.storage.get(key)
}

const GroupData = Type.Object({
  uid: Uid,
  kind: TextOf(groupKinds),
  title: Text,
  status: OneOf(['open', 'resolved', 'regressed']),
  resolved_in: Nullable(Text),
  resolved_at: Nullable(Timestamp),
  regressed_at: Nullable(Timestamp),
  regressed_build_id: Nullable(Uid),
  first_seen: Timestamp,
  last_seen: Timestamp,
  sample_crash_id: Nullable(Uid),
  count: Type.Integer(),
  builds: Type.Array(
    Type.Object({
      build_id: Uid,
      version: Text,
      os: OsName,
      count: Type.Integer(),
      first_seen: Timestamp,
      last_seen: Timestamp,
    }),
  ),
})
nameSchemas({ CrashGroup: GroupData })

const toGroup = ({
  resolved_at,
  regressed_at,
  first_seen,
  last_seen,
  status,
  ...group
}: GroupRow): Static<typeof GroupData> => ({
  ...group,
  status: status as Static<typeof GroupData>['status'],
  resolved_at: resolved_at?.toISOString() ?? null,
  regressed_at: regressed_at?.toISOString() ?? null,
  first_seen: first_seen.toISOString(),
  last_seen: last_seen.toISOString(),
})

export const listCrashGroups = route({
  method: 'GET',
  url: `${url}/crash-groups`,
  summary: 'List crash groups, most recently seen first',
  auth: developer('mcp:crash.read'),
  params: Type.Object({ uid: Text }),
  data: Type.Object({ groups: Type.Array(GroupData) }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return { groups: (await readGroups(sql, uid, { limit: MAX_GROUPS })).map(toGroup) }
  },
})

export const changeCrashGroup = route({
  method: 'PATCH',
  url: `${url}/crash-groups/:group_uid`,
  summary: 'Resolve a crash group, optionally in a version, or reopen it',
  auth: developer('mcp:write'),
  params: Type.Object({ uid: Text, group_uid: Text }),
  body: Body({
    status: OneOf(['open', 'resolved']),
    version: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_VERSION })),
  }),
  data: GroupData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { group_uid } = params
    const { status, version = null } = body
    if (
      !isUuid(group_uid) ||
      !(await setGroupStatus(sql, uid, group_uid, { status, resolved_in: version }))
    )
      refuse('NOT_FOUND')
    const [group] = await readGroups(sql, uid, { limit: 1, group_uid })
    return toGroup(group ?? refuse('NOT_FOUND'))
  },
})

export const crashReadRoutes = [
  listCrashesRoute,
  readCrashRoute,
  crashDownload,
  serveCrashFile,
  listCrashGroups,
  changeCrashGroup,
]
