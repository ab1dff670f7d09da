import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { defaultIsFile, type MultipartError, make, type PartInfo } from 'multipasta'
import { type ErrorName, refuse } from '../runtime/errors.ts'
import { checkText } from './text-input.ts'

export type FieldPart = { name: string; value: string }
/** `bytes` is read once, before the next part is asked for; what is left of it then is thrown away. */
export type FilePart = { name: string; filename: string; bytes: AsyncIterable<Uint8Array> }

export type FormLimits = {
  /** Of the whole request, so that nothing between the parts is endless. */
  max_bytes: number
  max_field_bytes?: number
  max_parts?: number
  /** Parts that are handed on as bytes even when they come without a file name. */
  files?: readonly string[]
  /** How a form that cannot be read is refused. */
  refusal?: ErrorName
}

type Step = FieldPart | { name: string; filename: string } | { chunk: Uint8Array | null }

const DASH = 0x2d
const MAX_FIELD_BYTES = 64 * 1024
const MAX_PARTS = 100

/**
 * A multipart form as it arrives, part by part in the order sent: nothing is kept but small text fields, and the sender is read no faster
 * than the parts are. However reading ends, the rest of the body is thrown away, so that the answer reaches whoever is still sending.
 */
export async function* readForm(
  request: IncomingMessage,
  limits: FormLimits,
): AsyncGenerator<FieldPart | FilePart, void> {
  const source = request.iterator({ destroyOnReturn: false })
  try {
    const steps = readSteps(source, String(request.headers['content-type'] ?? ''), limits)
    for (let step = await steps.next(); !step.done; step = await steps.next()) {
      if ('value' in step.value) yield step.value
      else if ('filename' in step.value) {
        const bytes = readChunks(steps)
        yield { ...step.value, bytes }
        // Ended early by its reader, it would be over: the rest is skipped below as chunks without a file.
        await bytes.return()
      }
    }
  } finally {
    await source.return?.()
    request.resume()
  }
}

async function* readChunks(steps: AsyncGenerator<Step, void>): AsyncGenerator<Uint8Array, void> {
  for (
    let step = await steps.next();
    !step.done && 'chunk' in step.value && step.value.chunk;
    step = await steps.next()
  )
    yield step.value.chunk
}

/** The form as a flat run of steps: a field, a file, chunks of that file and null at its end. */
async function* readSteps(
  source: AsyncIterator<Uint8Array>,
  content_type: string,
  {
    max_bytes,
    max_field_bytes = MAX_FIELD_BYTES,
    max_parts = MAX_PARTS,
    files = [],
    refusal = 'FILE_MISSING',
  }: FormLimits,
): AsyncGenerator<Step, void> {
  const unreadable = (why: string): never =>
    refuse(refusal, undefined, `The form could not be read: ${why}`)
  if (!/^multipart\/form-data\s*;/i.test(content_type)) unreadable('send it as multipart/form-data')
  const steps: Step[] = []
  /** How many of the steps stand before the last boundary; what follows it does not count. */
  let ended: number | undefined
  let failed: MultipartError | undefined
  const parser = make({
    headers: { 'content-type': content_type },
    maxTotalSize: max_bytes,
    maxFieldSize: max_field_bytes,
    maxParts: max_parts,
    isFile: (info) => files.includes(info.name) || defaultIsFile(info),
    onField: (info, value) =>
      steps.push({
        name: info.name,
        value: textOf(info, value) ?? unreadable(`${info.name} is not UTF-8 text`),
      }),
    onFile(info) {
      steps.push({ name: info.name, filename: info.filename ?? '' })
      return (chunk) => steps.push({ chunk })
    },
    onError: (error) => {
      if (ended === undefined) failed ??= error
    },
    onDone: () => {
      ended ??= steps.length
    },
  })
  function take(write: () => void): Step[] {
    attempt(write, unreadable)
    if (failed) failWith(failed, { max_bytes, max_field_bytes, max_parts }, unreadable)
    return steps.splice(0, ended ?? steps.length)
  }
  for await (const chunk of withoutTrailingDashes(source, unreadable)) {
    yield* take(() => parser.write(chunk))
    if (ended !== undefined) return
  }
  // The parser keeps a short end to itself until it is told that it was the end.
  yield* take(() => parser.end())
  if (ended === undefined) unreadable('it ends before its last boundary')
}

/**
 * The parser knows the last boundary by the two dashes after it, and mistakes them for a part's header when they arrive in two chunks:
 * dashes at the end of a chunk wait for the next one.
 */
async function* withoutTrailingDashes(
  source: AsyncIterator<Uint8Array>,
  unreadable: (why: string) => never,
): AsyncGenerator<Uint8Array, void> {
  let held = 0
  for (;;) {
    const { value, done } = await source.next().catch(() => unreadable('the connection broke off'))
    if (done) break
    const chunk: Uint8Array = held ? Buffer.concat([Buffer.alloc(held, DASH), value]) : value
    held = chunk.at(-1) !== DASH ? 0 : chunk.at(-2) === DASH ? 2 : 1
    if (chunk.length > held) yield chunk.subarray(0, chunk.length - held)
  }
  if (held) yield Buffer.alloc(held, DASH)
}

function textOf({ name }: PartInfo, value: Uint8Array): string | undefined {
  if (!isUtf8(value)) return undefined
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8')
  checkText([name, text], 'form')
  return text
}

/** A header such as a broken filename* makes the parser throw. */
function attempt(write: () => void, unreadable: (why: string) => never) {
  try {
    write()
  } catch (error) {
    if (error instanceof URIError) unreadable('the header of a part is broken')
    throw error
  }
}

function failWith(
  error: MultipartError,
  limits: Record<string, number>,
  unreadable: (why: string) => never,
): never {
  if (error._tag === 'InvalidBoundary') unreadable('its Content-Type names no boundary')
  if (error._tag === 'EndNotReached') unreadable('it ends before its last boundary')
  if (error._tag !== 'ReachedLimit') unreadable('the header of a part is broken')
  if (error.limit === 'MaxParts') unreadable(`it has more than ${limits.max_parts} parts`)
  if (error.limit === 'MaxFieldSize')
    unreadable(`a field has more than ${limits.max_field_bytes} bytes`)
  refuse('BODY_TOO_LARGE')
}
