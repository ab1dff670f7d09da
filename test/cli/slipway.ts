import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { bundleUploader } from '../../src/web/uploader-bundle.ts'
import { startApp, temporaryFolder } from '../support/app.ts'
import { sharedInFile } from '../support/shared.ts'
import { type Command, createCommandRunners, type Result } from './command-runners.ts'

export type Run = { code: number; stdout: string; stderr: string; json: any }
export type Options = {
  env?: Record<string, string | undefined>
  cwd?: string
  input?: string
  signal?: AbortSignal
  onStart?: (pid: number) => unknown
  /** The command that runs the program, such as one that drops capabilities. */
  under?: string[]
  /** Starts a process for this command alone. */
  own_process?: boolean
}

/** The Node of the system if there is one; it may be older than the one that runs the tests. */
export const systemNode = spawnSync('node', ['--version']).status === 0 ? 'node' : process.execPath

let bundled: Promise<string> | undefined

/** The uploader as one file, in the form in which it is distributed. */
export function binary(): Promise<string> {
  bundled ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-binary-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'slipway.mjs')
    writeFileSync(
      file,
      await bundleUploader({
        api_url: 'http://127.0.0.1:9/api/v1',
        upload_url: 'http://127.0.0.1:9/api/v1',
      }),
    )
    chmodSync(file, 0o755)
    return file
  })()
  return bundled
}

const runInRunner = createCommandRunners(systemNode, binary)

/**
 * Runs a command of the real program to its end, with no variable of this environment except the
 * path. It has a process of its own if it is about the process, and otherwise one that has run
 * other commands before.
 */
export async function slipway(args: string[], options: Options = {}): Promise<Run> {
  const { cwd = tmpdir(), input = '' } = options
  const variables = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    SLIPWAY_RETRY_SECONDS: '0.01',
    ...options.env,
  }
  const env = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
  const command = { args, env, cwd, input }
  const result = await (needsProcess(args, options)
    ? runProcess(command, options)
    : runInRunner(command))
  return { ...result, json: args.includes('--json') ? parsed(result.stdout) : undefined }
}

/**
 * Node reads its own variables at its start, the path decides which Node it is, and `launch` hands
 * its output to the game.
 */
const needsProcess = (
  args: string[],
  { env = {}, own_process, signal, onStart, under }: Options,
): boolean =>
  Boolean(own_process || signal || onStart || under) ||
  args[0] === 'launch' ||
  Object.keys(env).some((name) => name === 'PATH' || name.startsWith('NODE_'))

async function runProcess(
  { args, env, cwd, input }: Command,
  { signal, onStart, under = [] }: Options,
): Promise<Result> {
  const [command, ...words] = [...under, systemNode, await binary(), ...args]
  const child = spawn(command!, words, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], signal })
  onStart?.(child.pid!)
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

/** With --json, standard output is exactly one object. */
function parsed(stdout: string): any {
  const value = JSON.parse(stdout)
  assert.equal(stdout, `${JSON.stringify(value, null, 2)}\n`)
  return value
}

/** A server that all tests of a file share. */
const startSharedApp = sharedInFile((t) => startApp(t))

/**
 * A game on the server of the file, or on one with other settings; `run` runs the program with the
 * deploy key of the game.
 */
export async function startUploaderApp(t: TestContext, settings?: Record<string, string>) {
  const app = await (settings ? startApp(t, settings) : startSharedApp(t))
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { headers } = await app.a.deployer(game)
  const home = temporaryFolder(t)
  const env = {
    SVC_API_URL: `${app.url}/api/v1`,
    SVC_ACCESS_TOKEN: headers['x-access-token'],
    SVC_SECRET_KEY: headers['x-secret-key'],
    XDG_STATE_HOME: join(home, 'state'),
    TMPDIR: join(home, 'tmp'),
  }
  mkdirSync(env.TMPDIR)
  const run = (args: string[], options: Options = {}) =>
    slipway(args, { ...options, env: { ...env, ...options.env } })
  return { ...app, game, home, env, run, ci: { headers } }
}

/** A folder with these files. A name that ends with / makes an empty folder. */
export function tree(t: TestContext, files: Record<string, string | Uint8Array>): string {
  const folder = temporaryFolder(t)
  for (const [name, body] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true })
    if (!name.endsWith('/')) writeFileSync(path, body)
  }
  return folder
}

/** A build too large for one request: five chunks. */
export const largeGame = (t: TestContext) =>
  tree(t, { 'game.exe': 'MZ', 'data.pak': randomBytes(66 * MIB) })
