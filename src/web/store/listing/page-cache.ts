import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Core } from '../../../core/runtime/core.ts'

/** A page as everyone sees it, true for one version of what it shows; compressed once somebody asks for it so. */
export type KeptPage = {
  freshness: string
  text: Buffer
  br?: Promise<Buffer>
  username: string
  noindex: boolean
  made_at: number
}
type Made = Omit<KeptPage, 'text' | 'made_at'> & { text: string }

const MOST_BYTES = 64 * 1024 * 1024
/** Pictures of other listings on a page may be replaced without its knowing. */
const MOST_MS = 5 * 60_000
const compress = promisify(brotliCompress)
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }

type Room = { pages: Map<string, KeptPage>; bytes: number; web_url: string }
const rooms = new WeakMap<Core, Room>()

function roomOf(core: Core): Room {
  const room = rooms.get(core)
  // With port 0 the address is known only after the start.
  if (room && room.web_url === core.addresses.web_url) return room
  const fresh = { pages: new Map(), bytes: 0, web_url: core.addresses.web_url }
  rooms.set(core, fresh)
  return fresh
}

export function keptPage(core: Core, uid: string, freshness: string): KeptPage | undefined {
  const known = roomOf(core).pages.get(uid)
  return known?.freshness === freshness && Date.now() - known.made_at < MOST_MS ? known : undefined
}

export function keepPage(core: Core, uid: string, made: Made): KeptPage {
  const room = roomOf(core)
  const kept: KeptPage = { ...made, text: Buffer.from(made.text), made_at: Date.now() }
  forget(room, uid)
  room.pages.set(uid, kept)
  room.bytes += kept.text.length
  for (const oldest of room.pages.keys()) {
    if (room.bytes <= MOST_BYTES) break
    forget(room, oldest)
  }
  return kept
}

function forget(room: Room, uid: string) {
  room.bytes -= room.pages.get(uid)?.text.length ?? 0
  room.pages.delete(uid)
}

export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  kept: KeptPage,
): Promise<FastifyReply> {
  if (!/\bbr\b/.test(String(request.headers['accept-encoding']))) return reply.send(kept.text)
  kept.br ??= compress(kept.text, QUALITY)
  return reply.header('content-encoding', 'br').send(await kept.br)
}
