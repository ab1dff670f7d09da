import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

export type Format = 'png' | 'jpeg' | 'gif' | 'webp'
export type Upload = { name?: string; bytes: Uint8Array; filename?: string; type?: string }

let shade = 0

/** Creates a plain image, different each time unless a color is given. */
export async function picture(
  width: number,
  height: number,
  { format = 'png', color = nextColor() }: { format?: Format; color?: string } = {},
) {
  if (format === 'png') return plainPng(width, height, color)
  return sharp({ create: { width, height, channels: 3, background: color } })
    .toFormat(format)
    .toBuffer()
}

/** One bit per pixel and a palette of one color: small and quick to encode and to decode. */
function plainPng(width: number, height: number, color: string): Buffer {
  const header = pngHeader(width, height, { bits: 1, color_type: 3 })
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)))
  return encodePng([
    ['IHDR', header],
    ['PLTE', Buffer.from(color.slice(1), 'hex')],
    ['IDAT', deflateSync(rows, { level: 1 })],
  ])
}

const nextColor = () => `#${(++shade * 0x1357b).toString(16).padStart(6, '0').slice(-6)}`

/** Encodes a form like a browser, for `call`. */
export async function form(
  fields: Record<string, string>,
  files: Upload[] = [],
  { fields_last = false } = {},
) {
  const data = new FormData()
  const addFields = () => {
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
  }
  if (!fields_last) addFields()
  for (const { name = 'file', bytes, filename = 'image.png', type = 'image/png' } of files)
    data.append(name, new Blob([new Uint8Array(bytes)], { type }), filename)
  if (fields_last) addFields()
  const encoded = new Response(data)
  return {
    headers: { 'content-type': encoded.headers.get('content-type')! },
    raw: new Uint8Array(await encoded.arrayBuffer()),
  }
}

/** Encodes a PNG chunk of any type and content. */
export function pngChunk(kind: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const length = Buffer.alloc(4)
  const checksum = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}

/** Creates a PNG whose header has these dimensions, whatever its pixels are. */
export const pngWithHeader = (width: number, height: number, pixels: Uint8Array): Buffer =>
  encodePng([
    ['IHDR', pngHeader(width, height, { bits: 8, color_type: 2 })],
    ['IDAT', deflateSync(pixels)],
  ])

function pngHeader(
  width: number,
  height: number,
  { bits, color_type }: { bits: number; color_type: number },
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([bits, color_type], 8)
  return header
}

const encodePng = (chunks: [kind: string, data: Uint8Array][]): Buffer =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...chunks.map(([kind, data]) => pngChunk(kind, data)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])

/** Pads an image to exactly this many bytes. */
export function padPng(png: Buffer, size: number): Buffer {
  const end = png.length - 12
  const padding = pngChunk('paDd', Buffer.alloc(size - png.length - 12))
  return Buffer.concat([png.subarray(0, end), padding, png.subarray(end)])
}
