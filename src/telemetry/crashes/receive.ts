import type { FastifyRequest } from 'fastify'
import { type FieldPart, type FilePart, readForm } from '../../core/http/multipart.ts'
import { readBody, readRequestBody } from '../../core/http/read-body.ts'
import { parseJson } from '../../core/http/text-input.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { MIB } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { ObjectTooLarge } from '../../core/storage/storage.ts'
import { announcedBytes, type Room, readRoom } from '../../listings/storage/quota.ts'
import { type Game, identifyGame, sentIds } from '../schemes.ts'
import { formFields, type Report, readReport } from './fields.ts'
import type { Artifact } from './queries.ts'

export const MAX_ARTIFACT_BYTES = 64 * MIB
const MAX_JSON_BYTES = MIB
/** What a form may contain besides its files. */
export const FORM_BYTES = MIB
/** Crashpad compresses what it sends. */
export const compressible = { accepts_gzip: true } as const
const extensions: Record<Artifact, string> = { dump: 'dmp', log: 'log' }

/** A file in storage that no report refers to yet. */
export type StoredArtifact = { key: string; size: number }
export type StoredArtifacts = Partial<Record<Artifact, StoredArtifact>>
export type ReceivedReport = { game: Game; report: Report; stored: StoredArtifacts }

/** Receives a report and stores its files, which the caller then records or removes. */
export async function receiveReport(
  core: Core,
  request: FastifyRequest,
  who: Game | null,
): Promise<ReceivedReport> {
  const type = String(request.headers['content-type'] ?? '')
  if (/^multipart\/form-data\b/i.test(type)) return receiveForm(core, request, who)
  if (!/^application\/json\b/i.test(type))
    refuse(
      'UNSUPPORTED_MEDIA_TYPE',
      undefined,
      'Send the report as application/json or multipart/form-data',
    )
  const report = readReport(
    readJson(await readRequestBody(request.raw, MAX_JSON_BYTES, compressible)),
  )
  const game = who ?? (await gameOf(core, request, report, 'Send X-App-Id and X-Build-Id'))
  return { game, report, stored: {} }
}

/** The report itself must name its game or build if the headers do not. */
async function gameOf(
  core: Core,
  { headers }: FastifyRequest,
  report: Report,
  hint: string,
): Promise<Game> {
  const { app_id = report.app_id, build_id = report.build_id } = sentIds(headers)
  if (app_id === undefined || build_id === undefined)
    refuse('GAME_NOT_AUTHENTICATED', undefined, hint)
  return identifyGame(core, app_id, build_id)
}

const FORM_HINT = 'Send X-App-Id and X-Build-Id, or app_id and build_id before the files'

function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) refuse('MALFORMED', undefined, 'body: must be JSON')
  const value = parseJson(bytes, JSON.parse)
  // As for all other bodies: assigning such a key could change the prototype of an object.
  if (bytes.includes('"__proto__"')) refuse('MALFORMED', undefined, 'body: not valid JSON')
  return value
}

async function receiveForm(
  core: Core,
  request: FastifyRequest,
  who: Game | null,
): Promise<ReceivedReport> {
  const limits = {
    ...compressible,
    max_bytes: 2 * MAX_ARTIFACT_BYTES + FORM_BYTES,
    max_field_bytes: MAX_JSON_BYTES / 2,
    refusal: 'MALFORMED',
  } as const
  if (Number(request.headers['content-length'] ?? 0) > limits.max_bytes) refuse('BODY_TOO_LARGE')
  const fields: Record<string, unknown> = {}
  let metadata: object | undefined
  let text_bytes = 0
  let game = who
  let room: Room | undefined
  const stored: StoredArtifacts = {}
  const readFields = () => readReport({ ...fields, ...metadata })
  try {
    for await (const part of readForm(request.raw, limits)) {
      const { kind, signature = anyStart } = artifactParts.get(part.name) ?? {}
      if (part.name === 'metadata') {
        const text = await readPart(part)
        metadata ??= readJson(text) as object
        readReport(metadata)
        text_bytes += text.length
      } else if ('value' in part) {
        const field = formFields.get(part.name)
        if (field) fields[field] = part.value
        text_bytes += part.value.length
      }
      const file =
        part.name === 'metadata' || 'value' in part
          ? undefined
          : await peek(part.bytes, signature.length)
      // Only the start of a file and no long text is read before the sender is known.
      if (file?.start.length || text_bytes > FORM_BYTES)
        game ??= await gameOf(core, request, readFields(), FORM_HINT)
      if (!file?.start.length || !kind || stored[kind] || !startsWith(file.start, signature))
        continue
      room ??= await readRoom(core, {
        game_uid: game!.game_uid,
        sender: 'players',
        bytes: announcedBytes(request.raw, FORM_BYTES),
      })
      // The report is worth keeping without its files.
      if (room !== 'none') stored[kind] = await storeArtifact(core, kind, file.bytes)
    }
    const report = readFields()
    return { game: game ?? (await gameOf(core, request, report, FORM_HINT)), report, stored }
  } catch (error) {
    await removeStored(core, stored)
    throw error
  }
}

/**
 * The parts of a form that are files. Breakpad has a name of its own for the dump, and sends the
 * part also when it could not write a minidump.
 */
const artifactParts = new Map<string, { kind: Artifact; signature?: Buffer }>([
  ['dump', { kind: 'dump' }],
  ['upload_file_minidump', { kind: 'dump', signature: Buffer.from('MDMP') }],
  ['log', { kind: 'log' }],
])

const anyStart = Buffer.alloc(0)

const startsWith = (start: Buffer, signature: Buffer) =>
  start.subarray(0, signature.length).equals(signature)

/** The same bytes, and the first of them: at least one and `length`, if there are so many. */
async function peek(
  bytes: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ start: Buffer; bytes: AsyncIterable<Uint8Array> }> {
  const chunks = bytes[Symbol.asyncIterator]()
  let start: Buffer = Buffer.alloc(0)
  while (start.length < Math.max(1, length)) {
    const { value, done } = await chunks.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  const all = async function* () {
    yield start
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { start, bytes: all() }
}

const readPart = async (part: FieldPart | FilePart) =>
  'value' in part ? Buffer.from(part.value) : readBody(part.bytes, MAX_JSON_BYTES)

/** Each file gets a key of its own, so that concurrent requests never overwrite each other. */
export async function storeArtifact(
  core: Core,
  kind: Artifact,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredArtifact> {
  const key = `crashes/${uuidv7()}.${extensions[kind]}`
  try {
    const { size } = await core.storage.put(key, bytes, { max_bytes: MAX_ARTIFACT_BYTES })
    crashPoint('crash-stored')
    return { key, size }
  } catch (error) {
    if (error instanceof ObjectTooLarge)
      refuse('BODY_TOO_LARGE', undefined, `A ${kind} may have at most ${MAX_ARTIFACT_BYTES} bytes`)
    throw error
  }
}

export async function removeStored(core: Core, stored: StoredArtifacts): Promise<void> {
  for (const { key } of Object.values(stored)) await core.storage.discard(key).catch(() => {})
}
