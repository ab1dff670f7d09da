import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'

// Runs the commands of command-runners.ts, one after the other. Each run evaluates the bundle anew
// and so has no state of the run before it. What they share is Node with its own modules and the
// compiled code, whose start takes longer than most commands. It is no TypeScript because Node 20
// runs it too.

const program = process.argv[2]
const meta = { url: pathToFileURL(program).href }
const script = compile()

process.on('message', async ({ args, env, cwd, input }) => {
  const stdout = collector()
  const stderr = collector()
  const listeners = listenersOfProcess()
  const resources = process.getActiveResourcesInfo().length
  replaceEnvironment(env)
  process.chdir(cwd)
  process.argv = [process.execPath, program, ...args]
  process.exitCode = undefined
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr }
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true })
  await script.runInThisContext()(createRequire(meta.url), meta)
  // A process ends only when nothing keeps it running, such as a socket that was left open.
  while (process.getActiveResourcesInfo().length > resources) await pause(1)
  const code = process.exitCode ?? 0
  for (const [name, added] of addedListeners(listeners)) {
    if (name === 'exit') added(code)
    process.removeListener(name, added)
  }
  process.send({ code, stdout: stdout.text(), stderr: stderr.text() })
})
process.on('disconnect', () => process.exit())

/** Only a script can be compiled once and run often, so that this turns the module into one. */
function compile() {
  const source = readFileSync(program, 'utf8')
    .replace(/^#!.*/, '')
    .replaceAll(
      /(?<=^|[;}\n])import(?:\{([^}]*)\}|\*as ([\w$]+)| ([\w$]+) )from ?("[^"]+");/g,
      (_, names, all, main, from) => {
        const target = names === undefined ? (all ?? main) : `{${names.replaceAll(' as ', ':')}}`
        return `const ${target}=require(${from});`
      },
    )
    .replaceAll('import.meta', 'meta')
  const body = `(async (require, meta) => { 'use strict';${source}\n})`
  return new Script(body, { filename: program })
}

function collector() {
  const pieces = []
  const stream = new Writable({
    write(piece, _encoding, done) {
      pieces.push(piece)
      done()
    },
  })
  return Object.assign(stream, { text: () => Buffer.concat(pieces).toString() })
}

function replaceEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

const listenersOfProcess = () =>
  process.eventNames().flatMap((name) => process.rawListeners(name).map((added) => [name, added]))

function addedListeners(before) {
  const known = new Set(before.map(([, listener]) => listener))
  return listenersOfProcess().filter(([, listener]) => !known.has(listener))
}
