import type { IncomingMessage } from 'node:http'
import { type FilePart, readForm } from '../../core/http/multipart.ts'
import { readBody } from '../../core/http/read-body.ts'
import { parseJson } from '../../core/http/text-input.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { ObjectTooLarge, type Storage } from '../../core/storage/storage.ts'
import { flag, invalidField, longerThan, record } from '../../listings/fields/text.ts'
import { HEADER_BYTES, MAX_PIXELS, readImageHeader, type ScreenshotType } from './image-header.ts'
import {
  at,
  MAX_LOG_BYTES,
  MAX_SCREENSHOT_BYTES,
  type ReportText,
  readReport,
  textFields,
} from './report-fields.ts'

export type Screenshot = { type: ScreenshotType; size: number }
/** What a report brought; its screenshot is in the store already. */
export type Report = ReportText & {
  log: string | null
  screenshot: Screenshot | null
  announced: Announced[]
}
/** What will be sent after the report, to addresses that its answer names. */
export type Announced = 'dump' | 'log'
const announcements = { include_dump: 'dump', include_log: 'log' } as const

/** Room for boundaries, headers and the short fields. */
const FORM_OVERHEAD = 256 * 1024
const formLimits = {
  max_bytes: MAX_SCREENSHOT_BYTES + MAX_LOG_BYTES + FORM_OVERHEAD,
  max_parts: 16,
  // However it is sent: a log is held to its own size, and need not be text.
  files: ['log'],
  refusal: 'MALFORMED',
} as const
/** Every character of a log may have been escaped. */
const MAX_JSON_BYTES = 6 * MAX_LOG_BYTES + FORM_OVERHEAD

/** A minute, and a second per 128 KiB: a phone on a bad line gets its screenshot through. */
export const reportSeconds = (bytes: number) =>
  60 + Math.ceil(Math.min(bytes, formLimits.max_bytes) / (128 * 1024))

/** The parts in any order; the screenshot goes to the store as it arrives. Whatever is refused leaves nothing there. */
export async function readReportForm(
  storage: Storage,
  key: string,
  request: IncomingMessage,
): Promise<Report> {
  const fields = new Map<string, string>()
  let [log, screenshot]: [string | null, Screenshot | null] = [null, null]
  try {
    for await (const part of readForm(request, formLimits)) {
      if ('value' in part) keepField(fields, part.name, part.value)
      else if (part.name === 'log') log = await readLog(part, log !== null)
      else if (part.name === 'screenshot')
        screenshot = (await receive(storage, key, part, screenshot !== null)) ?? screenshot
      else invalidField(at(short(part.name)), 'there is no such file; send log and screenshot')
    }
    return {
      ...readReport(Object.fromEntries(fields)),
      log: logText(log ?? ''),
      screenshot,
      announced: [],
    }
  } catch (error) {
    if (screenshot) await storage.remove(key)
    throw error
  }
}

const short = (name: string) => (longerThan(name, 40) ? `${name.slice(0, 40)}…` : name)

function keepField(fields: Map<string, string>, name: string, value: string): void {
  if (name === 'screenshot') invalidField(at(name), 'send it as a file, with a file name')
  if (!textFields.some((field) => field === name))
    invalidField(at(short(name)), 'there is no such field')
  if (fields.has(name)) invalidField(at(name), 'send it once')
  fields.set(name, value)
}

function checkLog(bytes: number): void {
  if (bytes > MAX_LOG_BYTES)
    refuse(
      'BODY_TOO_LARGE',
      { field: 'log' },
      `log: send at most ${MAX_LOG_BYTES} bytes, the last of it`,
    )
}

