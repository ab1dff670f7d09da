import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { newToken, type TokenPrefix } from '../../../src/core/security/crypto.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** One kind of credential: a genuine one, and whether the service accepts a text in its place. */
export type Kind = {
  name: string
  genuine: string
  accepts: (text: string) => Promise<boolean>
  /** The prefix of credentials with a checksum. */
  prefix?: TokenPrefix
  /** Other kinds that are meant to work here as well. */
  also?: string[]
  /** Genuine credentials of this kind that ended, are for another target or of another store. */
  invalid: string[]
  /** Works once, so it is used after all forgeries, and is then a replay. */
  once?: boolean
  /** Well formed, but for something else; it never works here. */
  never?: boolean
}

const replaceAt = (text: string, index: number, character: string) =>
  text.slice(0, index) + character + text.slice(index + 1)
/** The next letter or digit; in base64url it often differs in the lowest bit only. */
const nextCharacter = (character: string) =>
  ALPHABET[(ALPHABET.indexOf(character) + 1) % ALPHABET.length]!
const positions = (text: string, count: number) =>
  Array.from({ length: count }, (_, i) => Math.round((i * (text.length - 1)) / (count - 1)))

/** The checksum that ends a token, as scanners of leaked credentials compute it. */
function withChecksum(body: string): string {
  let sum = crc32(body)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET[sum % 62] + digits
    sum = Math.floor(sum / 62)
  }
  return body + digits
}

/** Texts that look like this credential but were never issued. */
export function forgeriesOf({ genuine, prefix }: Kind): string[] {
  const random = () => genuine.replaceAll(/[a-z0-9]/gi, () => ALPHABET[randomInt(ALPHABET.length)]!)
  const altered = (text: string, count: number) =>
    positions(text, count).map((index) => replaceAt(text, index, nextCharacter(text[index]!)))
  const body = genuine.slice(0, -6)
  const checked = prefix
    ? [
        ...Array.from({ length: 6 }, () => newToken(prefix)),
        ...altered(body.slice(prefix.length), 8).map((rest) => withChecksum(prefix + rest)),
      ]
    : []
  return [
    ...altered(genuine, 14),
    ...[1, 2, 7, genuine.length >> 1, genuine.length - 4].map((cut) => genuine.slice(0, -cut)),
    genuine.slice(1),
    genuine.slice(genuine.length >> 1),
    `${genuine}A`,
    `A${genuine}`,
    genuine + genuine,
    [...genuine].reverse().join(''),
    genuine.toUpperCase(),
    ...Array.from({ length: 4 }, random),
    ...checked,
  ].filter((text) => text !== genuine)
}
