import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')

/** Runs a line of code with a log and returns the output of each stream. */
function run(code: string) {
  const program = `
    import { createAccessLog, createLog } from '${root}/src/core/runtime/log.ts'
    const log = createLog({ log_level: 'info' })
    ${code}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    cwd: root,
  })
  return {
    stdout,
    lines: stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}

test('the log is written to standard error as JSON lines and is complete at exit', () => {
  const { stdout, lines } = run(
    "log.info({ n: 1 }, 'one'); log.debug('not at this level'); log.warn('two')",
  )
  assert.equal(stdout, '')
  assert.deepEqual(
    lines.map(({ msg, n }) => [msg, n]),
    [
      ['one', 1],
      ['two', undefined],
    ],
  )
  assert.match(lines[0].time, /^\d{4}-\d\d-\d\dT.+Z$/)
})

test('redacts fields with secret names at any depth, but not the code of an error', () => {
  const { lines } = run(`
    const headers = { authorization: 'a', cookie: 'c', 'x-secret-key': 's' }
    log.info({ password: 'p', token: 't', headers, err: { code: 'ECONNREFUSED' } }, 'x')`)
  const text = JSON.stringify(lines)
  for (const secret of ['"p"', '"t"', '"a"', '"c"', '"s"'])
    assert.ok(!text.includes(secret), secret)
  assert.ok(text.includes('ECONNREFUSED'))
})

test('a request is logged in one line with id, route, status and time, and no client input', () => {
  const { lines } = run(
    "createAccessLog(log)('id-12345', 'GET', '/api/v1/public/games/:game_id', 200, 1.6)",
  )
  const { time: _, ...line } = lines[0]
  assert.deepEqual(line, {
    level: 30,
    id: 'id-12345',
    method: 'GET',
    route: '/api/v1/public/games/:game_id',
    status: 200,
    ms: 2,
    msg: 'request',
  })
})
