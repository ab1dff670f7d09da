import { isMainThread } from 'node:worker_threads'
import { type CommandLine, checkArguments, readCommandLine } from './args.ts'
import type { Context, Outcome } from './command.ts'
import { commands } from './commands.ts'
import { VERSION } from './defaults.ts'
import { ApiError, asFailure, errorEvent, exits, Failure, failureFields } from './errors.ts'
import { type Api, createApi } from './http/api.ts'
import { t } from './messages.ts'
import { removeTemporary } from './publish/package.ts'
import { readSettings, type Settings, secretsOnCommandLine } from './settings.ts'
import { help } from './terminal/help.ts'
import { createUi, type Ui, withProgressEvents } from './terminal/ui.ts'

/** Runs one command line to its exit code. */
async function main(words: string[]): Promise<number> {
  const ui = createUi(process)
  for (const secret of secretsOnCommandLine(words, process.env)) ui.hide(secret)
  const interrupt = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => onSignal(interrupt))
  const json = words.includes('--json')
  try {
    const parsed = readCommandLine(words, commands)
    const outcome = await run(parsed, ui, interrupt.signal)
    if (outcome.is_printed) return outcome.exit_code ?? 0
    if (json) ui.print(`${JSON.stringify(outcome.json, null, 2)}\n`)
    else if (outcome.lines.length) ui.print(`${outcome.lines.join('\n')}\n`)
    return outcome.exit_code ?? 0
  } catch (error) {
    return fail(error, ui, json, interrupt.signal.aborted)
  } finally {
    removeTemporary()
  }
}

/** The first signal ends the command gracefully, the next one at once; exit handlers still run. */
function onSignal(interrupt: AbortController) {
  if (interrupt.signal.aborted) process.exit(exits.interrupted)
  interrupt.abort()
}

async function run(parsed: CommandLine, ui: Ui, signal: AbortSignal): Promise<Outcome> {
  const { command, words } = parsed
  if (parsed.has('help') || (!command && !parsed.has('version'))) {
    const text = help(commands, command, words)
    const help_requested = parsed.has('help') || words.length === 0
    if (help_requested) return { json: { ok: true, help: text }, lines: [text.trimEnd()] }
    const error = t('needs-subcommand', { command: words.join(' ') })
    return {
      json: { ok: false, exit_code: exits.usage, error, help: text },
      lines: [text.trimEnd()],
      exit_code: exits.usage,
    }
  }
  const own_version = command?.flags?.some(({ name }) => name === 'version')
  if (!command || (parsed.has('version') && !own_version))
    return { json: { ok: true, version: VERSION }, lines: [VERSION] }
  checkArguments(command, parsed)
  const sends_events = command.has_progress_events && parsed.has('json') && !process.stderr.isTTY
  let settings: Promise<Settings> | undefined
  let api: Api | undefined
  const context: Context = {
    ...parsed,
    ui: sends_events ? withProgressEvents(ui) : ui,
    signal,
    cwd: process.cwd(),
    env: process.env,
    settings() {
      settings ??= readSettings(parsed, process.env, ui, process.stdin)
      return settings
    },
    async api() {
      api ??= createApi(await context.settings(), ui, signal)
      return api
    },
  }
  try {
    return await command.run(context)
  } finally {
    api?.close()
  }
}

function fail(error: unknown, ui: Ui, json: boolean, interrupted: boolean): number {
  const failure = interrupted
    ? new Failure(exits.interrupted, t('interrupted'), t('resume-hint'))
    : asFailure(error)
  const { message, hint, exit_code } = failure
  if (json) {
    ui.note(errorEvent(failure))
    const result = { ok: false, ...failureFields(failure) }
    ui.print(`${JSON.stringify(result, null, 2)}\n`)
  } else {
    ui.note(
      failure instanceof ApiError
        ? t('api-error', { code: String(failure.code ?? `HTTP ${failure.status}`), message })
        : t('error', { message }),
    )
    if (hint) ui.note(`  ${t('hint', { hint })}`)
  }
  return exit_code
}

if (isMainThread) {
  // A reader that closes the pipe early, such as head, is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? 0 : exits.usage),
  )
  process.exitCode = await main(process.argv.slice(2))
}
