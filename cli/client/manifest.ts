import { createHash, createPublicKey, verify } from 'node:crypto'
import type { Readable } from 'node:stream'
import { canonicalJson, type Json } from '../../src/updates/canonical-json.ts'
import { exits, Failure, NetworkError } from '../errors.ts'
import { isObject } from '../http/api.ts'
import { isCut, withRetries } from '../http/retry.ts'
import { linesOf } from '../lines.ts'
import { t } from '../messages.ts'
import type { StoreApi } from './store-api.ts'

export type Entry = { path: string; size: number; mode: number; sha256: string; link?: string }
export type Launch = { executable: string; args: string[]; working_dir: string; guessed: boolean }
export type Patch = {
  patch_uid: string
  from_file: string
  size: number
  sha256: string
  format: string
}
export type Manifest = {
  format: number
  issuer: string
  game_uid: string
  build_id: string
  app: string
  version: string
  file: { file_uid: string; size: number; sha256: string; os: string; arch: string }
  entries_count: number
  entries_sha256: string
  unpacked_size: number
  launch: Launch | null
  /** A build has none until they are made. */
  patches?: Patch[]
}
export type SignedManifest = { manifest: Manifest; signature: string; entries: Entry[] }

const FORMAT = 1
const TYPE = 'manifest+jws'
type Key = { kid: string; kty: string; crv: string; x: string }

const damaged = (reason: string) =>
  new Failure(exits.damaged, t('client-bad-manifest', { reason }), t('client-bad-manifest-hint'))

/** The requested build. A system or processor that is empty stands for any. */
export type WantedBuild = {
  game_uid: string
  build_id: string
  os: string
  arch: string
  app: string
  /** The store that signed the installed version; undefined if there is none. */
  issuer: string | undefined
}

/** Reads the manifest of a build, and refuses any other, and one that the store did not sign. */
export async function readManifest(api: StoreApi, wanted: WantedBuild): Promise<SignedManifest> {
  const { manifest, signature, entries, sha256 } = await withRetries(api, () =>
    download(api, wanted),
  )
  if (manifest.format !== FORMAT)
    throw new Failure(exits.usage, t('client-new-format'), t('client-new-format-hint'))
  const keys = await api.keys()
  if (!isSigned(manifest as unknown as Json, signature, keys as Key[]))
    throw damaged(t('client-wrong-signature'))
  // The store signs the manifests of all builds, so a signature alone lets any of them be swapped in.
  const difference = differenceFrom(wanted, manifest)
  if (difference) throw damaged(difference)
  if (sha256 !== manifest.entries_sha256 || entries.length !== manifest.entries_count)
    throw damaged(t('client-wrong-entries'))
  return { manifest, signature, entries }
}

async function download(api: StoreApi, { game_uid, build_id, os, arch, app }: WantedBuild) {
  const query = new URLSearchParams({ os, arch, app, format: 'ndjson' })
  const body = await api.stream(`/public/games/${game_uid}/builds/${build_id}/manifest?${query}`)
  const { first, entries, sha256 } = await readLines(body)
  const { manifest, signature } = first
  if (!isManifest(manifest) || typeof signature !== 'string') throw damaged(t('client-no-manifest'))
  if (entries.length < manifest.entries_count) throw cut()
  return { manifest, signature, entries, sha256 }
}

const cut = () => new NetworkError(t('network-answer-cut'))

/** What a manifest is of another than the one that is wanted. */
function differenceFrom(wanted: WantedBuild, manifest: Manifest): string | undefined {
  const { issuer, game_uid, build_id, app, file } = manifest
  if (wanted.issuer !== undefined && issuer !== wanted.issuer)
    return t('client-other-store', { issuer, before: wanted.issuer })
  if (game_uid !== wanted.game_uid) return t('client-other-game')
  if (build_id !== wanted.build_id) return t('client-other-build')
  const runsOn = (name: string, own: string) => !name || name === own || everywhere.has(own)
  const is_for_it = app === wanted.app && runsOn(wanted.os, file.os)
  return is_for_it && runsOn(wanted.arch, file.arch) ? undefined : t('client-other-platform')
}

/** What files say that run on any system, or on any processor. */
const everywhere = new Set(['', 'universal'])

async function readLines(body: Readable) {
  const hash = createHash('sha256')
  const entries: Entry[] = []
  let first: Record<string, unknown> | undefined
  try {
    for await (const line of linesOf(body)) {
      const value = parse(line)
      if (!first) first = value
      else {
        hash.update(`${line}\n`)
        entries.push(value as Entry)
      }
    }
  } catch (error) {
    throw isCut(error) ? cut() : error
  }
  if (!first) throw cut()
  return { first, entries, sha256: hash.digest('hex') }
}

/** The object in a line. One that begins as an object and is none is what arrived of it. */
function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (isObject(value)) return value
  } catch {}
  throw line.startsWith('{') ? cut() : damaged(t('client-no-manifest'))
}

const isManifest = (value: unknown): value is Manifest =>
  isObject(value) && isObject(value.file) && typeof value.build_id === 'string'

/** Verifies a detached JWS (EdDSA) of the canonical JSON of the manifest. */
export function isSigned(manifest: Json, signature: string, keys: readonly Key[]): boolean {
  const [header = '', payload, mac = ''] = signature.split('.')
  if (payload !== '') return false
  const { alg, kid, typ } = decode(header)
  const key = keys.find((candidate) => candidate.kid === kid && candidate.kty === 'OKP')
  if (alg !== 'EdDSA' || typ !== TYPE || !key) return false
  const signed = `${header}.${Buffer.from(canonicalJson(manifest)).toString('base64url')}`
  const public_key = createPublicKey({
    key: { kty: key.kty, crv: key.crv, x: key.x },
    format: 'jwk',
  })
  return verify(null, Buffer.from(signed), public_key, Buffer.from(mac, 'base64url'))
}

function decode(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