async function readLog({ bytes }: FilePart, again: boolean): Promise<string> {
  if (again) invalidField(at('log'), 'send it once')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    checkLog(size)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Logs end in the middle of things: what is no text shows as such instead of costing the report. */
const logText = (text: string) => (text === '' ? null : text.replaceAll('\0', '\ufffd'))

/** Undefined for the empty part that a browser sends for a file input without a file. */
async function receive(
  storage: Storage,
  key: string,
  { filename, bytes }: FilePart,
  again: boolean,
): Promise<Screenshot | undefined> {
  const begin = await readBegin(bytes)
  if (begin.chunks.length === 0 && filename === '') return undefined
  if (again) invalidField(at('screenshot'), 'send one')
  const type = checkHeader(joined(begin.chunks))
  try {
    const { size } = await storage.put(key, rejoin(begin), {
      max_bytes: MAX_SCREENSHOT_BYTES,
      fresh: true,
    })
    return { type, size }
  } catch (error) {
    if (!(error instanceof ObjectTooLarge)) throw error
    return refuse(
      'BODY_TOO_LARGE',
      { field: 'screenshot' },
      `screenshot: send at most ${MAX_SCREENSHOT_BYTES} bytes`,
    )
  }
}

type Begin = { chunks: Uint8Array[]; rest: AsyncIterator<Uint8Array> }

/** As much of a file as is needed to know what it is. Looked at whenever it has doubled, so that tiny chunks cost no more than large ones. */
async function readBegin(bytes: AsyncIterable<Uint8Array>): Promise<Begin> {
  const rest = bytes[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  for (let [size, enough] = [0, 1]; size < HEADER_BYTES; ) {
    const { value, done } = await rest.next()
    if (done) break
    chunks.push(value)
    size += value.length
    if (size < enough) continue
    if (readImageHeader(joined(chunks))) break
    enough = 2 * size
  }
  return { chunks, rest }
}

/** Mostly the first piece is enough, and need not be copied. */
const joined = (chunks: Uint8Array[]): Buffer => {
  const [first] = chunks
  return chunks.length === 1
    ? Buffer.from(first!.buffer, first!.byteOffset, first!.byteLength)
    : Buffer.concat(chunks)
}

async function* rejoin({ chunks, rest }: Begin): AsyncGenerator<Uint8Array, void> {
  yield* chunks
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

function checkHeader(head: Buffer): ScreenshotType {
  const found = readImageHeader(head)
  const at = { refusal: 'IMAGE_REJECTED', field: 'screenshot' } as const
  if (!found) invalidField(at, 'it is not a PNG, JPEG or WebP image')
  if (found.width * found.height > MAX_PIXELS)
    invalidField(
      at,
      `it says that it is ${found.width}x${found.height}; send at most ${MAX_PIXELS / 1e6} million pixels`,
    )
  return found.type
}

const jsonFields = new Set<string>(['log', ...textFields, ...Object.keys(announcements)])

/** The same without files, for those who have none to send, or send them afterwards. */
export async function readReportJson(request: IncomingMessage): Promise<Report> {
  const bytes = await readJsonBody(request)
  const sent = record(
    at('body'),
    parseJson(bytes, (text) => JSON.parse(text)),
  )
  const unknown = Object.keys(sent).find((name) => !jsonFields.has(name))
  if (unknown !== undefined) invalidField(at(short(unknown)), 'there is no such field')
  const log = sent.log ?? ''
  if (typeof log !== 'string') invalidField(at('log'), 'send it as text')
  checkLog(Buffer.byteLength(log))
  return {
    ...readReport(sent),
    log: logText(log),
    screenshot: null,
    announced: readAnnounced(sent),
  }
}

function readAnnounced(sent: Record<string, unknown>): Announced[] {
  const asked = Object.entries(announcements).filter(([name]) =>
    flag(at(name), sent[name] ?? false),
  )
  // A dump means something only with the build that made it.
  if (asked.length && !sent.build_id)
    invalidField(at('build_id'), `name the build with ${asked[0]![0]}`)
  return asked.map(([, kind]) => kind)
}

/** However it ends, the rest is thrown away, so that the answer reaches whoever is still sending. */
async function readJsonBody(request: IncomingMessage): Promise<Buffer> {
  try {
    return await readBody(request.iterator({ destroyOnReturn: false }), MAX_JSON_BYTES)
  } catch (error) {
    if (error instanceof Refusal) throw error
    return refuse('MALFORMED', undefined, 'body: the connection broke off')
  } finally {
    request.resume()
  }
}
