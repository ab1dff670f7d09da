import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { programsOf } from '../docs/code-blocks.ts'
import { claimsOf, sharedExtstoreApp } from '../extstore/fixtures.ts'
import { temporaryFolder } from '../support/app.ts'
import { runProgram } from '../support/run-program.ts'
import { needs } from '../support/system-packages.ts'

const extstoreApp = sharedExtstoreApp()
const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'docs/sign-in.md'), 'utf8')

/** The only program of a language in the page. */
function program(language: string): string {
  const matches = programsOf('docs/sign-in.md', language)
  assert.equal(matches.length, 1, language)
  return matches[0]!
}

/** Runs an example for each token and returns what it prints. */
type Example = (tokens: string[], env: NodeJS.ProcessEnv) => Promise<string[]>

/** A process for each token. */
const runEach =
  (file: string, ...more: string[]): Example =>
  (tokens, env) =>
    Promise.all(
      tokens.map(async (token) => {
        const { stdout } = await runProgram(file, [...more, token], { env })
        return stdout.trim()
      }),
    )

/** One process, which runs the example for each token, as the start of an interpreter is slow. */
const runAll =
  (file: string, ...more: string[]): Example =>
  async (tokens, env) => {
    const { stdout } = await runProgram(file, [...more, ...tokens], { env })
    return stdout.trim().split('\n')
  }

/** Checks that an example prints the player of a token, `revoked` or `refused`. */
async function checkExample(run: Example) {
  const { game, player, signIn, revoke, url, store } = await extstoreApp()
  const ours = await game()
  const other = await game()
  const account = player(ours)
  store.control.own({ account, app_id: other.app_id })
  const env = {
    ...process.env,
    AUTH_KEY: ours.auth_key,
    GAME_UID: ours.uid,
    APP_ID: String(ours.app_id),
    VERIFY_URL: `${url}/api/v1/extstore/${ours.uid}/server/verify`,
  }
  const { token } = await signIn(ours, account)
  const revoked = await signIn(ours, account)
  await revoke(ours, { jti: claimsOf(revoked.token).jti })
  const signed = (header: object, changed: object, key = ours.auth_key, hash = 'sha512') => {
    const parts = [header, { ...claimsOf(token), ...changed }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${parts}.${createHmac(hash, key).update(parts).digest('base64url')}`
  }
  const HS512 = { alg: 'HS512', typ: 'JWT' }
  const bad = [
    (await signIn(other, account)).token,
    signed(HS512, {}, other.auth_key),
    signed({ alg: 'HS256', typ: 'JWT' }, {}),
    signed({ alg: 'HS256', typ: 'JWT' }, {}, ours.auth_key, 'sha256'),
    signed(HS512, { exp: Math.floor(Date.now() / 1000) - 61 }),
    signed(HS512, { gid: other.uid }),
    signed(HS512, { aud: `extstore:${other.app_id}` }),
    token.slice(0, -2),
    `${token}.x`,
    'nonsense',
  ]
  assert.deepEqual(await run([token, revoked.token, ...bad], env), [
    `player ${account}`,
    'revoked',
    ...bad.map(() => 'refused'),
  ])
  const wrong = `${url}/api/v1/extstore/${other.uid}/server/verify`
  await assert.rejects(
    run([token], { ...env, VERIFY_URL: wrong }),
    'a player was accepted without an answer of the service',
  )
}

function written(t: TestContext, name: string, language: string): string {
  const path = join(temporaryFolder(t), name)
  writeFileSync(path, program(language))
  return path
}

test('the JavaScript example of the page works', async (t) => {
  const path = written(t, 'verify.mjs', 'js')
  copyFileSync(join(root, 'sdk/verify/index.js'), join(path, '../index.js'))
  writeFileSync(join(path, '../package.json'), '{"type":"module"}')
  const all = join(path, '../all.mjs')
  writeFileSync(
    all,
    `for (const token of process.argv.slice(2)) {
      process.argv[2] = token
      await import('./verify.mjs?' + encodeURIComponent(token))
    }`,
  )
  await checkExample(runAll(process.execPath, all))
})

test('the Python example of the page works', async (t) => {
  if (!needs(t, 'python3')) return
  const path = written(t, 'verify.py', 'python')
  const all = `
import runpy, sys
program, *tokens = sys.argv[1:]
for token in tokens:
    sys.argv = [program, token]
    runpy.run_path(program, run_name="__main__")`
  await checkExample(runAll('python3', '-c', all, path))
})

/** Kept between runs, because compiling the packages that the example imports takes 10 seconds. */
const goCache = join(root, 'node_modules/.cache/go')

test('the Go example of the page works', async (t) => {
  if (!needs(t, 'go')) return
  const path = written(t, 'verify.go', 'go')
  const folder = join(path, '..')
  await runProgram('go', ['build', '-trimpath', '-o', join(folder, 'verify'), path], {
    env: {
      ...process.env,
      GOCACHE: goCache,
      GOPATH: join(folder, 'path'),
      CGO_ENABLED: '0',
      GOFLAGS: '-mod=mod',
    },
  })
  await checkExample(runEach(join(folder, 'verify')))
})

test('the C# example of the page works', async (t) => {
  if (!needs(t, 'mcs')) return
  const path = written(t, 'verify.cs', 'csharp')
  await runProgram('mcs', [
    '-nologo',
    '-warn:0',
    '-r:System.Runtime.Serialization.dll',
    `-out:${path}.exe`,
    path,
  ])
  await checkExample(runEach('mono', `${path}.exe`))
})

test('the page documents every error code and limit of the SDK', () => {
  for (const code of [4240, 4243, 4245, 4246, 4247, 4248, 4249, 4290])
    assert.match(text, new RegExp(`^\\| ${code} \\|`, 'm'))
})
