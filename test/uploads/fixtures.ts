import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Sql } from '../../src/core/database/sql.ts'
import type { Environment } from '../../src/core/runtime/config.ts'
import type { Storage } from '../../src/core/storage/storage.ts'
import { type Call, type Client, eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { form, type Upload } from './forms.ts'
import { sha256 } from './zips.ts'

export const REGISTER = '/api/v1/tool/upload/build'
export const FILES = '/api/v1/tool/upload/files'
export const SESSIONS = '/api/v1/tool/upload/sessions'

/** The request headers with the deploy key of a listing. */
export type DeployKey = { headers: Record<string, string> }

/** Starts the service with a listing, its deploy key and a registered build. */
export const startUploadApp = async (t: TestContext, env: Environment = {}) =>
  withBuild(await startApp(t, env))

/** Adds a listing, its deploy key and a registered build to a service. */
export async function withBuild<App extends Awaited<ReturnType<typeof startApp>>>(app: App) {
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const ci = await app.a.deployer(listing)
  const register = async (fields = {}) =>
    must(await app.post(REGISTER, { version: '1.0', os: 'linux', arch: 'x86_64', ...fields }, ci))
      .build_id as string
  return { ...app, listing, ci, register, build_id: await register() }
}

/** The fields that open an upload session for a file. */
export const sessionFields = (bytes: Uint8Array, build_id: string) => ({
  filename: 'game.zip',
  total_size: String(bytes.length),
  checksum: sha256(bytes),
  build_id,
})

/** The request that opens an upload session. Undefined fields are left out. */
export function sessionRequest(fields: Upload, { headers }: DeployKey): Call {
  const defined = Object.entries(fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  return {
    raw: String(new URLSearchParams(defined)),
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
  }
}

type Chunk = { session: string; from: number; to: number; total: number }

/** The request headers of a chunk with the bytes from `from` up to, but not including, `to`. */
export const chunkHeaders = ({ headers }: DeployKey, { session, from, to, total }: Chunk) => ({
  ...headers,
  'x-upload-session-id': session,
  'content-range': `bytes ${from}-${to - 1}/${total}`,
})

/** The form of a chunk. */
export const chunkForm = (bytes: Uint8Array, headers: Record<string, string>): Call =>
  form([{ name: 'file', filename: 'x', bytes }], { headers })

type ChunkOptions = { call?: Client['call']; bytes?: Uint8Array; range?: string }

/** Opens upload sessions for a file and sends its chunks. */
export function uploadSessions(
  { call, ci, build_id }: Awaited<ReturnType<typeof startUploadApp>>,
  file: Buffer,
) {
  const requestSession = (fields: Upload = {}) =>
    call('POST', SESSIONS, sessionRequest({ ...sessionFields(file, build_id), ...fields }, ci))
  const open = async (fields?: Upload) => must(await requestSession(fields)).session_id as string
  const headersOf = (session: string, from: number, to: number) =>
    chunkHeaders(ci, { session, from, to, total: file.length })
  const chunk = (session: string, from: number, to: number, options: ChunkOptions = {}) => {
    const headers = headersOf(session, from, to)
    const { bytes = file.subarray(from, to), range = headers['content-range'] } = options
    const body = chunkForm(bytes, { ...headers, 'content-range': range })
    return (options.call ?? call)('POST', FILES, body)
  }
  return { requestSession, open, headersOf, chunk }
}

/** Returns a function that lists the parts of uploads that this test began in a shared service. */
export function newParts({ data_dir }: { data_dir: string }) {
  const folder = join(data_dir, 'uploads')
  // The first upload makes the folder.
  const parts = () => (existsSync(folder) ? readdirSync(folder) : [])
  const earlier = new Set(parts())
  return () => parts().filter((name) => !earlier.has(name))
}

/** What an upload returns for a file of the registered build, without its uid and message. */
export const uploadedFile = (
  { build_id, listing }: Awaited<ReturnType<typeof startUploadApp>>,
  bytes: Uint8Array,
) => ({
  status: 'scanning',
  build_id,
  app_id: listing.uid,
  filename: 'game.zip',
  checksum: sha256(bytes),
  channel: 'stable',
  os: 'linux',
  arch: 'x86_64',
  size: bytes.length,
})

/** Waits until the only file of the listing has passed its scan. */
export const fileIsClean = ({ sql, listing }: { sql: Sql; listing: { uid: string } }) =>
  eventually('the scan', async () => {
    const clean = await sql`select from files where game_uid = ${listing.uid} and scan = 'clean'`
    return clean.length === 1
  })

/** The bytes of an uploaded file in storage. */
export async function storedFile(storage: Storage, game_uid: string, file_uid: string) {
  const object = await storage.get(`builds/${game_uid}/${file_uid}.zip`)
  return Buffer.concat(await Array.fromAsync(object!.stream))
}
