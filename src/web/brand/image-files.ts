import { buffer } from 'node:stream/consumers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FILE_POLICY } from '../../core/http/file-headers.ts'
import type { Core } from '../../core/runtime/core.ts'
import {
  type BrandImageKind,
  brandImageEndings,
  brandKey,
  type IconSize,
  parseBrandName,
} from '../../core/settings/brand-images.ts'
import { sendObject } from '../../core/storage/send-object.ts'

const SVG = 'image/svg+xml'
/** Forbids scripts and requests of an SVG image that is opened as a page; its style stays. */
const NO_SCRIPTS = `style-src 'unsafe-inline'; ${FILE_POLICY}`

function typeOf(file: string): string {
  const endings = Object.entries(brandImageEndings)
  const [type = ''] = endings.find(([, ending]) => file.endsWith(`.${ending}`)) ?? []
  return type === SVG ? `${SVG}; charset=utf-8` : type
}

const imageOf = ({ settings }: Core, kind: BrandImageKind, sha256: string) => {
  const image = settings.images[kind]
  return image?.sha256 === sha256 ? image : undefined
}

/** Sends a file of the logo or favicon; undefined if the store does not use it. */
export async function sendBrandImage(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<FastifyReply | undefined> {
  const { kind, sha256, file } = parseBrandName(name) ?? {}
  if (!kind || !sha256 || !file) return undefined
  // Another process may have served the page, and heard of the change first.
  if (!imageOf(core, kind, sha256)) await core.settings.reload()
  const image = imageOf(core, kind, sha256)
  const size = image?.files[file]
  if (!image || size === undefined) return undefined
  reply.header('content-security-policy', NO_SCRIPTS)
  const object = { key: brandKey(image.uid, file), size, type: typeOf(file) }
  return sendObject(core.storage, request, reply, { ...object, checksum: `${sha256}-${file}` })
}

/** The bytes of an uploaded icon; undefined if there is none. */
export async function readBrandIcon(
  { settings, storage }: Core,
  size: IconSize,
): Promise<Buffer | undefined> {
  const { favicon } = settings.images
  const object = favicon && (await storage.get(brandKey(favicon.uid, `favicon-${size}.png`)))
  return object ? buffer(object.stream) : undefined
}
