import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Arguments } from './command.ts'
import { DEFAULT_API_URL, DEFAULT_UPLOAD_URL } from './defaults.ts'
import { UsageError } from './errors.ts'
import { t } from './messages.ts'
import type { Ui } from './terminal/ui.ts'

/** How servers are reached. */
export type ConnectionSettings = {
  /** The delay before the first retry; it doubles with each retry. */
  retry_seconds: number
  /** How long a server may take to send anything. */
  timeout_seconds: number
  proxy: { https: string | undefined; except: string }
}

export type Settings = ConnectionSettings & {
  access: string
  secret: string
  api_url: string
  upload_url: string
}

/** For commands of players: the store, and the key of the player if there is one. */
export type StoreSettings = ConnectionSettings & { api_url: string; token: string }

const MAX_SECRET = 4096
const RETRY_SECONDS = 1
const TIMEOUT_SECONDS = 600

/** Secrets to hide before the command line is parsed, so that its errors cannot print them. */
export function secretsOnCommandLine(
  words: readonly string[],
  { SVC_ACCESS_TOKEN, SVC_SECRET_KEY }: NodeJS.ProcessEnv,
): string[] {
  const flagged = words.map((word, i) =>
    word === '--secret' ? words[i + 1] : /^--secret=(.*)$/s.exec(word)?.[1],
  )
  return [
    SVC_ACCESS_TOKEN,
    SVC_SECRET_KEY,
    ...flagged.filter((value) => !value?.startsWith('--')),
  ].flatMap((value) => value?.trim() || [])
}

/** Flags win over the environment, which wins over the defaults. */
export async function readSettings(
  flags: Arguments,
  env: NodeJS.ProcessEnv,
  ui: Ui,
  stdin: NodeJS.ReadStream,
): Promise<Settings> {
  const api_url = baseUrl('--url', flags.text('url') ?? env.SVC_API_URL, DEFAULT_API_URL)
  const is_other_api = api_url !== baseUrl('--url', undefined, DEFAULT_API_URL)
  // The built-in upload address belongs to the built-in API address.
  const upload_url = baseUrl(
    '--upload',
    flags.text('upload') ?? env.SVC_UPLOAD_URL,
    is_other_api ? api_url : DEFAULT_UPLOAD_URL || api_url,
  )
  const access = (flags.text('access') ?? env.SVC_ACCESS_TOKEN ?? '').trim()
  ui.hide(access)
  const secret = await readSecret(flags, env, ui, stdin)
  ui.hide(secret)
  checkDeployKey(access, secret)
  return {
    access,
    secret,
    api_url,
    upload_url,
    ...connectionSettings(env),
  }
}

export function readStoreSettings(
  flags: Pick<Arguments, 'text'>,
  env: NodeJS.ProcessEnv,
  ui: Ui,
  store?: string,
): StoreSettings {
  const key = (env.SLIPWAY_PLAYER_KEY ?? '').trim()
  ui.hide(key)
  if (key && !KEY.test(key))
    throw new UsageError(t('settings-bad-player-key'), t('settings-copy-again'))
  const own_url = baseUrl('--url', flags.text('url') ?? env.SVC_API_URL, DEFAULT_API_URL)
  const api_url = store === undefined ? own_url : baseUrl('--url', store, DEFAULT_API_URL)
  // A game of another store must not send the key there.
  const token = api_url === own_url ? key : ''
  return { api_url, token, ...connectionSettings(env) }
}

function connectionSettings(env: NodeJS.ProcessEnv): ConnectionSettings {
  return {
    retry_seconds: seconds('SLIPWAY_RETRY_SECONDS', env.SLIPWAY_RETRY_SECONDS, RETRY_SECONDS),
    timeout_seconds: seconds(
      'SLIPWAY_TIMEOUT_SECONDS',
      env.SLIPWAY_TIMEOUT_SECONDS,
      TIMEOUT_SECONDS,
    ),
    proxy: {
      https: env.HTTPS_PROXY || env.https_proxy,
      except: env.NO_PROXY ?? env.no_proxy ?? '',
    },
  }
}

const KEY = /^[\x21-\x7e]+$/

