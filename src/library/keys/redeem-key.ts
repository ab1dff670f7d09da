import { randomInt } from 'node:crypto'

/**
 * A redeem key has 18 random characters, which are 90 bits, and two that check them. Letters that
 * look like digits are not used.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_LENGTH = 18
const GROUP_LENGTH = 5
const LENGTH = 20
/**
 * A prime above every product of a difference of two characters and a difference of two positions,
 * so that one wrong character, and two that are swapped, always change the sum.
 */
const MODULUS = 1021

const values = new Map([...ALPHABET].map((letter, value) => [letter, value]))

function checkLetters(random: string): string {
  let sum = 0
  for (const [index, letter] of [...random].entries()) sum += values.get(letter)! * (index + 1)
  const check = sum % MODULUS
  return `${ALPHABET[check >> 5]}${ALPHABET[check & 31]}`
}

/** A new key, without dashes. */
export function createKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(32)]).join('')
  return `${random}${checkLetters(random)}`
}

/** As people see it: four groups of five. */
export const spellKey = (key: string): string =>
  key.match(new RegExp(`.{${GROUP_LENGTH}}`, 'g'))!.join('-')

/**
 * The key that somebody typed, in any case, with any dashes and spaces, and with letters for the
 * digits that they look like; null if it has a typing mistake.
 */
export function readKey(typed: string): string | null {
  const key = typed
    .slice(0, 100)
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1')
  if (key.length !== LENGTH || [...key].some((letter) => !values.has(letter))) return null
  const random = key.slice(0, RANDOM_LENGTH)
  return checkLetters(random) === key.slice(RANDOM_LENGTH) ? key : null
}

export const keyLimits = { per_batch: 10_000, label: 80, batches: 500, days: 3650 } as const

export type KeyFacts = {
  redeemed_at: Date | null
  expires_at: Date | null
  revoked_at: Date | null
}
export type KeyProblem = 'redeemed' | 'revoked' | 'expired'

/** Why a key cannot be redeemed now, or null. */
export function keyProblem(
  { redeemed_at, expires_at, revoked_at }: KeyFacts,
  at: Date,
): KeyProblem | null {
  if (redeemed_at) return 'redeemed'
  if (revoked_at) return 'revoked'
  return expires_at && at >= expires_at ? 'expired' : null
}
