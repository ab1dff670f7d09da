import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DeltaAnswer, readAnswer } from '../../../cli/delta/answer.ts'
import { bestCodec } from '../../../cli/delta/codec.ts'
import { type HashedItem, hashItems } from '../../../cli/delta/hash-items.ts'
import { type MakePatch, makeDelta } from '../../../cli/delta/make-delta.ts'
import { packZip } from '../../../cli/zip/pack.ts'
import { readTree } from '../../../cli/zip/tree.ts'
import type { Codec } from '../../../src/uploads/deltas/format.ts'
import { unpack } from '../../../src/uploads/zip/entry.ts'
import { inspectZip } from '../../../src/uploads/zip/inspect.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import {
  chunkForm,
  chunkHeaders,
  type DeployKey,
  FILES,
  REGISTER,
  SESSIONS,
  sessionFields,
  sessionRequest,
  type startUploadApp,
  storedFile,
} from '../fixtures.ts'
import { upload } from '../forms.ts'

export const DELTAS = '/api/v1/tool/upload/deltas'

export type UploadApp = Pick<
  Awaited<ReturnType<typeof startUploadApp>>,
  'call' | 'post' | 'sql' | 'core'
>
/** A game, and the key that uploads its builds. */
export type Game = { uid: string; ci: DeployKey }

const { signal } = new AbortController()

/** Runs with a folder that is removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-delta-test-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The zip that the uploader packs of a folder. */
export const packFolder = (folder: string) =>
  withFolder(async (temp) => {
    const path = join(temp, 'game.zip')
    await packZip(readTree(folder).items, path)
    return readFileSync(path)
  })

/** Later builds are newer, so that their channel moves to them. */
let versions = 0
const nextVersion = () => `1.${++versions}`

export const register = async ({ post }: UploadApp, { ci }: Game, version = nextVersion()) =>
  must(await post(REGISTER, { version, os: 'linux', arch: 'x86_64' }, ci)).build_id as string

/** Uploads the whole zip of a folder, and waits for its scan. */
export async function uploadWhole(app: UploadApp, game: Game, bytes: Buffer): Promise<string> {
  const build_id = await register(app, game)
  const { file_uid } = must(await app.call('POST', FILES, upload(bytes, { build_id }, game.ci)))
  await isClean(app, file_uid)
  return file_uid
}

export const isClean = ({ sql }: UploadApp, file_uid: string) =>
  eventually(
    'the scan',
    async () =>
      (await sql`select from files where uid = ${file_uid} and scan = 'clean'`).length === 1,
  )

type Plan = { build_id: string; items: HashedItem[]; more?: object }

export const planRequest = ({ ci }: Game, { build_id, items, more = {} }: Plan) => ({
  raw: JSON.stringify({
    build_id,
    filename: 'game.zip',
    entries: items.map(({ path, size, sha256 }) => ({ path, size, mode: 0o644, sha256 })),
    ...more,
  }),
  headers: { ...ci.headers, 'content-type': 'application/json' },
})

export const hashFolder = (folder: string) => hashItems(readTree(folder).items, signal, () => {})

/** What the store has of the files. */
export async function plan(
  app: UploadApp,
  game: Game,
  request: Plan,
): Promise<DeltaAnswer | undefined> {
  const answer = await app.call('POST', DELTAS, planRequest(game, request))
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return readAnswer(String(answer.body))
}

type DeltaOptions = { codec?: Codec; makePatch?: MakePatch; change?: (answer: DeltaAnswer) => void }

/** The bytes that the uploader sends of a folder. */
export async function deltaOf(
  app: UploadApp,
  game: Game,
  folder: string,
  { codec = bestCodec(), makePatch, change }: DeltaOptions = {},
) {
  const build_id = await register(app, game)
  const items = await hashFolder(folder)
  const answer = await plan(app, game, { build_id, items })
  if (!answer) throw new Error('The game has no base')
  change?.(answer)
  const bytes = await withFolder(async (temp) => {
    const delta = await makeDelta(items, answer, { folder: temp, codec, signal, makePatch })
    return readFileSync(delta.path)
  })
  return { build_id, bytes, answer }
}

type Sending = { build_id: string; bytes: Buffer; source_checksum?: string }

export const openDelta = async (
  { call }: UploadApp,
  { ci }: Game,
  { build_id, bytes, source_checksum }: Sending,
) => {
  const fields = { ...sessionFields(bytes, build_id), format: 'delta', source_checksum }
  return must(await call('POST', SESSIONS, sessionRequest(fields, ci))).session_id as string
}

export const sendPart = (
  { call }: UploadApp,
  { ci }: Game,
  bytes: Buffer,
  { session, from = 0, to = bytes.length }: { session: string; from?: number; to?: number },
) => {
  const headers = chunkHeaders(ci, { session, from, to, total: bytes.length })
  return call('POST', FILES, chunkForm(bytes.subarray(from, to), headers))
}

/** Opens a session for a delta and sends all of it. */
export async function sendDelta(app: UploadApp, game: Game, sending: Sending) {
  const session = await openDelta(app, game, sending)
  return sendPart(app, game, sending.bytes, { session })
}

/** The entries of a zip in order, with their permissions and the hash of their contents. */
export async function entriesOf(bytes: Buffer) {
  const read = async (start: number, length: number) => bytes.subarray(start, start + length)
  const stream = async (start: number, length: number) => {
    const { Readable } = await import('node:stream')
    return Readable.from([await read(start, length)])
  }
  const limits = { max_entries: 1_000_000, max_unpacked: Number.MAX_SAFE_INTEGER }
  const { entries, start } = await inspectZip(read, bytes.length, limits)
  const listed = []
  for (const [index, entry] of entries.entries()) {
    const hash = createHash('sha256')
    const end = entries[index + 1]?.offset ?? start
    for await (const chunk of unpack(entry, end, { read, stream })) hash.update(chunk)
    const { path, size, mode, crc32, is_symlink } = entry
    listed.push({ path, size, mode, crc32, is_symlink, sha256: hash.digest('hex') })
  }
  return listed
}

export const storedEntries = async ({ core }: UploadApp, { uid }: Game, file_uid: string) =>
  entriesOf(await storedFile(core.storage, uid, file_uid))
