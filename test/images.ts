import sharp from 'sharp'

export type Format = 'png' | 'jpeg' | 'gif' | 'webp'
export type Upload = { name?: string; bytes: Uint8Array; filename?: string; type?: string }

let shade = 0

/** A plain picture, a different one each time unless a colour is given. */
export async function picture(
  width: number,
  height: number,
  { format = 'png', colour = nextColour() }: { format?: Format; colour?: string } = {},
) {
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .toFormat(format, format === 'png' ? { compressionLevel: 1 } : {})
    .toBuffer()
}

const nextColour = () => `#${(++shade * 0x1357b).toString(16).padStart(6, '0').slice(-6)}`

/** A form as a browser sends it, for `call`. */
export async function form(fields: Record<string, string>, files: Upload[] = []) {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const { name = 'file', bytes, filename = 'image.png', type = 'image/png' } of files)
    data.append(name, new Blob([new Uint8Array(bytes)], { type }), filename)
  const encoded = new Response(data)
  return {
    headers: { 'content-type': encoded.headers.get('content-type')! },
    raw: new Uint8Array(await encoded.arrayBuffer()),
  }
}
