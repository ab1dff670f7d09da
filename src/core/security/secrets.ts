import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { link, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ISql } from 'postgres'
import { makeFolder, syncFolder, writeSynced } from '../storage/durable-files.ts'
import { counted } from '../text/counted.ts'
import { hmacSha256, isUuid, uuidv7 } from './crypto.ts'
import { countOldSecrets } from './sealed-columns.ts'

export type Sealed = { key_version: number; sealed: Buffer }

/**
 * Encrypted values, each bound to its game and field: copied to another game or field, a value does
 * not decrypt.
 */
export type Secrets = {
  seal(game_uid: string, field: string, text: string): Sealed
  open(game_uid: string, field: string, sealed: Sealed): string
  put(sql: ISql, game_uid: string, field: string, text: string): Promise<void>
  get(sql: ISql, game_uid: string, field: string): Promise<string | null>
  /** Without a field, removes all secrets of the game. */
  remove(sql: ISql, game_uid: string, field?: string): Promise<void>
  /** A keyed hash, for short-lived codes. It uses the oldest key, so a rotation keeps it. */
  mac(purpose: string, text: string): Buffer
  current_version(): number
}

type Key = { version: number; bytes: Buffer }
export type Keyring = {
  current(): Key
  oldest(): Key
  find(version: number): Key | undefined
}

export class SecretsError extends Error {}

