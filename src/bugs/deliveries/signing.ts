import { createHmac, randomBytes } from 'node:crypto'
import type { ISql } from 'postgres'
import type { Core } from '../../core/runtime/core.ts'
import { DAY, SECOND_MS } from '../../core/runtime/units.ts'
import { sameBytes } from '../../core/security/crypto.ts'

/** The name of the secret that holds a game's signing key. */
export const SIGNING_KEY = 'bug_signing_key'
const SCREENSHOT_LINK_SECONDS = DAY

export const readSigningKey = ({ secrets }: Core, sql: ISql, game_uid: string) =>
  secrets.get(sql, game_uid, SIGNING_KEY)

export async function makeSigningKey(
  { secrets }: Core,
  sql: ISql,
  game_uid: string,
): Promise<string> {
  const key = randomBytes(32).toString('hex')
  await secrets.put(sql, game_uid, SIGNING_KEY, key)
  return key
}

/** The key is the UTF-8 of its text, because that is what people copy into their programs. */
const hmac = (key: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha1', key).update(text, 'utf8').digest(encoding)

/** JSON whose last key, `signature`, is the HMAC of the same text without that key. */
export function signJson(key: string, fields: object): string {
  const text = JSON.stringify(fields)
  return `${text.slice(0, -1)},"signature":"${hmac(key, text, 'hex')}"}`
}

/**
 * The value of the header `X-Delivery-Signature`. It is made for every attempt, so that receivers
 * can refuse what was recorded and is sent again later.
 */
export function signBody(key: string, body: string, now: Date): string {
  const time = Math.floor(now.getTime() / SECOND_MS)
  const digest = createHmac('sha256', key).update(`${time}.${body}`, 'utf8').digest('hex')
  return `t=${time},v1=${digest}`
}

const linkSignature = (key: string, expires: number, path: string) =>
  hmac(key, ['GET', '', '', expires, path].join('\n'), 'base64')

type LinkQuery = { Expires: string; Signature: string }

export function signPath(key: string, path: string, now: Date): string {
  const expires = Math.floor(now.getTime() / SECOND_MS) + SCREENSHOT_LINK_SECONDS
  const signature = encodeURIComponent(linkSignature(key, expires, path))
  return `${path}?Expires=${expires}&Signature=${signature}`
}

export function verifyPath(
  key: string,
  path: string,
  { Expires, Signature }: LinkQuery,
  now: Date,
): 'valid' | 'invalid' | 'expired' {
  const is_valid =
    /^[1-9]\d{0,11}$/.test(Expires) &&
    sameBytes(linkSignature(key, Number(Expires), path), Signature)
  if (!is_valid) return 'invalid'
  return Number(Expires) * SECOND_MS > now.getTime() ? 'valid' : 'expired'
}
