import { coepValues, readFilePlatform, readRegistration } from '../../src/builds/builds/fields.ts'
import { Refusal } from '../../src/core/runtime/errors.ts'
import type { Flag } from '../command.ts'
import { UsageError } from '../errors.ts'
import { later, refusalText } from '../messages.ts'

export type Platform = { os: string; arch: string; channel: string }
export type App = { app: string; app_name: string }

export const DEFAULT_ARCH = 'x86_64'
export const DEFAULT_CHANNEL = 'stable'

export const platformFlags: Flag[] = [
  {
    name: 'os',
    value: '<os>',
    summary: later('flag-os'),
    words: ['windows', 'macos', 'linux', 'android', 'ios', 'web'],
  },
  {
    name: 'arch',
    value: '<arch>',
    summary: later('flag-arch'),
    words: ['x86_64', 'x86', 'arm64', 'arm32', 'arm', 'universal', 'wasm32', 'wasm'],
  },
  {
    name: 'channel',
    value: '<channel>',
    summary: later('flag-channel'),
    words: ['stable', 'beta', 'dev'],
  },
]
export const appFlags: Flag[] = [
  {
    name: 'app',
    value: '<id>',
    summary: later('flag-app'),
  },
  { name: 'app-name', value: '<name>', summary: later('flag-app-name') },
]
export const engineFlag: Flag = {
  name: 'engine-version',
  value: '<version>',
  summary: later('flag-engine-version'),
}
export const coepFlag: Flag = {
  name: 'coep',
  value: '<on|off>',
  summary: later('flag-coep'),
  words: coepValues,
}
export const symbolsFlag: Flag = {
  name: 'symbols',
  value: '<path>',
  summary: later('flag-symbols'),
}

/** Applies a rule of the server before anything is sent; `where` names the source of the value. */
export function checkWithServerRule<T>(rule: () => T, where = ''): T {
  try {
    return rule()
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(`${where}${refusalText(error)}`)
    throw error
  }
}

/** os, arch and channel in the server's spelling; missing values stay empty. */
export const normalizePlatform = (sent: Partial<Platform>, where?: string): Platform =>
  checkWithServerRule(() => readFilePlatform(sent), where)

/** The body of a registration, checked by the server's rules. Absent fields keep their value. */
export function registrationBody(fields: Record<string, unknown>): Record<string, unknown> {
  const sent = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  )
  const read = checkWithServerRule(() => readRegistration(sent)) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, read[name] ?? value]),
  )
}
