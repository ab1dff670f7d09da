import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { startProgram } from '../../../src/core/security/start-program.ts'
import { needs } from '../../support/system-packages.ts'

const file = new URL('../../../src/core/security/start-program.ts', import.meta.url).href

test('a program gets none of the environment', async () => {
  const program = await startProgram(['-p', 'Object.keys(process.env).length'], {})
  const [output] = await once(program.stdout, 'data')
  assert.equal(String(output), '0\n')
})

test('a program that is aborted ends', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const program = await startProgram(['-e', 'setInterval(() => {}, 1000)'], { signal })
  controller.abort()
  assert.deepEqual(await once(program, 'exit'), [null, 'SIGKILL'])
})

test('without free file descriptors a program cannot be started, and nothing else ends', (t) => {
  if (!needs(t, 'prlimit')) return
  const code = `
    import { openSync } from 'node:fs'
    import { startProgram } from '${file}'
    try { for (;;) openSync('/dev/null') } catch {}
    console.log(await startProgram(['-e', ''], {}).catch(({ code }) => code))
    setTimeout(() => console.log('still here'), 50)`
  const command = ['--nofile=200:200', process.execPath, '--input-type=module', '-e', code]
  const { stdout, stderr } = spawnSync('prlimit', command, { encoding: 'utf8' })
  assert.equal(stdout, 'EMFILE\nstill here\n', stderr)
})

test('with few file descriptors, programs that cannot be started leave no pipes behind', (t) => {
  if (!needs(t, 'prlimit')) return
  const code = `
    import { closeSync, openSync } from 'node:fs'
    import { getHeapSnapshot } from 'node:v8'
    import { startProgram } from '${file}'
    const opened = []
    try { for (;;) opened.push(openSync('/dev/null')) } catch {}
    for (let spare = 0; spare < 8; spare++) {
      await startProgram(['-e', ''], {}).catch(({ code }) => console.log(code))
      closeSync(opened.pop())
    }
    for (const descriptor of opened) closeSync(descriptor)
    const { nodes, strings, snapshot } = await new Response(getHeapSnapshot()).json()
    const { length } = snapshot.meta.node_fields
    const names = nodes.filter((_, at) => at % length === 1).map((at) => strings[at])
    console.log(names.filter((name) => name === 'Node / PipeWrap').length)`
  const command = ['--nofile=200:200', process.execPath, '--input-type=module', '-e', code]
  const { stdout, stderr } = spawnSync('prlimit', command, { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  // Those of standard output and standard error of this program.
  assert.ok(Number(lines.pop()) <= 3, stdout + stderr)
  assert.deepEqual(lines, Array(8).fill('EMFILE'))
})
