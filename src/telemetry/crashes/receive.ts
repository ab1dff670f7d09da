import type { FastifyRequest } from 'fastify'
import { type FieldPart, type FilePart, readForm } from '../../core/http/multipart.ts'
import { readBody } from '../../core/http/read-body.ts'
import { parseJson } from '../../core/http/text-input.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { ObjectTooLarge } from '../../core/storage/storage.ts'
import { type Game, identifyGame } from '../schemes.ts'
import { type Report, readReport } from './fields.ts'
import type { Artifact } from './queries.ts'

const MIB = 1024 * 1024
export const MAX_ARTIFACT = 64 * MIB
const MAX_JSON = MIB
const FORM_BYTES = MIB
export const extensions: Record<Artifact, string> = { dump: 'dmp', log: 'log' }

export type Stored = { key: string; size: number }
export type Received = { game: Game; report: Report; stored: Partial<Record<Artifact, Stored>> }

/** A report with whatever came along. What was stored is the caller's to record or to remove. */
export async function receiveReport(
  core: Core,
  request: FastifyRequest,
  who: Game | null,
): Promise<Received> {
  const type = String(request.headers['content-type'] ?? '')
  if (/^multipart\/form-data\b/i.test(type)) return receiveForm(core, request, who)
  if (!/^application\/json\b/i.test(type))
    refuse(
      'UNSUPPORTED_MEDIA_TYPE',
      undefined,
      'Send the report as application/json or multipart/form-data',
    )
  const report = readReport(readJson(await readBody(request.raw, MAX_JSON)))
  return { game: await gameOf(core, who, report), report, stored: {} }
}

/** Without headers, what the report says of itself. */
async function gameOf(core: Core, who: Game | null, { app_id, build_id }: Report): Promise<Game> {
  if (who) return who
  if (app_id === undefined || build_id === undefined)
    refuse('GAME_NOT_AUTHENTICATED', undefined, 'Send X-App-Id and X-Build-Id')
  return identifyGame(core, app_id, build_id)
}

function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) refuse('MALFORMED', undefined, 'body: a JSON body is needed')
  const value = parseJson(bytes, JSON.parse)
  // As for every other body: such a key would be taken for more than a name.
  if (bytes.includes('"__proto__"')) refuse('MALFORMED', undefined, 'body: not valid JSON')
  return value
}

async function receiveForm(
  core: Core,
  request: FastifyRequest,
  who: Game | null,
): Promise<Received> {
  const limits = {
    max_bytes: 2 * MAX_ARTIFACT + FORM_BYTES,
    max_field_bytes: MAX_JSON / 2,
    refusal: 'MALFORMED',
  } as const
  if (Number(request.headers['content-length'] ?? 0) > limits.max_bytes) refuse('BODY_TOO_LARGE')
  let report: Report | undefined
  let game = who
  const stored: Received['stored'] = {}
  try {
    for await (const part of readForm(request.raw, limits)) {
      if (part.name === 'metadata') {
        report ??= readReport(readJson(await wholePart(part)))
        game ??= await gameOf(core, null, report)
      } else if (
        (part.name === 'dump' || part.name === 'log') &&
        !('value' in part) &&
        !stored[part.name]
      ) {
        // Strangers do not get to store anything.
        if (!game)
          refuse(
            'GAME_NOT_AUTHENTICATED',
            undefined,
            'Send X-App-Id and X-Build-Id, or metadata with app_id and build_id before the files',
          )
        stored[part.name] = await storeArtifact(core, part.name, part.bytes)
      }
    }
    report ??= readReport({})
    return { game: game ?? (await gameOf(core, null, report)), report, stored }
  } catch (error) {
    await removeStored(core, stored)
    throw error
  }
}

const wholePart = async (part: FieldPart | FilePart) =>
  'value' in part ? Buffer.from(part.value) : readBody(part.bytes, MAX_JSON)

/** Under a name of its own: of two who send the same, neither writes over the other. */
export async function storeArtifact(
  core: Core,
  kind: Artifact,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Stored> {
  const key = `crashes/${uuidv7()}.${extensions[kind]}`
  try {
    const { size } = await core.storage.put(key, bytes, { max_bytes: MAX_ARTIFACT })
    return { key, size }
  } catch (error) {
    if (error instanceof ObjectTooLarge)
      refuse('BODY_TOO_LARGE', undefined, `A ${kind} has at most ${MAX_ARTIFACT} bytes`)
    throw error
  }
}

export async function removeStored(core: Core, stored: Received['stored']): Promise<void> {
  for (const one of Object.values(stored)) await core.storage.remove(one.key).catch(() => {})
}
