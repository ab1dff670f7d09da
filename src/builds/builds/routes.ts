import { type Static, Type } from 'typebox'
import {
  type ApprovalRequest,
  approvalErrors,
  consumeApproval,
  requireApproval,
} from '../../accounts/approvals/approvals.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import type { Sql } from '../../core/database/sql.ts'
import { Nullable, nameSchemas, OneOf, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { WebReportData } from '../../listings/fields/file-schema.ts'
import { type LaunchBand, launchBands, UNRATED } from '../../listings/fields/launch-bands.ts'
import { editListing, findForEditor } from '../../listings/listing/edit.ts'
import { readLaunchBand } from '../../listings/listing/launch-band-queries.ts'
import { moveHeadsOffBuild } from '../channels/queries.ts'
import { fileKey } from '../files/key.ts'
import { deleteSymbols } from '../symbols/queries.ts'
import { symbolKey } from '../symbols/symbols.ts'
import { readBuildQuery } from './build-query.ts'
import { DEFAULT_CHANNEL, readPlatform, readRegistration } from './fields.ts'
import { findProjectBuild } from './project-build.ts'
import { type BuildWithFiles, deleteBuild, listBuilds, registerBuild } from './queries.ts'
import {
  BuildData,
  buildQuery,
  describedBuildQuery,
  FileData,
  ListedBuild,
  RegistrationBody,
  toBuildData,
  toListedBuild,
} from './schema.ts'

const Text = Type.String()
const url = '/api/v1/private/games/:uid/builds'
const params = Type.Object({ uid: Text })
const buildParams = Type.Object({ uid: Text, build_id: Text })

const OwnFile = Type.Object({
  ...FileData.properties,
  method: Text,
  key_ref: Type.Optional(Text),
  findings: Type.Optional(Text),
  web: Type.Optional(WebReportData),
})
const OwnBuild = Type.Object({
  ...ListedBuild.properties,
  health: Type.Object({
    band: OneOf(launchBands),
    devices: Type.Integer(),
    boot_ok: Type.Integer(),
    crash_on_boot: Type.Integer(),
    signed_devices: Type.Integer(),
    median_session_seconds: Nullable(Type.Integer()),
  }),
  description: Text,
  changelog_items: Type.Array(Type.Object({ title: Text, description: Text })),
  launch: Type.Union(
    [Type.Object({ executable: Text, args: Type.Array(Text), working_dir: Text }), Type.Null()],
    { description: 'How the build is started; null if neither registration nor dashboard says so' },
  ),
  files: Type.Array(OwnFile),
})
nameSchemas({ OwnBuildFile: OwnFile, OwnBuild })

const noHealthYet = {
  band: UNRATED as LaunchBand,
  devices: 0,
  boot_ok: 0,
  crash_on_boot: 0,
  signed_devices: 0,
  median_session_seconds: null,
}

const toOwnBuild = (build: BuildWithFiles): Static<typeof OwnBuild> => ({
  ...toListedBuild(build),
  health: build.health ?? noHealthYet,
  description: build.description,
  changelog_items: build.changelog_items,
  launch: build.launch,
  files: build.files.map(({ uid: file_uid, detail, key_ref, web, source_checksum, ...file }) => ({
    ...file,
    file_uid,
    ...(source_checksum ? { source_checksum } : {}),
    ...(key_ref ? { key_ref } : {}),
    ...(detail ? { findings: detail } : {}),
    ...(web ? { web } : {}),
  })),
})

export const listOwnBuilds = route({
  method: 'GET',
  url,
  summary: 'List the builds of a project with their files and scan results',
  auth: developer('mcp:read', 'mcp:build.write'),
  params,
  query: buildQuery,
  described: describedBuildQuery,
  data: Type.Object({
    builds: Type.Array(OwnBuild),
    public_band: OneOf(launchBands, {
      description: 'The launch health that the page shows: that of the newest stable build',
    }),
    page: Type.Integer(),
    page_size: Type.Integer(),
    total: Type.Integer(),
  }),
  errors: ['NOT_FOUND', 'INVALID_BUILD_FILTER'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { filter, page, page_size } = readBuildQuery(query)
    const window = { limit: page_size, offset: (page - 1) * page_size }
    const [{ builds, total }, public_band] = await Promise.all([
      listBuilds(sql, uid, filter, window),
      readLaunchBand(sql, uid),
    ])
    return { builds: builds.map(toOwnBuild), public_band, page, page_size, total }
  },
})

export const registerOwnBuild = route({
  method: 'POST',
  url,
  summary: 'Register a build from the website',
  auth: website,
  step_up: ({ body }) => readPlatform(body).channel === DEFAULT_CHANNEL,
  params,
  body: Type.Unsafe<Record<string, unknown>>({ type: 'object', described: RegistrationBody }),
  data: Type.Object({ ...BuildData.properties, created: Type.Boolean() }),
  errors: ['NOT_FOUND', 'INVALID_REGISTRATION', 'INVALID_UPLOAD'],
  async handle({ sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const build = await registerBuild(sql, uid, readRegistration(body), body)
    return { ...toBuildData(build), created: build.created }
  },
})

export const readOwnBuild = route({
  method: 'GET',
  url: `${url}/:build_id`,
  summary: 'Read one build of a project',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: buildParams,
  data: OwnBuild,
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    if (!isUuid(params.build_id)) refuse('BUILD_NOT_IN_PROJECT')
    const { builds } = await listBuilds(sql, uid, { uid: params.build_id }, { limit: 1, offset: 0 })
    return toOwnBuild(builds[0] ?? refuse('BUILD_NOT_IN_PROJECT'))
  },
})

export const deleteOwnBuild = route({
  method: 'DELETE',
  url: `${url}/:build_id`,
  summary: 'Delete a build and its files; channels return to the build before it',
  auth: developer('mcp:build.write'),
  step_up: true,
  params: buildParams,
  data: Type.Object({ deleted: Type.Boolean() }),
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT', 'LISTING_CHECK_FAILED', ...approvalErrors],
  async handle({ core, sql, who, params, request }) {
    if (!isUuid(params.build_id)) refuse('BUILD_NOT_IN_PROJECT')
    const approval =
      who.kind === 'agent'
        ? await requireApproval(core, who, request, await requestDeletion(sql, who, params))
        : undefined
    await editListing(core, who, params.uid, async (tx, { uid: game_uid }) => {
      await consumeApproval(tx, approval)
      await moveHeadsOffBuild(tx, game_uid, params.build_id, who.user_uid)
      const symbols = await deleteSymbols(tx, game_uid, params.build_id)
      const objects =
        (await deleteBuild(tx, game_uid, params.build_id)) ?? refuse('BUILD_NOT_IN_PROJECT')
      const keys = [
        ...objects.map((object_uid) => fileKey({ object_uid, game_uid })),
        ...symbols.map((uid) => symbolKey(game_uid, uid)),
      ]
      if (keys.length) await core.jobs.send(tx, 'builds.remove-objects', { keys })
    })
    return { deleted: true }
  },
})

async function requestDeletion(
  sql: Sql,
  who: Identity,
  { uid, build_id }: Static<typeof buildParams>,
): Promise<ApprovalRequest> {
  const { uid: game_uid } = await findForEditor(sql, who, uid)
  return {
    game_uid,
    action: 'builds.delete',
    subject: { build_id: build_id.toLowerCase() },
    async describe() {
      const build = await findProjectBuild(sql, game_uid, build_id)
      const platform = build.os || 'any system'
      return `Delete version ${build.version} for ${platform} (${build.channel}) and its files`
    },
  }
}

export const buildRoutes = [listOwnBuilds, registerOwnBuild, readOwnBuild, deleteOwnBuild]