function checkDeployKey(access: string, secret: string) {
  if (!access) throw new UsageError(t('settings-no-access'), t('settings-no-access-hint'))
  if (!secret) throw new UsageError(t('settings-no-secret'), t('settings-no-secret-hint'))
  if (!KEY.test(access)) throw new UsageError(t('settings-bad-access'), t('settings-copy-again'))
  if (!KEY.test(secret)) throw new UsageError(t('settings-bad-secret'), t('settings-copy-again'))
}

const API_PATH = '/api/v1'

/**
 * Checks an address that a secret is sent to: https, or http on this machine. The address of a
 * server without a path stands for its API.
 */
export function baseUrl(name: string, text: string | undefined, preset: string): string {
  const trimmed = (text?.trim() || preset).replace(/\/+$/, '')
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  const hint = t('settings-address-hint')
  if (!url?.hostname || !/^https?:$/.test(url.protocol))
    throw new UsageError(t('settings-not-address', { name, text: withoutPassword(trimmed) }), hint)
  if (url.username || url.password)
    throw new UsageError(t('settings-address-login', { name }), hint)
  if (url.search || url.hash) throw new UsageError(t('settings-address-query', { name }), hint)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw new UsageError(
      t('settings-unencrypted', { name, address: `${url.protocol}//${url.host}` }),
      t('settings-unencrypted-hint'),
    )
  if (/^\/*$/.test(url.pathname)) url.pathname = API_PATH
  return url.href.replace(/\/+$/, '')
}

/** A hint for an address whose path is probably wrong; paths that a proxy rewrites are allowed. */
export const pathHint = (base: string): string | undefined =>
  base.endsWith(API_PATH) ? undefined : t('settings-path-hint', { path: API_PATH, base })

const withoutPassword = (text: string) => text.replace(/\/\/[^@/]*@/, '//***@')

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

async function readSecret(
  flags: Arguments,
  env: NodeJS.ProcessEnv,
  ui: Ui,
  stdin: NodeJS.ReadStream,
): Promise<string> {
  const sources = ['secret', 'secret-stdin', 'secret-file'].filter((name) => flags.has(name))
  if (sources.length > 1)
    throw new UsageError(
      t('settings-secret-once', {
        flags: sources
          .map((name) => `--${name}`)
          .reduce((first, second) => t('settings-or', { first, second })),
      }),
    )
  if (flags.has('secret-stdin')) return firstLine(await readInput(stdin))
  const file = flags.text('secret-file')
  if (file !== undefined) return firstLine(readPrivateFile(file))
  const flag = flags.text('secret')
  if (flag === undefined) return (env.SVC_SECRET_KEY ?? '').trim()
  ui.warn(t('settings-secret-visible'))
  return flag.trim()
}

const firstLine = (text: string) => text.split(/\r?\n/)[0]!.trim()

async function readInput(stdin: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const chunk of stdin) {
    text += String(chunk)
    if (text.includes('\n') || text.length > MAX_SECRET) break
  }
  if (firstLine(text).length > MAX_SECRET)
    throw new UsageError(t('settings-long-line', { max: String(MAX_SECRET) }))
  return text
}

/** Refuses a file that other users can read, on systems that have permission bits. */
function readPrivateFile(path: string): string {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new UsageError(
      t('settings-file-unreadable', {
        path,
        code: String((error as NodeJS.ErrnoException).code),
      }),
    )
  }
  try {
    const { mode, size } = fstatSync(file)
    const is_file = (mode & 0o170000) === 0o100000
    if (!is_file || size > MAX_SECRET) throw new UsageError(t('settings-file-large', { path }))
    if (process.platform !== 'win32' && mode & 0o077)
      throw new UsageError(
        t('settings-file-public', { path }),
        t('settings-file-public-hint', { path }),
      )
    const bytes = Buffer.alloc(MAX_SECRET)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, MAX_SECRET, 0))
  } finally {
    closeSync(file)
  }
}

function seconds(name: string, text: string | undefined, preset: number): number {
  if (!text) return preset
  const value = Number(text)
  if (!Number.isFinite(value) || value <= 0 || value > 7200)
    throw new UsageError(t('settings-not-seconds', { name, text }))
  return value
}
