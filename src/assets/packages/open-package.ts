import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { authorizeAnonymous, authorizeUser } from '../../downloads/authorize-download.ts'
import type { Link } from '../../downloads/links.ts'
import { packageTypes } from '../../listings/fields/editor.ts'
import { editorOf, readEditor } from '../../listings/fields/editor-versions.ts'
import { type Asker, type Offer, offerAny, systemOf } from './package.ts'
import { type PackageRow, readPackageById, readScanning } from './queries.ts'

export type Asked = { core: Core; who: Identity | null; request: FastifyRequest }

/** Both dialects count together: an editor speaks one of them. */
export const browsing = [perIp(300, { bucket: 'asset library' })]
export const downloading = [perIp(60, { bucket: 'asset library downloads' })]

/** What everyone sees may be a minute old, and is no shared cache's business; what one person sees is kept nowhere. */
export const keep = (reply: FastifyReply, who: Identity | null) =>
  reply.header('cache-control', who ? 'private, no-store' : 'private, max-age=60')

/** The version asked for, else the one the editor says it has. */
export function askerOf({ who, request }: Pick<Asked, 'who' | 'request'>, version?: string): Asker {
  const user_agent = request.headers['user-agent']
  return {
    editor: (version && readEditor(version)) || editorOf(user_agent),
    os: systemOf(user_agent),
    signed_in: who !== null,
  }
}

const MOST_ID = 2_147_483_647

/** Editors count in 32 bits, and so do we. */
export function readAssetId(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
  return id > 0 && id <= MOST_ID ? id : refuse('NOT_FOUND')
}

export async function findRow({ core, who }: Asked, asset_id: string): Promise<PackageRow> {
  return (await readPackageById(core.sql, readAssetId(asset_id), who)) ?? refuse('NOT_FOUND')
}

/** The package as this editor sees it. */
export async function openPackage(
  asked: Asked,
  asset_id: string,
  version?: string,
): Promise<Offer> {
  return (
    offerAny(asked.core.addresses, await findRow(asked, asset_id), askerOf(asked, version)) ??
    refuse('NOT_FOUND')
  )
}

/** A link to the zip of a package: the one that is named, else the one for this editor. */
export async function givePackage(
  asked: Asked,
  asset_id: string,
  file?: string,
  version?: string,
): Promise<Link> {
  const { core, who, request } = asked
  const row = await findRow(asked, asset_id)
  const offer = offerAny(core.addresses, row, askerOf(asked, version))
  const file_row = offer ? zipOf(offer, file) : await stillScanning(core, row)
  const found = {
    listing: row,
    file: { ...file_row, game_uid: row.uid, channel: 'stable' },
    is_manager: row.runs_it,
  }
  const asking = { core, request, source: 'asset_library' as const }
  return who ? authorizeUser(asking, found, who) : authorizeAnonymous(asking, found)
}

/** Never another file than the one asked for: the editor was told its hash. */
function zipOf({ versions, chosen }: Offer, file: string | undefined) {
  const { file_uid, uid, filename, checksum } = file
    ? (versions.find((one) => one.file_uid === file) ?? refuse('NOT_FOUND'))
    : chosen
  return { uid: file_uid, build_id: uid, filename, checksum, scan: 'clean' as const }
}

/** What is on its way to being a package is told apart from what is none. */
async function stillScanning({ sql }: Core, row: PackageRow) {
  const for_editors = packageTypes.some((type) => type === row.asset_type)
  const file = for_editors && !row.versions.length ? await readScanning(sql, row.uid) : undefined
  return { ...(file ?? refuse('NOT_FOUND')), scan: 'scanning' as const }
}
