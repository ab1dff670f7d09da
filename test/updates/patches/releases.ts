import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Entry, SignedManifest } from '../../../cli/client/manifest.ts'
import type { StoreApi } from '../../../cli/client/store-api.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import { canonicalJson, type Json } from '../../../src/updates/canonical-json.ts'
import { compressFile } from '../../../src/updates/patches/compress.ts'
import { DIFFERENCE_FORMAT } from '../../../src/updates/patches/format.ts'
import { composePatch } from '../../../src/updates/patches/make.ts'
import { matchFiles } from '../../../src/updates/patches/match-files.ts'
import { openStoredEntries } from '../../../src/updates/patches/stored-entries.ts'
import { zip } from '../../uploads/zips.ts'

/** A file, link or folder of a build, as zips have it. */
export type TreeFile = { name: string; body: Buffer; mode: number; method: number }

/** A file that is not compressed in the zip. */
export const storedFile = (name: string, body: Buffer, mode = 0o100644): TreeFile => ({
  name,
  body,
  mode,
  method: 0,
})

const isLink = ({ mode }: TreeFile) => mode === 0o120777
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const entryOf = (item: TreeFile): Entry => ({
  path: item.name,
  size: item.body.length,
  mode: item.mode & 0o777,
  sha256: hashOf(item.body),
  ...(isLink(item) && { link: item.body.toString('utf8') }),
})

/** The game that every release is of. */
export const GAME = '00000000-0000-7000-8000-0000000000ff'
/** What the client installs in tests of releases. */
export const wantedGame = {
  store: 'https://store.example',
  name: 'saltworks/harbor',
  game_uid: GAME,
  channel: 'stable',
  os: 'linux',
  arch: 'x86_64',
  app: '',
}

export type Release = {
  uid: string
  entries: Entry[]
  bytes: Buffer
  files: TreeFile[]
  version?: string
}
export const releaseOf = (files: TreeFile[], uid: string = randomUUID()): Release => ({
  uid,
  entries: files.map(entryOf),
  bytes: zip(files),
  files,
})

/** As `treeOf` of the client reads it from the disk. */
export const expectedTree = ({ files }: Release) =>
  Object.fromEntries(
    files.flatMap((item) => {
      const steps = item.name.split('/').slice(0, -1)
      const folders = steps.map((_, n) => [`${steps.slice(0, n + 1).join('/')}/`, ''])
      const permissions = (item.mode & 0o777).toString(8)
      const value = isLink(item)
        ? `-> ${item.body}`
        : `${permissions} ${item.body.toString('latin1')}`
      return item.name.endsWith('/') ? folders : [...folders, [item.name, value]]
    }),
  )

const entriesOf = ({ uid, bytes }: Release) =>
  openStoredEntries(
    {
      config: { zip_max_entries: 1000 },
      storage: {
        get: async (_: string, { start, end }: { start: number; end: number }) => ({
          stream: Readable.from([bytes.subarray(start, end + 1)]),
        }),
      },
    } as unknown as Core,
    { uid, object_uid: uid, game_uid: uid, size: bytes.length, os: 'linux' },
  )

const ignore = () => {}
const ui = {
  note: ignore,
  warn: ignore,
  print: ignore,
  hide: ignore,
  scrub: (text: string) => text,
  progress: () => ({ at: ignore, step: ignore, hide: ignore, end: ignore }),
}

export type ReleasePatch = { from: Release; bytes: Buffer }

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const encode = (text: string) => Buffer.from(text).toString('base64url')

/** A store that sends a release, its signed manifest and a patch to it. */
export function storeOf(release: Release, patch?: ReleasePatch) {
  const requested: string[] = []
  const { manifest, signature, entries } = signedOf(release, patch)
  const lines = [{ manifest, signature }, ...entries].map(
    (value) => `${canonicalJson(value as unknown as Json)}\n`,
  )
  const api = {
    settings: {},
    ui,
    signal: new AbortController().signal,
    get: async (path: string) => {
      requested.push(path)
      return { url: path, expires_at: '2999-01-01T00:00:00Z' }
    },
    stream: async () => Readable.from(lines),
    keys: async () => [{ ...publicKey.export({ format: 'jwk' }), kid: 'test' }],
    isSignedIn: async () => false,
    range: async (url: string, start: number, end: number) => {
      const bytes = url.includes('/patches/') ? patch!.bytes : release.bytes
      return Readable.from([bytes.subarray(start, end + 1)])
    },
  } as unknown as StoreApi
  return { api, requested }
}

export function signedOf(
  { uid, entries, bytes, version = '1' }: Release,
  patch?: ReleasePatch,
): SignedManifest {
  const patches = patch
    ? [
        {
          patch_uid: uid,
          from_file: patch.from.uid,
          size: patch.bytes.length,
          sha256: hashOf(patch.bytes),
          format: DIFFERENCE_FORMAT,
        },
      ]
    : []
  const lines = entries.map((entry) => `${canonicalJson(entry as unknown as Json)}\n`).join('')
  const manifest = {
    format: 1,
    issuer: 'https://store.example',
    game_uid: GAME,
    build_id: uid,
    app: '',
    version,
    file: { file_uid: uid, size: bytes.length, sha256: hashOf(bytes), os: '', arch: '' },
    entries_count: entries.length,
    entries_sha256: hashOf(Buffer.from(lines)),
    unpacked_size: 0,
    launch: null,
    patches,
  }
  const header = encode(JSON.stringify({ alg: 'EdDSA', kid: 'test', typ: 'manifest+jws' }))
  const payload = encode(canonicalJson(manifest))
  const mac = sign(null, Buffer.from(`${header}.${payload}`), privateKey).toString('base64url')
  return { manifest, signature: `${header}..${mac}`, entries }
}

/** The patch that the service would make; undefined if none is worth keeping. */
export async function patchBetween(
  old: Release,
  next: Release,
  folder: string,
): Promise<ReleasePatch | undefined> {
  const changed = matchFiles(old.entries as never, next.entries as never)
  const [old_zip, new_zip] = await Promise.all([entriesOf(old), entriesOf(next)])
  const made = await composePatch(
    { from_file: old.uid, to_file: next.uid },
    { changed: changed as never, old_zip, new_zip, folder, pass: 1, compress: compressFile },
  )
  return made && { from: old, bytes: readFileSync(made.path) }
}
