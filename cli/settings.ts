import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Arguments } from './command.ts'
import { DEFAULT_API_URL, DEFAULT_UPLOAD_URL } from './defaults.ts'
import { UsageError } from './errors.ts'
import type { Ui } from './terminal/ui.ts'

export type Settings = {
  access: string
  secret: string
  api_url: string
  upload_url: string
  /** The delay before the first retry; it doubles with each retry. */
  retry_seconds: number
  /** How long a server may take to send anything. */
  timeout_seconds: number
  proxy: { https: string | undefined; except: string }
}

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

function checkDeployKey(access: string, secret: string) {
  if (!access)
    throw new UsageError(
      'no access token is set',
      'set SVC_ACCESS_TOKEN to the access token of your deploy key, or use --access',
    )
  if (!secret)
    throw new UsageError(
      'no secret is set',
      'set SVC_SECRET_KEY to the secret of your deploy key, or use --secret-stdin',
    )
  for (const [name, value] of Object.entries({ 'access token': access, secret }))
    if (!/^[\x21-\x7e]+$/.test(value))
      throw new UsageError(
        `the ${name} contains characters that no key has`,
        'copy it again from the dashboard',
      )
}

const API_PATH = '/api/v1'

/**
 * Checks an address that a secret is sent to: https, or http on this machine. The address of a
 * server without a path stands for its API.
 */
export function baseUrl(name: string, text: string | undefined, preset: string): string {
  const trimmed = (text?.trim() || preset).replace(/\/+$/, '')
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  const hint = 'it looks like https://games.example.com/api/v1'
  if (!url?.hostname)
    throw new UsageError(`${name}: "${withoutPassword(trimmed)}" is not an address`, hint)
  if (url.username || url.password)
    throw new UsageError(`${name}: leave the user name and password out of the address`, hint)
  if (url.search || url.hash)
    throw new UsageError(`${name}: leave query and fragment out of the address`, hint)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw new UsageError(
      `${name}: ${url.protocol}//${url.host} would send the secret unencrypted`,
      'use https; plain http is for this machine only',
    )
  if (/^\/*$/.test(url.pathname)) url.pathname = API_PATH
  return url.href.replace(/\/+$/, '')
}

/** A hint for an address whose path is probably wrong; paths that a proxy rewrites are allowed. */
export const pathHint = (base: string): string | undefined =>
  base.endsWith(API_PATH)
    ? undefined
    : `check --url and --upload: an API address ends in ${API_PATH}, and ${base} does not`

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
    throw new UsageError(`set the secret once: ${sources.map((name) => `--${name}`).join(' or ')}`)
  if (flags.has('secret-stdin')) return firstLine(await readInput(stdin))
  const file = flags.text('secret-file')
  if (file !== undefined) return firstLine(readPrivateFile(file))
  const flag = flags.text('secret')
  if (flag === undefined) return (env.SVC_SECRET_KEY ?? '').trim()
  ui.warn(
    '--secret is visible to every user of this machine; ' +
      'use SVC_SECRET_KEY, --secret-stdin or --secret-file',
  )
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
    throw new UsageError(`the first line of standard input is longer than ${MAX_SECRET} bytes`)
  return text
}

/** Refuses a file that other users can read, on systems that have permission bits. */
function readPrivateFile(path: string): string {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new UsageError(
      `--secret-file: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
  try {
    const { mode, size } = fstatSync(file)
    const is_file = (mode & 0o170000) === 0o100000
    if (!is_file || size > MAX_SECRET)
      throw new UsageError(`--secret-file: ${path} is not a small file`)
    if (process.platform !== 'win32' && mode & 0o077)
      throw new UsageError(
        `--secret-file: others can read ${path}`,
        `restrict it: chmod 600 ${path}`,
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
    throw new UsageError(`${name}: "${text}" is not a number of seconds up to 7200`)
  return value
}
