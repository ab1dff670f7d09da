import { fileKey } from '../builds/files/key.ts'
import { attachment } from '../core/http/file-headers.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuseAndLog } from '../core/runtime/errors.ts'
import { MINUTE } from '../core/runtime/units.ts'
import { checkSignedQuery, signedQuery } from '../core/security/signed-links.ts'
import { readCleanFile } from './queries.ts'

export const DOWNLOAD_LINK_SECONDS = 5 * MINUTE

type LinkedFile = { uid: string; game_uid: string; filename: string; checksum: string }
export type Link = {
  url: string
  expires_at: string
  expires_in: number
  filename: string
  checksum: string
  game_uid: string
}

const linkTarget = (uid: string) => ({ purpose: 'download', parts: [uid] })

/**
 * A link that opens one file for a short time to anyone who has it. It leads to the object storage
 * if that can sign links, otherwise to this service.
 */
export const signLink = (core: Core, file: LinkedFile, now: Date): Promise<Link> =>
  makeLink(file, now, async (expires) => {
    return (await storageUrl(core, file)) ?? ownUrl(core, file, expires)
  })

/** A link whose address is signed until a time, in seconds. */
export async function makeLink(
  { filename, checksum, game_uid }: Omit<LinkedFile, 'uid'>,
  now: Date,
  signUrl: (expires: number) => Promise<string>,
): Promise<Link> {
  const expires = Math.floor(now.getTime() / 1000) + DOWNLOAD_LINK_SECONDS
  let url: string
  try {
    url = await signUrl(expires)
  } catch (error) {
    refuseAndLog(
      {
        fields: { error: (error as Error).message },
        message: 'a download link could not be signed',
      },
      'LINK_SIGNING_FAILED',
    )
  }
  return {
    url,
    expires_at: new Date(expires * 1000).toISOString(),
    expires_in: DOWNLOAD_LINK_SECONDS,
    filename,
    checksum,
    game_uid,
  }
}

/** The address of the object, if the storage can sign one. */
async function storageUrl(
  { sql, storage }: Core,
  { uid, filename }: LinkedFile,
): Promise<string | undefined> {
  const stored = storage.link && (await readCleanFile(sql, uid))
  return stored
    ? storage.link?.(fileKey(stored), {
        disposition: attachment(filename),
        type: 'application/zip',
        seconds: DOWNLOAD_LINK_SECONDS,
      })
    : undefined
}

function ownUrl(core: Core, { uid, filename }: LinkedFile, expires: number): string {
  const path = `${core.addresses.base_url}/files/${uid}/${encodeURIComponent(filename)}`
  return `${path}?${signedQuery(core, linkTarget(uid), expires)}`
}

export const checkLink = (
  core: Core,
  uid: string,
  query: { expires: string; signature: string },
  now: Date,
): void => checkSignedQuery(core, linkTarget(uid), query, now)
