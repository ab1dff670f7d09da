import { Type } from 'typebox'
import { optionalToken } from '../../accounts/sessions/schemes.ts'
import { authorizeFileAccess } from '../../builds/channels/access.ts'
import { attachment, FILE_POLICY } from '../../core/http/file-headers.ts'
import { anyone, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import { checkSignedQuery, signedQuery } from '../../core/security/signed-links.ts'
import { sendObject } from '../../core/storage/send-object.ts'
import { authorizeAnonymous, authorizeUser } from '../../downloads/authorize-download.ts'
import { findDownload } from '../../downloads/find-download.ts'
import { LinkData } from '../../downloads/link-schema.ts'
import { DOWNLOAD_LINK_SECONDS, makeLink } from '../../downloads/links.ts'
import { followDownload } from '../../downloads/open-downloads.ts'
import { PATCH_TYPE } from './format.ts'
import { patchKey } from './key.ts'
import { countPatchDownload, findPatch, readServedPatch, type StoredPatch } from './queries.ts'

const filenameOf = ({ uid }: { uid: string }) => `${uid}.patch`
const linkTarget = (uid: string) => ({ purpose: 'patch', parts: [uid] })

/** The address of the object, if the storage can sign one; otherwise one of this service. */
async function signUrl(core: Core, patch: StoredPatch, expires: number): Promise<string> {
  const stored = await core.storage.link?.(patchKey(patch), {
    disposition: attachment(filenameOf(patch)),
    type: PATCH_TYPE,
    seconds: DOWNLOAD_LINK_SECONDS,
  })
  const path = `${core.addresses.base_url}/files/${patch.to_file}/patches/${patch.uid}`
  return stored ?? `${path}?${signedQuery(core, linkTarget(patch.uid), expires)}`
}

export const patchLink = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/patches/:patch_uid',
  summary: 'Get a link to a patch, which makes a build out of an earlier one',
  description:
    'Manifests list the patches to their build. Whoever may download the build gets a link, and ' +
    'the download counts as one of the build.',
  auth: optionalToken,
  limits: [perIp(60, { bucket: 'downloads' })],
  params: Type.Object({ game_id: Type.String(), patch_uid: Type.String() }),
  data: LinkData,
  cors: true,
  cache: 'no-store',
  errors: [
    'NOT_FOUND',
    'CHANNEL_NOT_ACCESSIBLE',
    'BETA_REQUIRES_PURCHASE',
    'EMAIL_NOT_VERIFIED',
    'DOWNLOAD_REQUIRES_SIGN_IN',
    'DOWNLOAD_REQUIRES_PURCHASE',
    'LINK_SIGNING_FAILED',
  ],
  async handle({ core, sql, who, params: { game_id, patch_uid }, request }) {
    const { listing, access } = await authorizeFileAccess(sql, who, game_id)
    const patch =
      (isUuid(patch_uid) ? await findPatch(sql, listing.uid, patch_uid, access) : undefined) ??
      refuse('NOT_FOUND')
    const { game_uid, sha256: checksum } = patch
    const file = { filename: filenameOf(patch), checksum, game_uid }
    const build_file = await findDownload(core, who, patch.to_file)
    if (build_file.file.scan !== 'clean') refuse('NOT_FOUND')
    const target = {
      ...build_file,
      sign: (now: Date) => makeLink(file, now, (expires) => signUrl(core, patch, expires)),
    }
    const download = { core, request, source: 'api' as const }
    const link = who
      ? await authorizeUser(download, target, who)
      : await authorizeAnonymous(download, target)
    await countPatchDownload(sql, patch.uid)
    return link
  },
})

export const servePatch = route({
  method: 'GET',
  url: '/files/:file_uid/patches/:patch_uid',
  summary: 'Download a patch by a signed link',
  auth: anyone,
  params: Type.Object({ file_uid: Type.String(), patch_uid: Type.String() }),
  query: Type.Object({
    expires: Type.String({ default: '' }),
    signature: Type.String({ default: '' }),
  }),
  envelope: false,
  produces: PATCH_TYPE,
  cache: 'private, no-store',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'RANGE_NOT_SATISFIABLE'],
  async handle({ core, sql, params: { file_uid, patch_uid }, query, request, reply }) {
    if (!isUuid(file_uid) || !isUuid(patch_uid)) refuse('NOT_FOUND')
    checkSignedQuery(core, linkTarget(patch_uid), query, new Date())
    const download = followDownload(core, file_uid, reply.raw)
    const patch = (await readServedPatch(sql, file_uid, patch_uid)) ?? refuse('NOT_FOUND')
    if (download.is_withdrawn) refuse('NOT_FOUND')
    download.is_sending = true
    const { size, sha256: checksum } = patch
    const key = patchKey(patch)
    reply.headers({
      'content-disposition': attachment(filenameOf(patch)),
      'content-security-policy': FILE_POLICY,
    })
    const { accel_prefix } = core.config
    // The proxy reads the same disk, and sends ranges itself.
    if (accel_prefix) {
      if (!(await core.storage.stat(key))) refuse('NOT_FOUND')
      return reply.type(PATCH_TYPE).header('x-accel-redirect', `${accel_prefix}${key}`).send('')
    }
    return sendObject(core.storage, request, reply, { key, size, checksum, type: PATCH_TYPE })
  },
})

export const patchRoutes = [patchLink, servePatch]
