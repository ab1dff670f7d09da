import type { Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FilePart, readForm } from '../../core/http/multipart.ts'
import { readRequestBody } from '../../core/http/read-body.ts'
import { parseJson } from '../../core/http/text-input.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { KIB, MINUTE } from '../../core/runtime/units.ts'
import { ObjectTooLarge, type Storage } from '../../core/storage/storage.ts'
import { flag, invalidField, longerThan, record } from '../../listings/fields/text.ts'
import { HEADER_BYTES, MAX_PIXELS, readImageHeader, type ScreenshotType } from './image-header.ts'
import { type ReportText, readReport, reportField, textFields } from './report-fields.ts'
import { MAX_LOG_BYTES, MAX_SCREENSHOT_BYTES } from './report-limits.ts'

export type Screenshot = { type: ScreenshotType; size: number }
/** A report as it was read; its screenshot is stored already. */
export type Report = ReportText & {
  log: string | null
  screenshot: Screenshot | null
  later_files: LaterFile[]
}
/** A file that the client uploads after the report, to a URL in the answer. */
export type LaterFile = 'dump' | 'log'
const laterFileFields = { include_dump: 'dump', include_log: 'log' } as const

/** Space for boundaries, headers and the short fields. */
export const FORM_OVERHEAD = 256 * KIB
const formLimits = {
  max_bytes: MAX_SCREENSHOT_BYTES + MAX_LOG_BYTES + FORM_OVERHEAD,
  max_parts: 16,
  // A log without a file name counts as a file, too: it has its own limit and need not be UTF-8.
  files: ['log'],
  refusal: 'MALFORMED',
} as const
/** In JSON, each character of a log may be escaped to six bytes. */
const MAX_JSON_BYTES = 6 * MAX_LOG_BYTES + FORM_OVERHEAD

/** One minute plus a second per 128 KiB, so that a phone with a slow connection can finish. */
export const reportSeconds = (bytes: number) =>
  MINUTE + Math.ceil(Math.min(bytes, formLimits.max_bytes) / (128 * KIB))

/** Where the screenshot of a report goes. */
export type ScreenshotTarget = {
  /** Without one, the screenshot is checked and left out. */
  storage: Storage | false
  key: string
  /** Hashes it, also if it is left out. */
  hash?: Hash | undefined
}

/** Reads the parts in any order and stores the screenshot as it arrives; a refusal removes it. */
export async function readReportForm(
  target: ScreenshotTarget,
  request: IncomingMessage,
): Promise<Report> {
  const { storage, key } = target
  const fields = new Map<string, string>()
  let log: string | null = null
  let screenshot: Screenshot | null = null
  try {
    for await (const part of readForm(request, formLimits)) {
      if ('value' in part) addField(fields, part.name, part.value)
      else if (part.name === 'log') log = await readLog(part, log)
      else if (part.name === 'screenshot')
        screenshot = await storeScreenshot(target, part, screenshot)
      else invalidField(reportField(shorten(part.name)), 'unknown file; send log or screenshot')
    }
    return {
      ...readReport(Object.fromEntries(fields)),
      log: toLogText(log ?? ''),
      screenshot,
      later_files: [],
    }
  } catch (error) {
    if (screenshot && storage) await storage.discard(key)
    throw error
  }
}

const shorten = (name: string) => (longerThan(name, 40) ? `${name.slice(0, 40)}…` : name)

function addField(fields: Map<string, string>, name: string, value: string): void {
  if (name === 'screenshot') invalidField(reportField(name), 'send it as a file, with a file name')
  if (!textFields.some((field) => field === name))
    invalidField(reportField(shorten(name)), 'unknown field')
  if (fields.has(name)) invalidField(reportField(name), 'send it only once')
  fields.set(name, value)
}

function checkLogSize(bytes: number): void {
  if (bytes > MAX_LOG_BYTES)
    refuse(
      'BODY_TOO_LARGE',
      { field: 'log' },
      explain('log_size', `log: send at most ${MAX_LOG_BYTES} bytes, preferably the end of it`, {
        bytes: MAX_LOG_BYTES,
      }),
    )
}

