import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type FormLimits, readForm } from '../../../src/core/http/multipart.ts'
import { Refusal } from '../../../src/core/runtime/errors.ts'
import { fc } from '../../support/property.ts'

type Sent = { name: string; filename?: string; body: Uint8Array | string }
const LARGE_LIMITS = { max_bytes: 1_000_000 }

function encode(parts: Sent[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ name, filename, body }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${
        filename === undefined
          ? ''
          : `; filename="${filename}"\r\nContent-Type: application/octet-stream`
      }\r\n\r\n`,
    ),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

const sending = (
  chunks: Uint8Array[],
  boundary: string,
  type = `multipart/form-data; boundary=${boundary}`,
) =>
  Object.assign(
    Readable.from(
      chunks.filter(({ length }) => length > 0),
      { objectMode: false },
    ),
    { headers: { 'content-type': type } },
  ) as unknown as IncomingMessage

async function read(request: IncomingMessage, limits: FormLimits = LARGE_LIMITS): Promise<Sent[]> {
  const parts: Sent[] = []
  for await (const part of readForm(request, limits)) {
    if ('value' in part) parts.push({ name: part.name, body: part.value })
    else {
      const { name, filename } = part
      parts.push({ name, filename, body: Buffer.concat(await Array.fromAsync(part.bytes)) })
    }
  }
  return parts
}

const refusal = (code: number, about: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === code && about.test(error.message)

/** Content that resembles the syntax of the form is the most likely to be parsed wrongly. */
const tricky = fc
  .array(
    fc.oneof(
      fc.constantFrom('\r\n', '--', '-', '\r', '\n', 'b', '--b', '\r\n--', 'b--'),
      fc.string({ maxLength: 4 }),
    ),
    {
      maxLength: 12,
    },
  )
  .map((words) => words.join(''))
const boundaries = fc.constantFrom(
  'xb',
  'x-',
  'x--',
  '-x',
  '----WebKitFormBoundaryAbC123',
  '-----------------------------9051914041544843365972754266',
)

test('property: a form gives the same result however it is split into chunks', async () => {
  const part = fc.record({
    name: fc.constantFrom('kind', 'file'),
    filename: fc.option(fc.constant('a.png'), { nil: undefined }),
    body: tricky,
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 4 }),
      boundaries,
      fc.array(fc.nat(), { maxLength: 12 }),
      async (parts, boundary, cuts) => {
        fc.pre(parts.every(({ body }) => !`\r\n${body}\r\n`.includes(`\r\n--${boundary}`)))
        const bytes = encode(parts, boundary)
        const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end))
        const sent = parts.map(({ name, filename, body }) =>
          filename === undefined ? { name, body } : { name, filename, body: Buffer.from(body) },
        )
        assert.deepEqual(await read(sending(chunks, boundary)), sent)
      },
    ),
    { numRuns: 400 },
  )
})

test('a form that arrives byte by byte gives the same result', async () => {
  const parts = [
    { name: 'kind', body: 'cover' },
    { name: 'file', filename: 'a.png', body: Buffer.from('\r\n--\r\n-\r\n--x') },
    { name: 'file', filename: 'b.png', body: Buffer.from('') },
  ]
  const bytes = encode(parts, 'x-y')
  assert.deepEqual(
    await read(
      sending(
        Array.from(bytes, (byte) => Buffer.of(byte)),
        'x-y',
      ),
    ),
    parts,
  )
})

test('a file part that is not read to its end is skipped, and the next part follows', async () => {
  const parts = [
    { name: 'file', filename: 'a', body: 'first' },
    { name: 'file', filename: 'b', body: 'second' },
    { name: 'kind', body: 'cover' },
  ]
  const bytes = encode(parts, 'xb')
  const names: string[] = []
  const bytewise = Array.from(bytes, (byte) => Buffer.of(byte))
  for await (const part of readForm(sending(bytewise, 'xb'), LARGE_LIMITS)) {
    names.push('filename' in part ? part.filename : part.value)
    if ('filename' in part && part.filename === 'a') for await (const _ of part.bytes) break
  }
  assert.deepEqual(names, ['a', 'b', 'cover'])
})

test('rejects a truncated form, wherever it is cut', async () => {
  const bytes = encode(
    [
      { name: 'kind', body: 'cover' },
      { name: 'file', filename: 'a', body: 'bytes' },
    ],
    'xb',
  )
  const last = bytes.length - '\r\n'.length
  for (let end = 0; end < last; end++)
    await assert.rejects(
      read(sending([bytes.subarray(0, end)], 'xb')),
      refusal(4037, /ends before|header/),
      `cut at ${end}`,
    )
  assert.equal((await read(sending([bytes.subarray(0, last)], 'xb'))).length, 2)
})

test('rejects a body that is not a form and gives the reason', async () => {
  const form = encode([{ name: 'kind', body: 'cover' }], 'xb')
  const broken = Buffer.from(
    '--xb\r\nContent-Disposition: form-data; name="file"; filename*=utf-8\'\'%E0%A4%A\r\n' +
      '\r\nx\r\n--xb--\r\n',
  )
  const nameless = Buffer.from('--xb\r\nContent-Disposition: form-data\r\n\r\nx\r\n--xb--\r\n')
  await assert.rejects(
    read(sending([form], 'xb', 'application/json')),
    refusal(4037, /multipart\/form-data/),
  )
  await assert.rejects(read(sending([form], 'xb', '')), refusal(4037, /multipart\/form-data/))
  await assert.rejects(
    read(sending([form], 'xb', 'multipart/form-data; x=1')),
    refusal(4037, /boundary/),
  )
  await assert.rejects(read(sending([broken], 'xb')), refusal(4037, /header/))
  await assert.rejects(read(sending([nameless], 'xb')), refusal(4037, /header/))
  await assert.rejects(
    read(sending([encode([{ name: 'kind', body: Buffer.of(0xff) }], 'xb')], 'xb')),
    refusal(4037, /UTF-8/),
  )
  await assert.rejects(
    read(sending([encode([{ name: 'kind', body: 'a\0' }], 'xb')], 'xb')),
    refusal(4000, /NUL/),
  )
  await assert.rejects(read(sending([form], 'other')), refusal(4037, /ends before/))
  await assert.rejects(read(sending([], 'xb')), refusal(4037, /ends before/))
  await assert.rejects(
    read(sending([], 'xb'), { ...LARGE_LIMITS, refusal: 'MALFORMED' }),
    refusal(4000, /ends before/),
  )
})

test('accepts a form at its limits and rejects one beyond them', async () => {
  const field = (length: number) => encode([{ name: 'kind', body: 'x'.repeat(length) }], 'xb')
  assert.equal(
    (await read(sending([field(10)], 'xb'), { ...LARGE_LIMITS, max_field_bytes: 10 })).length,
    1,
  )
  await assert.rejects(
    read(sending([field(11)], 'xb'), { ...LARGE_LIMITS, max_field_bytes: 10 }),
    refusal(4037, /more than 10 bytes/),
  )
  const many = (count: number) =>
    encode(
      Array.from({ length: count }, () => ({ name: 'kind', body: '' })),
      'xb',
    )
  assert.equal((await read(sending([many(3)], 'xb'), { ...LARGE_LIMITS, max_parts: 3 })).length, 3)
  await assert.rejects(
    read(sending([many(4)], 'xb'), { ...LARGE_LIMITS, max_parts: 3 }),
    refusal(4037, /more than 3 parts/),
  )
  const all = field(10)
  assert.equal((await read(sending([all], 'xb'), { max_bytes: all.length })).length, 1)
  await assert.rejects(
    read(sending([all], 'xb'), { max_bytes: all.length - 1 }),
    refusal(4130, /too large/),
  )
})

test("a broken connection is reported as the client's failure, not as a server error", async () => {
  const request = sending([], 'xb')
  const broken = Object.assign(
    Readable.from(
      (async function* () {
        yield Buffer.from('--xb\r\n')
        throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
      })(),
    ),
    { headers: request.headers },
  ) as unknown as IncomingMessage
  await assert.rejects(read(broken), refusal(4037, /connection was closed/))
})
