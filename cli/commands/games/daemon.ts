import { createInterface } from 'node:readline'
import type { Arguments, Command, Context, Outcome } from '../../command.ts'
import { ApiError, exits, Failure, UsageError } from '../../errors.ts'
import { isObject } from '../../http/api.ts'
import { later, t } from '../../messages.ts'
import type { Ui } from '../../terminal/ui.ts'
import { install } from './install.ts'
import { launch } from './launch.ts'
import { list } from './list.ts'
import { login, logout } from './login.ts'
import { repair } from './repair.ts'
import { rollback } from './rollback.ts'
import { uninstallCommand } from './uninstall.ts'
import { update } from './update.ts'
import { verify } from './verify.ts'

const methods: Record<string, Command> = {
  list,
  install,
  update,
  verify,
  repair,
  launch,
  rollback,
  uninstall: uninstallCommand,
  login,
  logout,
}

type Request = { id?: unknown; method?: unknown; params?: unknown }
type Send = (message: object) => void

/** As JSON-RPC 2.0 has them. */
const codes = { parse: -32700, request: -32600, method: -32601, params: -32602, failed: -32000 }
/** Launchers draw a bar; more changes than this are of no use to them. */
const PROGRESS_MS = 100

export const daemon: Command = {
  name: 'daemon',
  summary: later('daemon'),
  details: [later('daemon-details')],
  flags: [{ name: 'stdio', summary: later('daemon-stdio') }],
  is_local: true,
  async run(context) {
    if (!context.has('stdio')) throw new UsageError(t('daemon-needs-stdio'))
    const send: Send = (message) =>
      void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const running = new Map<unknown, AbortController>()
    const pending = new Set<Promise<void>>()
    for await (const line of createInterface({ input: process.stdin, signal: context.signal })) {
      const answered = answer(context, line, send, running).finally(() => pending.delete(answered))
      pending.add(answered)
    }
    // Requests that were received are finished, unless the launcher cancels them.
    await Promise.all(pending)
    return { json: { ok: true }, lines: [] }
  },
}

function readRequest(line: string): Request | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

async function answer(
  context: Context,
  line: string,
  send: Send,
  running: Map<unknown, AbortController>,
): Promise<void> {
  if (!line.trim()) return
  const request = readRequest(line)
  const { id = null, method, params = {} } = request ?? {}
  const refuse = (code: number, message: string) => send({ id, error: { code, message } })
  if (!request) return refuse(codes.parse, t('daemon-not-json'))
  if (typeof method !== 'string' || !isObject(params))
    return refuse(codes.request, t('daemon-not-request'))
  if (method === 'cancel') {
    running.get(params.id)?.abort()
    return send({ id, result: { cancelled: running.has(params.id) } })
  }
  const command = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!command) return refuse(codes.method, t('daemon-no-method', { method }))
  const words = readParams(command, params)
  if (typeof words === 'string') return refuse(codes.params, words)
  const interrupt = new AbortController()
  running.set(id, interrupt)
  try {
    const own = { ...context, ...words, ui: uiFor(id, send), signal: interrupt.signal }
    const outcome: Outcome = await command.run({ ...own, is_daemon: true })
    send({ id, result: outcome.json })
  } catch (error) {
    send({ id, error: failureOf(error, interrupt.signal.aborted) })
  } finally {
    running.delete(id)
  }
}

/** The parameters as the command line would have them; text for what is wrong with them. */
function readParams(command: Command, params: Record<string, unknown>): Arguments | string {
  const { name, arguments: more = [], ...flags } = params
  const expected = command.args ?? []
  const is_missing = name === undefined && expected.some(({ optional }) => !optional)
  if (is_missing || (name !== undefined && (typeof name !== 'string' || !expected.length)))
    return t('daemon-bad-name')
  if (!Array.isArray(more) || !more.every((word) => typeof word === 'string'))
    return t('daemon-bad-arguments')
  const own = command.flags ?? []
  for (const [flag, value] of Object.entries(flags)) {
    const known = own.find((candidate) => candidate.name === flag)
    if (!known || typeof value !== (known.value ? 'string' : 'boolean'))
      return t('daemon-bad-param', { name: flag })
  }
  const text = (flag: string) =>
    typeof flags[flag] === 'string'
      ? (flags[flag] as string)
      : own.find((candidate) => candidate.name === flag)?.default
  return {
    args: [...(name === undefined ? [] : [name as string]), ...more],
    text,
    has: (flag) => flags[flag] !== undefined && flags[flag] !== false,
    list: (flag) => (typeof flags[flag] === 'string' ? [flags[flag] as string] : []),
  }
}

/** What people would see becomes notifications. */
function uiFor(id: unknown, send: Send): Ui {
  const notify = (method: string, params: object) => send({ method, params: { id, ...params } })
  const message = (kind: string) => (text: string) => notify('message', { kind, text })
  return {
    note: message('note'),
    warn: message('warning'),
    print: () => {},
    event: notify,
    hide: () => {},
    scrub: (text) => text,
    progress(label, total) {
      let sent_at = 0
      const report = (done: number) => notify('progress', { label, done, total })
      return {
        at(done) {
          if (performance.now() - sent_at < PROGRESS_MS && done < total) return
          sent_at = performance.now()
          report(done)
        },
        step: report,
        hide: () => {},
        end: () => {},
      }
    },
  }
}

function failureOf(error: unknown, was_cancelled: boolean) {
  const message = was_cancelled ? t('interrupted') : (error as Error).message
  const exit_code = was_cancelled
    ? exits.interrupted
    : error instanceof Failure
      ? error.exit_code
      : exits.usage
  const hint = error instanceof Failure ? error.hint : undefined
  const refusal = error instanceof ApiError ? { code: error.code, status: error.status } : {}
  return { code: codes.failed, message, data: { exit_code, hint, ...refusal } }
}