async function readLog({ bytes }: FilePart, earlier: string | null): Promise<string> {
  if (earlier !== null) invalidField(reportField('log'), 'send it only once')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    checkLogSize(size)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A log may be cut anywhere. Bytes that are not text are replaced instead of refused. */
const toLogText = (text: string) => (text === '' ? null : text.replaceAll('\0', '\ufffd'))

/** Ignores the empty part that browsers send for a file input without a file. */
async function storeScreenshot(
  { storage, key, hash }: ScreenshotTarget,
  { filename, bytes }: FilePart,
  earlier: Screenshot | null,
): Promise<Screenshot | null> {
  const start = await readStart(bytes)
  if (start.chunks.length === 0 && filename === '') return earlier
  if (earlier) invalidField(reportField('screenshot'), 'send only one')
  const type = checkHeader(concatenate(start.chunks))
  const all_bytes = hash ? hashed(allBytes(start), hash) : allBytes(start)
  if (!storage) {
    if (hash) for await (const _ of all_bytes);
    return null
  }
  try {
    const options = { max_bytes: MAX_SCREENSHOT_BYTES, fresh: true }
    const { size } = await storage.put(key, all_bytes, options)
    return { type, size }
  } catch (error) {
    if (!(error instanceof ObjectTooLarge)) throw error
    return refuse(
      'BODY_TOO_LARGE',
      { field: 'screenshot' },
      explain('image_over_bytes', `screenshot: send at most ${MAX_SCREENSHOT_BYTES} bytes`, {
        max_bytes: MAX_SCREENSHOT_BYTES,
      }),
    )
  }
}

type FileStart = { chunks: Uint8Array[]; rest: AsyncIterator<Uint8Array> }

/**
 * Reads as much of a file as its header needs. The header is parsed each time the size has doubled,
 * so that tiny chunks cost no more than large ones.
 */
async function readStart(bytes: AsyncIterable<Uint8Array>): Promise<FileStart> {
  const rest = bytes[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let size = 0
  let next_parse = 1
  while (size < HEADER_BYTES) {
    const { value, done } = await rest.next()
    if (done) break
    chunks.push(value)
    size += value.length
    if (size < next_parse) continue
    if (readImageHeader(concatenate(chunks))) break
    next_parse = 2 * size
  }
  return { chunks, rest }
}

/** Does not copy if there is only one chunk, which is the usual case. */
const concatenate = (chunks: Uint8Array[]): Buffer => {
  const [first] = chunks
  return chunks.length === 1
    ? Buffer.from(first!.buffer, first!.byteOffset, first!.byteLength)
    : Buffer.concat(chunks)
}

async function* allBytes({ chunks, rest }: FileStart): AsyncGenerator<Uint8Array, void> {
  yield* chunks
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Hash) {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}

function checkHeader(start: Buffer): ScreenshotType {
  const header = readImageHeader(start)
  const field = { refusal: 'IMAGE_REJECTED', field: 'screenshot' } as const
  if (!header)
    invalidField(field, explain('image_not_profile_image', 'it is not a PNG, JPEG or WebP image'))
  if (header.width * header.height > MAX_PIXELS)
    invalidField(
      field,
      explain(
        'image_megapixels',
        `it has ${header.width}x${header.height} pixels; send at most ${MAX_PIXELS / 1e6} million`,
        { width: header.width, height: header.height, max: MAX_PIXELS / 1e6 },
      ),
    )
  return header.type
}

const jsonFields = new Set<string>(['log', ...textFields, ...Object.keys(laterFileFields)])

/** Reads a report without files, or whose files are uploaded later. */
export async function readReportJson(request: IncomingMessage): Promise<Report> {
  const bytes = await readJsonBody(request)
  const fields = record(
    reportField('body'),
    parseJson(bytes, (text) => JSON.parse(text)),
  )
  const unknown = Object.keys(fields).find((name) => !jsonFields.has(name))
  if (unknown !== undefined) invalidField(reportField(shorten(unknown)), 'unknown field')
  const log = fields.log ?? ''
  if (typeof log !== 'string') invalidField(reportField('log'), 'send it as text')
  checkLogSize(Buffer.byteLength(log))
  return {
    ...readReport(fields),
    log: toLogText(log),
    screenshot: null,
    later_files: readLaterFiles(fields),
  }
}

function readLaterFiles(fields: Record<string, unknown>): LaterFile[] {
  const included = Object.entries(laterFileFields).filter(([name]) =>
    flag(reportField(name), fields[name] ?? false),
  )
  // A dump can only be read with the symbols of its build.
  if (included.length && !fields.build_id)
    invalidField(reportField('build_id'), `send build_id together with ${included[0]![0]}`)
  return included.map(([, file]) => file)
}

async function readJsonBody(request: IncomingMessage): Promise<Buffer> {
  try {
    return await readRequestBody(request, MAX_JSON_BYTES)
  } catch (error) {
    if (error instanceof Refusal) throw error
    return refuse('MALFORMED', undefined, 'body: the connection was closed early')
  }
}
