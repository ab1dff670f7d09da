import { createHash } from 'node:crypto'
import { readFile, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../../src/core/storage/durable-files.ts'
import { replaceText } from '../client/disk.ts'
import { UsageError } from '../errors.ts'
import { isObject } from '../http/api.ts'
import { t } from '../messages.ts'

/** What a sign-in to a store gave: a file that only its user can read. */
export type StoredLogin = {
  format: 1
  /** The address of the API of the store, which is all that gets the access token. */
  store: string
  username: string
  access_token: string
  refresh_token: string
  /** When the access token ends. */
  expires_at: string
  token_endpoint: string
  revocation_endpoint: string
}

const FORMAT = 1

/** Where sign-ins are kept: a folder of the environment, or the one for settings of this system. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  if (env.SLIPWAY_CONFIG) return resolve(env.SLIPWAY_CONFIG)
  if (process.platform === 'win32')
    return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'slipway')
  if (process.platform === 'darwin')
    return join(env.HOME ?? homedir(), 'Library', 'Application Support', 'slipway')
  return join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config'), 'slipway')
}

/** One file per store, with a name that people recognize. */
export function loginFile(env: NodeJS.ProcessEnv, store: string): string {
  const hash = createHash('sha256').update(store).digest('hex').slice(0, 8)
  const host = new URL(store).host.replace(/[^a-z0-9.-]/gi, '_')
  return join(configFolder(env), 'logins', `${host}-${hash}.json`)
}

const texts = [
  'store',
  'username',
  'access_token',
  'refresh_token',
  'expires_at',
  'token_endpoint',
  'revocation_endpoint',
] as const

/** The sign-in of a file; undefined without one, or for one that is damaged. */
export async function readLogin(path: string, store: string): Promise<StoredLogin | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && mode & 0o077)
    throw new UsageError(t('login-file-public', { path }), t('settings-file-public-hint', { path }))
  const value = parse(text)
  const is_valid =
    value?.format === FORMAT &&
    value.store === store &&
    texts.every((name) => typeof value[name] === 'string')
  return is_valid ? (value as StoredLogin) : undefined
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export async function writeLogin(path: string, login: StoredLogin): Promise<void> {
  await makeFolder(dirname(path))
  await replaceText(path, `${JSON.stringify(login, null, 2)}\n`)
}

export const removeLogin = (path: string) => rm(path, { force: true })
