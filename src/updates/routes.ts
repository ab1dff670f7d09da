import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Identity } from '../accounts/sessions/identity.ts'
import { optionalToken } from '../accounts/sessions/schemes.ts'
import { DEFAULT_CHANNEL } from '../builds/builds/fields.ts'
import type { FileFilters } from '../builds/files/best-file.ts'
import { streamText } from '../catalog/stream-response.ts'
import { etagMatches } from '../core/http/file-headers.ts'
import { nameSchemas, OneOf, route, Uid } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import type { ErrorName } from '../core/runtime/errors.ts'
import { perIp } from '../core/security/limits.ts'
import { ArchName, OsName } from '../listings/fields/file-schema.ts'
import { architectures, operatingSystems } from '../listings/fields/platforms.ts'
import { WithdrawalData } from '../listings/withdrawn/schema.ts'
import { chooseFile, findWithdrawal } from './choose-file.ts'
import { readManifest } from './manifest.ts'
import { findNext, manifestUrl } from './next-build.ts'
import { listPatches, type OfferedPatch } from './patches/queries.ts'
import { patchRoutes } from './patches/routes.ts'
import { readNotes } from './queries.ts'

const Text = Type.String()
const Sha256 = Type.String({ description: 'SHA-256 in hex' })
const Size = Type.Integer({ description: 'In bytes' })

const EntryData = Type.Object({
  path: Type.String({ description: 'Below the folder of the game; a folder ends with a slash' }),
  size: Size,
  mode: Type.Integer({ description: 'The permissions as a number: 493 is rwxr-xr-x' }),
  sha256: Sha256,
  link: Type.Optional(Type.String({ description: 'The target of a symbolic link' })),
})
const LaunchData = Type.Object({
  executable: Text,
  args: Type.Array(Text),
  working_dir: Type.String({ description: 'Empty for the folder of the game' }),
  guessed: Type.Boolean({
    description: 'Neither its registration nor a slipway.yml in it says so',
  }),
})
const PatchData = Type.Object({
  patch_uid: Uid,
  from_build: Type.String({ description: 'The build that it is applied to' }),
  from_file: Type.String({ description: 'The file of that build' }),
  size: Size,
  sha256: Sha256,
  format: Type.String({ description: 'How it is applied; see the guide about updates' }),
})
const NextData = Type.Object({
  build_id: Uid,
  version: Text,
  percent: Type.Integer({ description: 'Of the devices, from 1 to 99' }),
  manifest_url: Text,
})
const Next = Type.Union([NextData, Type.Null()], {
  description: 'What the channel delivers to a part of the devices instead; null if nothing',
})
const ManifestData = Type.Object({
  format: Type.Literal(1),
  issuer: Type.String({ description: 'The store, whose public keys verify the signature' }),
  game_uid: Uid,
  build_id: Uid,
  app: Text,
  version: Text,
  file: Type.Object({
    file_uid: Uid,
    filename: Text,
    size: Size,
    sha256: Sha256,
    os: OsName,
    arch: ArchName,
  }),
  entries_count: Type.Integer(),
  entries_sha256: Type.String({
    description: 'Of the entries, each as canonical JSON (RFC 8785) followed by a line break',
  }),
  unpacked_size: Size,
  launch: Type.Union([LaunchData, Type.Null()], {
    description: 'How the game is started; null if nothing in it looks like a program',
  }),
  patches: Type.Array(PatchData, { description: 'What makes it out of earlier builds' }),
  next: Next,
})
const SignedData = Type.Object({
  manifest: ManifestData,
  signature: Type.String({
    description: 'A detached JWS (EdDSA) of the canonical JSON of the manifest',
  }),
  entries: Type.Array(EntryData),
})
const UpdateData = Type.Object({
  build_id: Uid,
  version: Text,
  channel: Text,
  file_uid: Uid,
  size: Type.Integer({ description: 'Of the zip, in bytes' }),
  patch_size: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Of the patch from the build that is installed; null if there is none',
  }),
  manifest_url: Text,
  notes: Type.Object({
    title: Text,
    description: Text,
    changelog_items: Type.Array(Type.Object({ title: Text, description: Text })),
  }),
  withdrawn: Type.Union([WithdrawalData, Type.Null()], {
    description: 'Why the build that is installed was withdrawn, if it was',
  }),
  next: Next,
})
nameSchemas({
  ManifestEntry: EntryData,
  Launch: LaunchData,
  ManifestPatch: PatchData,
  NextBuild: NextData,
  Manifest: ManifestData,
  SignedManifest: SignedData,
  Update: UpdateData,
})

const NDJSON = 'application/x-ndjson'
const platform = {
  os: Type.Optional(Type.String()),
  arch: Type.Optional(Type.String()),
  app: Type.Optional(
    Type.String({ description: 'One program of the project; the main one without it' }),
  ),
}
const channel = Type.String({
  default: DEFAULT_CHANNEL,
  description: 'stable, beta if you joined it, or any channel of your own listing',
})
const format = OneOf(['json', 'ndjson'], {
  default: 'json',
  description: 'ndjson sends manifest and signature in the first line and an entry in each other',
})
const describedPlatform = {
  os: Type.Optional(OneOf(operatingSystems, { description: 'The operating system' })),
  arch: Type.Optional(OneOf(architectures, { description: 'The processor architecture' })),
}
const errors: ErrorName[] = [
  'NOT_FOUND',
  'STILL_SCANNING',
  'EMAIL_NOT_VERIFIED',
  'DOWNLOAD_REQUIRES_SIGN_IN',
  'DOWNLOAD_REQUIRES_PURCHASE',
  'CHANNEL_NOT_ACCESSIBLE',
  'BETA_REQUIRES_PURCHASE',
]
const common = {
  method: 'GET',
  auth: optionalToken,
  cors: true,
  cache: 'private, no-cache',
  errors,
} as const

