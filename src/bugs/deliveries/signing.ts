import { createHmac, randomBytes } from 'node:crypto'
import type { ISql } from 'postgres'
import type { Core } from '../../core/runtime/core.ts'
import { sameBytes } from '../../core/security/crypto.ts'

/** The name under which a game's signing key is sealed. */
const KEY_FIELD = 'bug_signing_key'
export const SCREENSHOT_LINK_SECONDS = 86_400

export const readSigningKey = ({ secrets }: Core, sql: ISql, game_uid: string) =>
  secrets.get(sql, game_uid, KEY_FIELD)

export async function makeSigningKey(
  { secrets }: Core,
  sql: ISql,
  game_uid: string,
): Promise<string> {
  const key = randomBytes(32).toString('hex')
  await secrets.put(sql, game_uid, KEY_FIELD, key)
  return key
}

/** Keys are used as the UTF-8 of their text, as everyone who copies one into a program would. */
const hmac = (key: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha1', key).update(text, 'utf8').digest(encoding)

/** JSON with `signature` as its last key: the HMAC of the very text that stands there without it. */
export function signJson(key: string, fields: object): string {
  const text = JSON.stringify(fields)
  return `${text.slice(0, -1)},"signature":"${hmac(key, text, 'hex')}"}`
}

const linkSignature = (key: string, expires: number, path: string) =>
  hmac(key, ['GET', '', '', expires, path].join('\n'), 'base64')

export type Link = { Expires: string; Signature: string }

export function signPath(key: string, path: string, now: Date): string {
  const expires = Math.floor(now.getTime() / 1000) + SCREENSHOT_LINK_SECONDS
  return `${path}?Expires=${expires}&Signature=${encodeURIComponent(linkSignature(key, expires, path))}`
}

export function checkPath(
  key: string,
  path: string,
  { Expires, Signature }: Link,
  now: Date,
): 'good' | 'bad' | 'over' {
  if (
    !/^[1-9]\d{0,11}$/.test(Expires) ||
    !sameBytes(linkSignature(key, Number(Expires), path), Signature)
  )
    return 'bad'
  return Number(Expires) * 1000 > now.getTime() ? 'good' : 'over'
}
