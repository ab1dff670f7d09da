import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { MIB } from '../../core/runtime/units.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const TAG_BYTES = 16
const COST = { N: 2 ** 17, r: 8, p: 1 }
const MAX_MEMORY = 256 * MIB

/** The keys of the service, encrypted with a passphrase. Binary values are in base64. */
export type SealedKeys = {
  kdf: 'scrypt'
  cost: { N: number; r: number; p: number }
  salt: string
  nonce: string
  sealed: string
}

export async function sealKeys(text: string, passphrase: string): Promise<SealedKeys> {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const key = await derive(passphrase, salt, COST)
  const cipher = createCipheriv(CIPHER, key, nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return {
    kdf: 'scrypt',
    cost: COST,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    sealed: sealed.toString('base64'),
  }
}

export async function openKeys(keys: SealedKeys, passphrase: string): Promise<string> {
  const key = await derive(passphrase, Buffer.from(keys.salt, 'base64'), keys.cost)
  const sealed = Buffer.from(keys.sealed, 'base64')
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(keys.nonce, 'base64'), {
      authTagLength: TAG_BYTES,
    }).setAuthTag(sealed.subarray(-TAG_BYTES))
    const text = decipher.update(sealed.subarray(0, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    throw new Error(
      'The passphrase does not open the keys in the backup. Set BACKUP_PASSPHRASE (or ' +
        'BACKUP_PASSPHRASE_FILE) to the one that the backup was made with.',
    )
  }
}

const derive = (passphrase: string, salt: Buffer, cost: SealedKeys['cost']): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(
      passphrase.normalize('NFC'),
      salt,
      KEY_BYTES,
      { ...cost, maxmem: MAX_MEMORY },
      (error, key) => (error ? reject(error) : resolve(key)),
    ),
  )
