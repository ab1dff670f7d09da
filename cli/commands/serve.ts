import { once } from 'node:events'
import { statSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { coepValues } from '../../src/builds/builds/fields.ts'
import { defaultWebLimits, playedFolder } from '../../src/listings/fields/web-build.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { DEFAULT_API_URL } from '../defaults.ts'
import { UsageError } from '../errors.ts'
import { later, t } from '../messages.ts'
import { warnAboutWebBuild } from '../publish/web-build.ts'
import { createGameServer, GAME_PATH } from '../serve/server.ts'
import { type Item, readTree, unreadable } from '../zip/tree.ts'

const DEFAULT_PORT = 8060
const HOST = '127.0.0.1'
/** A tree of many files is not read for each address that names nothing. */
const READ_AGAIN_MS = 500
const MAX_MISSING = 1000
const ORIGIN = /^(https|wss):\/\/[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:\d{1,5})?$/

export const serve: Command = {
  name: 'serve',
  summary: later('serve'),
  details: [later('serve-details-headers'), later('serve-details-end')],
  args: [{ name: '<dir>', summary: later('serve-dir') }],
  flags: [
    { name: 'port', value: '<n>', summary: later('serve-port'), default: String(DEFAULT_PORT) },
    {
      name: 'coep',
      value: '<on|off>',
      summary: later('flag-coep'),
      default: 'on',
      words: coepValues,
    },
    { name: 'connect', value: '<origin>', summary: later('serve-connect'), many: true },
  ],
  examples: [
    'slipway serve build/web',
    'slipway serve build/web --port 9000 --coep off --connect wss://rooms.example',
  ],
  is_local: true,
  run: runServe,
}

async function runServe(context: Context): Promise<Outcome> {
  const { args, text, has, list, ui, signal } = context
  const folder = args[0]!
  const port = readPort(text('port'))
  const isolated = readSwitch(text('coep'))
  const connect_origins = list('connect').map(readOrigin)
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw unreadable(folder, { code: 'ENOENT' })
  if (!stats.isDirectory()) throw new UsageError(t('serve-not-folder', { path: folder }))
  const { items } = readTree(folder)
  await warnAboutWebBuild({ path: folder, items }, defaultWebLimits, context)
  const server = createGameServer({
    find: findFiles(folder, items),
    isolated,
    connect_origins,
    api_url: new URL(context.env.SVC_API_URL || DEFAULT_API_URL).origin,
    onMissing: noteOnce((address) => ui.note(t('serve-missing', { address }))),
  })
  const url = await listen(server, port, port === DEFAULT_PORT)
  const json = { ok: true, url, folder, coep: isolated ? 'on' : 'off' }
  ui.print(has('json') ? `${JSON.stringify(json, null, 2)}\n` : `${url}\n`)
  ui.note(t('serve-running', { folder }))
  if (!signal.aborted) await once(signal, 'abort')
  server.close()
  server.closeAllConnections()
  return { json, lines: [], is_printed: true }
}

function readPort(text = ''): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port
  throw new UsageError(t('serve-port-invalid', { text }))
}

function readSwitch(text: string | undefined): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new UsageError(t('serve-coep-invalid', { text: String(text) }))
}

function readOrigin(text: string): string {
  if (ORIGIN.test(text)) return text
  throw new UsageError(t('serve-connect-invalid', { text }))
}

/**
 * The files that push would send, by their path in the build. The folder is read again when
 * something is missing, so that a game can be exported while it is served.
 */
function findFiles(folder: string, first: readonly Item[]) {
  let files = filesOf(first)
  let read_at = performance.now()
  return (path: string): string | undefined => {
    const source = files.get(path)
    if (source || performance.now() - read_at < READ_AGAIN_MS) return source
    try {
      files = filesOf(readTree(folder).items)
    } catch {
      // An export that is running removes folders; what was there before is tried.
    }
    read_at = performance.now()
    return files.get(path)
  }
}

function filesOf(items: readonly Item[]): Map<string, string> {
  const files = items.filter(({ kind }) => kind === 'file')
  const root = playedFolder(files.map(({ path }) => path)) ?? ''
  return new Map(
    files
      .filter(({ path }) => path.startsWith(root))
      .map(({ path, source }) => [path.slice(root.length), source]),
  )
}

function noteOnce(note: (address: string) => void) {
  const noted = new Set<string>()
  return (address: string) => {
    if (noted.has(address) || noted.size >= MAX_MISSING) return
    noted.add(address)
    note(address)
  }
}

/** Listens on this machine only. The usual port may be taken; one that was chosen must be free. */
async function listen(server: Server, port: number, may_change: boolean): Promise<string> {
  try {
    server.listen(port, HOST)
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' && may_change) return listen(server, 0, false)
    throw new UsageError(
      code === 'EADDRINUSE'
        ? t('serve-port-used', { port: String(port) })
        : t('serve-cannot-listen', { port: String(port), reason: message }),
      t('serve-port-hint'),
    )
  }
  const { port: chosen } = server.address() as AddressInfo
  return `http://${HOST}:${chosen}${GAME_PATH}`
}