export const KEY_FILE = 'secrets.key'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
/** Exactly 32 bytes in base64: the digit before the padding has four significant bits. */
const KEY_ENTRY = /^(?:([1-9]\d{0,8}):)?([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/

export async function loadKeyring({
  secrets_key,
  data_dir,
}: {
  secrets_key?: string | undefined
  data_dir: string
}): Promise<Keyring> {
  if (secrets_key !== undefined) return keyring(fixed(parseKeys(secrets_key, 'SECRETS_KEY')))
  return keyring(fromFile(await keyFile(data_dir)))
}

const fixed = (keys: Key[]) => () => keys

/**
 * Keys from a file, which is checked whenever a key is needed, so that running processes use a key
 * that an operator adds. Keys are needed seldom.
 */
function fromFile(path: string): () => Key[] {
  let cached = { mtime: 0, keys: [] as Key[] }
  return () => {
    const mtime = statSync(path).mtimeMs
    if (mtime !== cached.mtime)
      cached = { mtime, keys: parseKeys(readFileSync(path, 'utf8'), KEY_FILE) }
    return cached.keys
  }
}

function keyring(keys: () => Key[]): Keyring {
  // Reports a damaged file at the start, not at the first use.
  keys()
  return {
    current: () => keys()[0]!,
    oldest: () => keys().reduce((a, b) => (a.version < b.version ? a : b)),
    find: (version) => keys().find((key) => key.version === version),
  }
}

/**
 * One key without a version, or a list of `version:key` whose first is current. Messages never
 * repeat an entry.
 */
export function parseKeys(text: string, source: string): Key[] {
  const entries = text.split(/[\s,]+/).filter(Boolean)
  if (!entries.length) throw new SecretsError(`${source} is empty`)
  const keys = entries.map((entry, i) => {
    const [, version, key] = KEY_ENTRY.exec(entry) ?? []
    if (!key)
      throw new SecretsError(
        `${source}: entry ${i + 1} is not a key; expected version:base64 of ${KEY_BYTES} bytes`,
      )
    if (!version && entries.length > 1)
      throw new SecretsError(`${source}: entry ${i + 1} needs a version, as in 1:…`)
    return { version: Number(version ?? 1), bytes: Buffer.from(key, 'base64') }
  })
  if (new Set(keys.map(({ version }) => version)).size < keys.length)
    throw new SecretsError(`${source} contains a version twice`)
  return keys
}

export const hasKeyFile = (data_dir: string): boolean => existsSync(join(data_dir, KEY_FILE))

const newEntry = (version: number) => `${version}:${randomBytes(KEY_BYTES).toString('base64')}\n`

/**
 * The path of the key file, which is created if there is none. Creating it as a hard link is
 * atomic: of two processes that try, one succeeds.
 */
async function keyFile(data_dir: string): Promise<string> {
  const path = join(data_dir, KEY_FILE)
  await makeFolder(data_dir)
  if (!existsSync(path)) {
    const temp = `${path}.${uuidv7()}.tmp`
    await writeSynced(temp, (handle) => handle.writeFile(newEntry(1)))
    await link(temp, path)
      .catch(ignoreExisting)
      .finally(() => rm(temp))
  }
  // Also when another process created it: no secret may use a key that a power cut could undo.
  await syncFolder(data_dir)
  return path
}

/** Adds a new key to the front of the key file; returns its version. */
export function addKey(data_dir: string): Promise<number> {
  return changeKeyFile(data_dir, async (text) => {
    const version = Math.max(...parseKeys(text, KEY_FILE).map((key) => key.version)) + 1
    const existing = text.includes(':') ? text : `1:${text}`
    return { text: newEntry(version) + existing, result: version }
  })
}

/**
 * Removes all keys but the current one from the file. Refused while a secret is encrypted with
 * another, because nobody could decrypt it any more.
 */
export function retireKeys(
  sql: ISql,
  data_dir: string,
): Promise<{ current: number; removed: number }> {
  return changeKeyFile(data_dir, async (text) => {
    const [current, ...others] = parseKeys(text, KEY_FILE)
    const { version, bytes } = current!
    const count = await countOldSecrets(sql, version)
    if (count)
      throw new SecretsError(
        `${counted(count, 'secret is', 'secrets are')} still encrypted with another key; run "secrets rotate" first`,
      )
    return {
      text: `${version}:${bytes.toString('base64')}\n`,
      result: { current: version, removed: others.length },
    }
  })
}

/** Creating the new file fails if it exists, so its name is the lock between two processes. */
async function changeKeyFile<T>(
  data_dir: string,
  change: (text: string) => Promise<{ text: string; result: T }>,
): Promise<T> {
  const path = await keyFile(data_dir)
  const next = `${path}.new`
  const result = await writeSynced(next, async (handle) => {
    const owner = await stat(path)
    const { text, result } = await change(readFileSync(path, 'utf8'))
    await handle.writeFile(text)
    // When an administrator runs this, the file must stay readable to the service.
    await handle.chown(owner.uid, owner.gid)
    return result
  }).catch((error) => {
    if (error.code !== 'EEXIST') throw error
    throw new Error(
      `Another process is changing the keys; if none is, remove ${KEY_FILE}.new and try again`,
    )
  })
  await rename(next, path)
  await syncFolder(data_dir)
  return result
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

export function createSecrets(keys: Keyring): Secrets {
  const seal: Secrets['seal'] = (game_uid, field, text) =>
    encrypt(keys.current(), bindingOf(game_uid, field), text)
  const open: Secrets['open'] = (game_uid, field, { key_version, sealed }) => {
    const key = keys.find(key_version)
    if (!key)
      throw new Error(
        `No key of version ${key_version} for the secret ${field} of game ${game_uid}`,
      )
    const text = decrypt(key, bindingOf(game_uid, field), sealed)
    if (text === null)
      throw new Error(
        `The secret ${field} of game ${game_uid} does not open with key version ${key_version}`,
      )
    return text
  }
  return {
    seal,
    open,
    async put(sql, game_uid, field, text) {
      const { key_version, sealed } = seal(game_uid, field, text)
      await sql`
        insert into secrets (game_uid, field, key_version, sealed)
        values (${game_uid}, ${field}, ${key_version}, ${sealed})
        on conflict (game_uid, field) do update
        set key_version = excluded.key_version, sealed = excluded.sealed, updated_at = now()`
    },
    async get(sql, game_uid, field) {
      const [row] = await sql<Sealed[]>`
        select key_version, sealed
        from secrets
        where game_uid = ${game_uid} and field = ${field}`
      return row ? open(game_uid, field, row) : null
    },
    async remove(sql, game_uid, field) {
      await sql`
        delete from secrets
        where game_uid = ${game_uid} ${field === undefined ? sql`` : sql`and field = ${field}`}`
    },
    mac: (purpose, text) => hmacSha256(macKey(keys.oldest(), purpose), text),
    current_version: () => keys.current().version,
  }
}

const macKeys = new WeakMap<Key, Map<string, Uint8Array>>()

/** Derived once per purpose: there are few of them, and some are on a hot path. */
function macKey(key: Key, purpose: string): Uint8Array {
  const derived = macKeys.get(key) ?? new Map<string, Uint8Array>()
  macKeys.set(key, derived)
  const mac_key =
    derived.get(purpose) ??
    new Uint8Array(hkdfSync('sha256', key.bytes, '', `mac\n${purpose}`, KEY_BYTES))
  derived.set(purpose, mac_key)
  return mac_key
}

/** A uid contains no line break, so two pairs of game and field never give the same text. */
function bindingOf(game_uid: string, field: string): Buffer {
  if (!isUuid(game_uid) || !field)
    throw new TypeError('A secret needs the uid of its game and the name of its field')
  return Buffer.from(`${game_uid.toLowerCase()}\n${field}`)
}

function encrypt({ version, bytes }: Key, binding: Buffer, text: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES }).setAAD(binding)
  return {
    key_version: version,
    sealed: Buffer.concat([
      nonce,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]),
  }
}

function decrypt({ bytes }: Key, binding: Buffer, sealed: Buffer): string | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv(CIPHER, bytes, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(binding).setAuthTag(sealed.subarray(-TAG_BYTES))
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
