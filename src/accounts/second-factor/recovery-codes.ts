import { randomBytes } from 'node:crypto'
import { sha256 } from '../../core/security/crypto.ts'

export const RECOVERY_CODES = 10
const LENGTH = 24
/** Codes of earlier versions have 80 bits and keep working. */
const LENGTHS = [16, LENGTH]
/** 32 characters that are not mistaken for each other: no i, l, o and u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Six groups of four: 120 random bits, so a plain hash cannot be reversed by guessing. */
export const newRecoveryCode = (): string =>
  Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % 32])
    .join('')
    .replace(/.{4}(?!$)/g, '$&-')

/** A code as it was made, from how a person typed it. */
export const typedCode = (text: string): string => text.replace(/[\s-]/g, '').toLowerCase()

export const isRecoveryCode = (code: string): boolean =>
  LENGTHS.includes(code.length) && [...code].every((character) => ALPHABET.includes(character))

/** The person is part of what is hashed, so equal codes of two people differ. */
export const recoveryCodeHash = (user_uid: string, code: string): Buffer =>
  sha256(`recovery code ${user_uid} ${typedCode(code)}`)
