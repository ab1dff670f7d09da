import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { findWithdrawnFile } from '../../builds/withdrawals/queries.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import { authorizeAnonymous, authorizeUser } from '../../downloads/authorize-download.ts'
import type { Link } from '../../downloads/links.ts'
import { packageTypes } from '../../listings/fields/editor.ts'
import { editorOf, readEditor } from '../../listings/fields/editor-versions.ts'
import { type EditorClient, type PackageView, systemOf, viewPackageOrNewest } from './package.ts'
import { type PackageRow, readPackageById, readScanning } from './queries.ts'

export type PackageRequest = { core: Core; who: Identity | null; request: FastifyRequest }

/** Both protocols share their limits, since an editor speaks one of them. */
export const browseLimits = [perIp(300, { bucket: 'asset library' })]
export const downloadLimits = [perIp(60, { bucket: 'asset library downloads' })]

/** Anonymous answers may be cached by the client for a minute; personal ones are not cached. */
export const setCacheControl = (reply: FastifyReply, who: Identity | null) =>
  reply.header('cache-control', who ? 'private, no-store' : 'private, max-age=60')

/** The requested editor version, or else that of the User-Agent. */
export function readClient(
  { who, request }: Pick<PackageRequest, 'who' | 'request'>,
  version?: string,
): EditorClient {
  const user_agent = request.headers['user-agent']
  return {
    editor: (version && readEditor(version)) || editorOf(user_agent),
    os: systemOf(user_agent),
    signed_in: who !== null,
  }
}

const MAX_ASSET_ID = 2_147_483_647

/** Editors store ids in 32 bits. */
function readAssetId(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
  return id > 0 && id <= MAX_ASSET_ID ? id : refuse('NOT_FOUND')
}

async function findRow({ core, who }: PackageRequest, asset_id: string): Promise<PackageRow> {
  return (await readPackageById(core.sql, readAssetId(asset_id), who)) ?? refuse('NOT_FOUND')
}

/** The package as this editor sees it. */
export async function openPackage(
  input: PackageRequest,
  asset_id: string,
  version?: string,
): Promise<PackageView> {
  return (
    viewPackageOrNewest(
      input.core.addresses,
      await findRow(input, asset_id),
      readClient(input, version),
    ) ?? refuse('NOT_FOUND')
  )
}

/** A link to the named zip of a package, or else to the one for this editor. */
export async function authorizePackageDownload(
  input: PackageRequest,
  asset_id: string,
  file?: string,
  version?: string,
): Promise<Link> {
  const { core, who, request } = input
  const row = await findRow(input, asset_id)
  const offer = viewPackageOrNewest(core.addresses, row, readClient(input, version))
  const target = {
    listing: row,
    is_manager: row.is_manager,
    ...((await findWithdrawn(core, row, file)) ?? {
      file: {
        ...(offer ? zipOf(offer, file) : await stillScanning(core, row)),
        game_uid: row.uid,
        channel: 'stable',
      },
    }),
  }
  const context = { core, request, source: 'asset_library' as const }
  return who ? authorizeUser(context, target, who) : authorizeAnonymous(context, target)
}

/** The requested file, if it is of a version that was withdrawn since the editor listed it. */
async function findWithdrawn({ sql }: Core, row: PackageRow, file_uid: string | undefined) {
  if (!file_uid || !isUuid(file_uid)) return undefined
  const access = { channels: ['stable'], all: row.is_manager }
  const withdrawn_file = await findWithdrawnFile(sql, row.uid, access, file_uid)
  if (!withdrawn_file) return undefined
  const { withdrawn, ...file } = withdrawn_file
  return { file, withdrawn }
}

/** Never returns another file than the requested one, because the editor checks its hash. */
function zipOf({ versions, chosen }: PackageView, file: string | undefined) {
  const { file_uid, uid, filename, checksum } = file
    ? (versions.find((version) => version.file_uid === file) ?? refuse('NOT_FOUND'))
    : chosen
  return { uid: file_uid, build_id: uid, filename, checksum, scan: 'clean' as const }
}

/** A package that is still being scanned has another error than a missing one. */
async function stillScanning({ sql }: Core, row: PackageRow) {
  const for_editors = packageTypes.some((type) => type === row.asset_type)
  const file = for_editors && !row.versions.length ? await readScanning(sql, row.uid) : undefined
  return { ...(file ?? refuse('NOT_FOUND')), scan: 'scanning' as const }
}
