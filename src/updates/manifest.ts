import type { ChannelAccess } from '../builds/channels/access.ts'
import type { VisibleFile } from '../builds/files/queries.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { canonicalJson } from './canonical-json.ts'
import { type Contents, readContents } from './contents.ts'
import { type Launch, registeredLaunch } from './launch.ts'
import { listPatches, type OfferedPatch } from './patches/queries.ts'
import { readLaunchHint, readObjectUid } from './queries.ts'
import { signManifest } from './sign-manifest.ts'

/** What is signed. The entries are beside it, and held to it by their hash. */
export type Manifest = {
  format: 1
  issuer: string
  game_uid: string
  build_id: string
  app: string
  version: string
  file: {
    file_uid: string
    filename: string
    size: number
    sha256: string
    os: string
    arch: string
  }
  entries_count: number
  /** Of the entries as lines of canonical JSON. */
  entries_sha256: string
  unpacked_size: number
  launch: Launch | null
  /** What makes it out of earlier builds. */
  patches: OfferedPatch[]
  /** What the channel delivers to a part of the devices instead. */
  next: NextBuild | null
}

/** A build that a device takes if its own number, from 0 to 100, is below the percentage. */
export type NextBuild = {
  build_id: string
  version: string
  percent: number
  manifest_url: string
}

export type SignedManifest = { manifest: Manifest; signature: string; etag: string }

const FORMAT = 1

export async function readManifest(
  core: Core,
  { uid: file_uid, ...file }: VisibleFile,
  access: ChannelAccess,
  next: NextBuild | null,
): Promise<SignedManifest & Contents> {
  const { sql, addresses, secrets } = core
  const { game_uid, build_id, app, version, filename, size, checksum, os, arch } = file
  const object_uid = (await readObjectUid(sql, file_uid)) ?? refuse('NOT_FOUND')
  const [contents, patches, hint] = await Promise.all([
    readContents(core, { uid: file_uid, object_uid, game_uid, size, os }),
    listPatches(sql, file_uid, access),
    readLaunchHint(sql, build_id),
  ])
  const manifest: Manifest = {
    format: FORMAT,
    issuer: addresses.issuer,
    game_uid,
    build_id,
    app,
    version,
    file: { file_uid, filename, size, sha256: checksum, os, arch },
    entries_count: contents.entries.length,
    entries_sha256: contents.sha256,
    unpacked_size: contents.unpacked_size,
    launch: registeredLaunch(hint, contents.entries) ?? contents.launch,
    patches: [...patches],
    next,
  }
  const signature = signManifest(secrets, canonicalJson(manifest), new Date())
  return { manifest, signature, etag: `"${etagOf(signature)}"`, ...contents }
}

/** A signature is the same for the same manifest and key. */
const etagOf = (signature: string) => signature.slice(-43)
