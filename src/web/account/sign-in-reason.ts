import type { Core } from '../../core/runtime/core.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { type Text, t } from '../../core/text/text.ts'
import { readPublicName, readPublicNameOfFile } from '../queries.ts'

/** Why the page that somebody wants to open requires signing in, where that is not obvious. */
export async function signInReason(
  { sql }: Core,
  next: string | undefined,
): Promise<Text | undefined> {
  const path = next?.split('?')[0] ?? ''
  if (/^\/dashboard(\/|$)/.test(path)) return t('sign-in-reason-publish')
  const [, file_uid] = path.match(/^\/download\/([^/]+)$/) ?? []
  if (file_uid) {
    const name = isUuid(file_uid) ? await readPublicNameOfFile(sql, file_uid) : undefined
    return name ? t('sign-in-reason-download', { name }) : t('sign-in-reason-file')
  }
  const [, game_uid] = path.match(/^\/games\/([^/]+)\/bug$/) ?? []
  if (!game_uid) return undefined
  const name = isUuid(game_uid) ? await readPublicName(sql, game_uid) : undefined
  return name ? t('sign-in-reason-bug', { name }) : t('sign-in-reason-problem')
}
