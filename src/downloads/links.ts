import { fileKey } from '../builds/files/key.ts'
import { attachment } from '../core/http/file-headers.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { sameBytes } from '../core/security/crypto.ts'

export const LINK_SECONDS = 300

type LinkedFile = { uid: string; game_uid: string; filename: string; checksum: string }
export type Link = {
  url: string
  expires_at: string
  expires_in: number
  filename: string
  checksum: string
  game_uid: string
}

const signatureOf = ({ secrets }: Core, uid: string, expires: number) =>
  secrets.mac('download', `${uid}\n${expires}`).toString('base64url')

/**
 * A link that opens one file for five minutes to anyone who has it. It leads to the object storage
 * if that can sign links, otherwise to this service.
 */
export async function signLink(core: Core, file: LinkedFile, now: Date): Promise<Link> {
  const { filename, checksum, game_uid } = file
  const expires = Math.floor(now.getTime() / 1000) + LINK_SECONDS
  let url: string
  try {
    url = await (core.storage.link?.(fileKey(file), {
      disposition: attachment(filename),
      type: 'application/zip',
      seconds: LINK_SECONDS,
    }) ?? ownUrl(core, file, expires))
  } catch (error) {
    core.log.error({ error: (error as Error).message }, 'a download link could not be signed')
    refuse('LINK_SIGNING_FAILED')
  }
  return {
    url,
    expires_at: new Date(expires * 1000).toISOString(),
    expires_in: LINK_SECONDS,
    filename,
    checksum,
    game_uid,
  }
}

function ownUrl(core: Core, { uid, filename }: LinkedFile, expires: number): string {
  const path = `${core.addresses.base_url}/files/${uid}/${encodeURIComponent(filename)}`
  return `${path}?expires=${expires}&signature=${signatureOf(core, uid, expires)}`
}

/** An expired link has an error of its own, because the client can request a new one. */
export function checkLink(
  core: Core,
  uid: string,
  { expires, signature }: { expires: string; signature: string },
  now: Date,
): void {
  if (!/^\d{1,12}$/.test(expires) || !sameBytes(signatureOf(core, uid, Number(expires)), signature))
    refuse('NOT_FOUND')
  if (Number(expires) * 1000 <= now.getTime())
    refuse('FORBIDDEN', undefined, 'This link has expired; request a new one')
}
