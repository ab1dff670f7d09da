/** The media types of what web builds contain; anything else is sent as bytes. */
const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  xml: 'application/xml',
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  wasm: 'application/wasm',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml; charset=utf-8',
  ico: 'image/x-icon',
  ktx2: 'image/ktx2',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  flac: 'audio/flac',
  mid: 'audio/midi',
  mp4: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  gltf: 'model/gltf+json',
  glb: 'model/gltf-binary',
  zip: 'application/zip',
  pdf: 'application/pdf',
}
const BYTES = 'application/octet-stream'

/**
 * How engines name files that they compressed themselves. What one of them names `.unityweb` is
 * unpacked by its own loader and is sent as it is.
 */
const codings: Record<string, Coding> = { br: 'br', gz: 'gzip' }

export type Coding = 'br' | 'gzip'
export type MediaType = { type: string; coding?: Coding }

/**
 * The type of a file by its name. `game.wasm.br` is WebAssembly in the coding `br`: engines export
 * such files for servers that say so in a header.
 */
export function mediaTypeOf(path: string): MediaType {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const extension = extensionOf(name)
  const inner = extensionOf(name.slice(0, -extension.length - 1))
  const coding = Object.hasOwn(codings, extension) ? codings[extension] : undefined
  // A file named only `data.gz` is one that the game reads itself.
  return coding && inner ? { type: typeOf(inner), coding } : { type: typeOf(extension) }
}

const extensionOf = (name: string) => {
  const at = name.lastIndexOf('.')
  return at > 0 ? name.slice(at + 1) : ''
}
const typeOf = (extension: string) => (Object.hasOwn(types, extension) && types[extension]) || BYTES

export const isDocument = ({ type }: MediaType) =>
  type.startsWith('text/html') || type.startsWith('image/svg') || type === 'application/xml'
