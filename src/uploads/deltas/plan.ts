import type { IncomingMessage } from 'node:http'
import { fileKey } from '../../builds/files/key.ts'
import { readRequestBody } from '../../core/http/read-body.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { forEachInSlices } from '../../core/runtime/event-loop.ts'
import { MIB } from '../../core/runtime/units.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { findTarget, type UploadTarget } from '../target.ts'
import { findBaseEntries } from './base-entries.ts'
import { parseBody } from './parse-body.ts'
import {
  type BaseEntry,
  type BaseFile,
  findBase,
  findKnownEntries,
  type KnownEntry,
  readBaseEntries,
  readCleanFiles,
} from './queries.ts'

const MAX_BODY_BYTES = 64 * MIB
const SHA256 = /^[0-9a-f]{64}$/
/** The checksum of the zip is not known before it is composed. */
const NO_CHECKSUM = '0'.repeat(64)

type PlannedEntry = { path: string; size: number; sha256: string }
export type DeltaRequest = {
  target: UploadTarget
  base_file_uid: string | undefined
  entries: PlannedEntry[]
  signatures: boolean
}

/** What the service has of the entries of a new build. */
export type DeltaPlan = {
  base: BaseFile
  entries: { index: number; known?: KnownEntry; base?: BaseEntry }[]
}

export async function readDeltaRequest(
  core: Core,
  request: IncomingMessage,
  game_uid: string,
): Promise<DeltaRequest> {
  const bytes = await readRequestBody(request, MAX_BODY_BYTES, { accepts_gzip: true })
  const body = await parseBody(bytes, core.config.zip_max_entries)
  const text = (name: string) => {
    const value = body[name]
    return typeof value === 'string' ? value : undefined
  }
  const names = ['build_id', 'build', 'build_type', 'version', 'os', 'arch', 'channel', 'app']
  const fields = {
    ...Object.fromEntries(names.map((name) => [name, text(name)])),
    checksum: NO_CHECKSUM,
  }
  const target = await findTarget(core.sql, game_uid, { fields, filename: text('filename') ?? '' })
  return {
    target,
    base_file_uid: text('base_file_uid'),
    entries: await readEntries(core, body.entries),
    signatures: body.signatures !== false,
  }
}

async function readEntries({ config }: Core, entries: unknown): Promise<PlannedEntry[]> {
  const invalid = (message: string): never =>
    refuse('INVALID_UPLOAD', { field: 'entries' }, message)
  if (!Array.isArray(entries)) return invalid('entries: send the entries of the build')
  if (entries.length > config.zip_max_entries)
    invalid(`entries: at most ${config.zip_max_entries} are allowed`)
  await forEachInSlices(entries.length, (index) => {
    const entry: Partial<PlannedEntry> | undefined = entries[index]
    const is_valid =
      typeof entry?.path === 'string' &&
      Number.isSafeInteger(entry.size) &&
      entry.size! >= 0 &&
      SHA256.test(String(entry.sha256))
    if (!is_valid) invalid('entries: each needs a path, a size and a sha256 in lowercase hex')
  })
  return entries as PlannedEntry[]
}

/** Undefined if the game has no clean file yet. */
export async function planDelta(
  core: Core,
  game_uid: string,
  { target, base_file_uid, entries }: DeltaRequest,
): Promise<DeltaPlan | undefined> {
  const base = await chooseBase(core, game_uid, base_file_uid, target)
  if (!base) return undefined
  const files = entries.flatMap(({ path, size, sha256 }, index) =>
    size > 0 && !path.endsWith('/') ? [{ index, path, size, sha256 }] : [],
  )
  const hashes = [...new Set(files.map(({ sha256 }) => sha256))]
  const [known, base_entries] = await Promise.all([
    findKnownEntries(core.sql, game_uid, base.uid, hashes),
    readBaseEntries(core.sql, base.uid),
  ])
  const findBaseEntry = findBaseEntries(base_entries)
  return {
    base,
    entries: files.flatMap(({ index, ...entry }): DeltaPlan['entries'] => {
      const match = known.get(entry.sha256)
      if (match) return [{ index, known: match }]
      const base_entry = findBaseEntry(entry)
      return base_entry ? [{ index, base: base_entry }] : []
    }),
  }
}

async function chooseBase(
  { sql }: Core,
  game_uid: string,
  base_file_uid: string | undefined,
  { build, os, arch, channel }: UploadTarget,
): Promise<BaseFile | undefined> {
  if (base_file_uid === undefined)
    return findBase(sql, game_uid, { app: build.app, os, arch, channel })
  const [file] = isUuid(base_file_uid) ? await readCleanFiles(sql, game_uid, [base_file_uid]) : []
  return file ?? refuse('DELTA_BASE_GONE')
}

/** A file of the game as the thread reads it. */
export const asStoredFile = (game_uid: string, { uid, object_uid, size }: BaseFile) => ({
  uid,
  key: fileKey({ object_uid, game_uid }),
  size,
})
