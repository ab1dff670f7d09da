import type { Arguments, Command, Context, Outcome } from '../../command.ts'
import { ApiError, exits, Failure, UsageError } from '../../errors.ts'
import { isObject } from '../../http/api.ts'
import { jsonLine, linesOf } from '../../lines.ts'
import { later, t } from '../../messages.ts'
import { progressEvents } from '../../terminal/progress.ts'
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

type Id = string | number | null
type Answer = { id: Id; result: unknown } | { id: Id; error: object }
type Daemon = {
  context: Context
  write: (message: object) => void
  /** The requests that can be cancelled. */
  running: Map<Id, AbortController>
}

/** As JSON-RPC 2.0 has them. */
const codes = { parse: -32700, request: -32600, method: -32601, params: -32602, failed: -32000 }

export const daemon: Command = {
  name: 'daemon',
  summary: later('daemon'),
  details: [later('daemon-details')],
  flags: [{ name: 'stdio', summary: later('daemon-stdio') }],
  is_local: true,
  async run(context) {
    if (!context.has('stdio')) throw new UsageError(t('daemon-needs-stdio'))
    const write = (message: object) => void process.stdout.write(`${jsonLine(message)}\n`)
    const running = { context, write, running: new Map() }
    const pending = new Set<Promise<void>>()
    for await (const line of linesOf(process.stdin, context.signal)) {
      if (!line.trim()) continue
      const answered = answerLine(running, line).finally(() => pending.delete(answered))
      pending.add(answered)
    }
    // Requests that were received are finished, unless the launcher cancels them.
    await Promise.all(pending)
    return { json: { ok: true }, lines: [] }
  },
}

const versioned = (message: object) => ({ jsonrpc: '2.0', ...message })
const refusal = (id: Id, code: number, message: string): Answer => ({
  id,
  error: { code, message },
})

/** Answers a request, or several in a list; one without an id is a notification without answer. */
async function answerLine(daemon: Daemon, line: string): Promise<void> {
  const { write } = daemon
  const value = parse(line)
  if (value === undefined) return write(versioned(refusal(null, codes.parse, t('daemon-not-json'))))
  if (!Array.isArray(value)) {
    const answer = await answerTo(daemon, value)
    return answer && write(versioned(answer))
  }
  if (!value.length) return write(versioned(refusal(null, codes.request, t('daemon-not-request'))))
  const answers = await Promise.all(value.map((request) => answerTo(daemon, request)))
  const sent = answers.filter((answer) => answer !== undefined)
  if (sent.length) write(sent.map(versioned))
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function answerTo(daemon: Daemon, request: unknown): Promise<Answer | undefined> {
  if (!isObject(request) || typeof request.method !== 'string' || !isId(request.id))
    return refusal(null, codes.request, t('daemon-not-request'))
  const { method, params = {} } = request
  const id = request.id ?? null
  const answer =
    typeof params === 'object' && params !== null
      ? await callMethod(daemon, id, method, params as Record<string, unknown>)
      : refusal(id, codes.request, t('daemon-not-request'))
  return request.id === undefined ? undefined : answer
}

const isId = (value: unknown): value is Id | undefined =>
  value === undefined || value === null || ['string', 'number'].includes(typeof value)

async function callMethod(
  { context, write, running }: Daemon,
  id: Id,
  method: string,
  params: Record<string, unknown>,
): Promise<Answer> {
  if (Array.isArray(params)) return refusal(id, codes.params, t('daemon-by-name'))
  if (method === 'cancel') {
    const cancelled = running.get(params.id as Id)
    cancelled?.abort()
    return { id, result: { cancelled: cancelled !== undefined } }
  }
  const command = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!command) return refusal(id, codes.method, t('daemon-no-method', { method }))
  const words = readParams(command, params)
  if (typeof words === 'string') return refusal(id, codes.params, words)
  const interrupt = new AbortController()
  if (id !== null) running.set(id, interrupt)
  try {
    const ui = uiFor(id, (message) => write(versioned(message)))
    const own = { ...context, ...words, ui, signal: interrupt.signal, is_daemon: true }
    const outcome: Outcome = await command.run(own)
    return { id, result: outcome.json }
  } catch (error) {
    return { id, error: failureOf(error, interrupt.signal.aborted) }
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
function uiFor(id: Id, send: (message: object) => void): Ui {
  const notify = (method: string, params: object) => send({ method, params: { id, ...params } })
  const message = (kind: string) => (text: string) => notify('message', { kind, text })
  return {
    note: message('note'),
    warn: message('warning'),
    print: () => {},
    event: notify,
    hide: () => {},
    scrub: (text) => text,
    progress: (label, total) => progressEvents(label, total, (event) => notify('progress', event)),
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