type ManifestInput = {
  core: Core
  who: Identity | null
  ip: string
  request: FastifyRequest
  reply: FastifyReply
}

async function sendManifest(
  input: ManifestInput,
  game_id: string,
  filters: FileFilters,
  format: string,
): Promise<Static<typeof SignedData>> {
  const { core, who, request, reply } = input
  const { file, access, is_open } = await chooseFile(core, who, game_id, filters)
  const next = filters.channel ? await findNext(core, file, filters.channel) : null
  const { manifest, signature, etag, entries, lines } = await readManifest(core, file, access, next)
  const tag = format === 'ndjson' ? etag.replace(/"$/, '-ndjson"') : etag
  reply.header('etag', tag)
  // Checked each time, so that a build that was quarantined is not offered from a cache.
  if (is_open && !who) reply.header('cache-control', 'public, no-cache')
  if (etagMatches(request.headers['if-none-match'], tag)) return reply.code(304).send() as never
  if (format === 'json') return { manifest, signature, entries }
  const first = `${JSON.stringify({ manifest, signature })}\n`
  await streamText(input, NDJSON, inBlocks(first, lines))
  return reply as never
}

const LINES_PER_BLOCK = 500

async function* inBlocks(first: string, lines: readonly string[]): AsyncGenerator<string> {
  yield first
  for (let at = 0; at < lines.length; at += LINES_PER_BLOCK)
    yield lines.slice(at, at + LINES_PER_BLOCK).join('')
}

const manifestLimits = [perIp(60, { bucket: 'manifests' })]
const described = {
  query: describedPlatform,
  answers: { 304: { description: 'The manifest has the ETag of If-None-Match' } },
}

export const channelManifest = route({
  ...common,
  url: '/api/v1/public/games/:game_id/manifest',
  summary: 'Read the signed manifest of the build that a channel delivers to a system',
  limits: manifestLimits,
  params: Type.Object({ game_id: Text }),
  query: Type.Object({ channel, ...platform, format }),
  described,
  data: SignedData,
  handle: ({ params, query: { format, ...filters }, ...input }) =>
    sendManifest(input, params.game_id, { ...filters, app: filters.app ?? '' }, format),
})

export const buildManifest = route({
  ...common,
  url: '/api/v1/public/games/:game_id/builds/:build_id/manifest',
  summary: 'Read the signed manifest of a build',
  errors: [...errors, 'BUILD_WITHDRAWN'],
  limits: manifestLimits,
  params: Type.Object({ game_id: Text, build_id: Text }),
  query: Type.Object({ ...platform, format }),
  described,
  data: SignedData,
  handle: ({ params: { game_id, build_id }, query: { format, ...filters }, ...input }) =>
    sendManifest(input, game_id, { ...filters, build_id }, format),
})

export const updateRoute = route({
  ...common,
  url: '/api/v1/public/games/:game_id/update',
  summary: 'Ask whether a channel delivers another build than the one that is installed',
  description:
    'Answers 204 if the build is the one that the channel delivers. After a rollback, the build ' +
    'that is offered is an older one.',
  limits: [perIp(120, { bucket: 'updates' })],
  params: Type.Object({ game_id: Text }),
  query: Type.Object({
    build: Type.Optional(Type.String({ description: 'The build that is installed' })),
    staged: Type.Optional(
      Type.Boolean({
        description:
          'Answer what the channel delivers to a part of the devices too, in next; the answer ' +
          'is 204 only if there is no such build either',
      }),
    ),
    channel,
    ...platform,
  }),
  described: {
    query: describedPlatform,
    answers: { 204: { description: 'The build is the one that the channel delivers' } },
  },
  data: UpdateData,
  async handle({
    core,
    sql,
    who,
    params,
    query: { build = '', staged = false, ...filters },
    reply,
  }) {
    const { listing, access, file, is_open } = await chooseFile(core, who, params.game_id, {
      ...filters,
      app: filters.app ?? '',
    })
    if (is_open && !who) reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`)
    const next = staged ? await findNext(core, file, filters.channel) : null
    if (file.build_id === build.toLowerCase() && !next) return reply.code(204).send() as never
    const [notes, patches, withdrawn] = await Promise.all([
      readNotes(sql, file.build_id),
      build ? listPatches(sql, file.uid, access) : [],
      build ? findWithdrawal(sql, listing.uid, access, build) : undefined,
    ])
    return {
      build_id: file.build_id,
      version: file.version,
      channel: filters.channel,
      file_uid: file.uid,
      size: file.size,
      patch_size: patches.find(isFrom(build))?.size ?? null,
      manifest_url: manifestUrl(core, listing.uid, file.build_id, file),
      notes,
      withdrawn: withdrawn ?? null,
      next,
    }
  },
})

const CACHE_SECONDS = 60

const isFrom =
  (build: string) =>
  ({ from_build }: OfferedPatch) =>
    from_build === build.toLowerCase()

export const updateRoutes = [channelManifest, buildManifest, updateRoute, ...patchRoutes]
