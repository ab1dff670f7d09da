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

type Command = [file: string, ...more: string[]]

/** Checks that an example prints the player of a token, `revoked` or `refused`. */
async function checkExample([file, ...more]: Command) {
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
  const outputFor = async (token: string, changed = {}) =>
    (await runProgram(file, [...more, token], { env: { ...env, ...changed } })).stdout.trim()
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
  assert.equal(await outputFor(token), `player ${account}`)
  assert.equal(await outputFor(revoked.token), 'revoked')
  assert.deepEqual(
    await Promise.all(bad.map((token) => outputFor(token))),
    bad.map(() => 'refused'),
  )
  await assert.rejects(
    outputFor(token, { VERIFY_URL: `${url}/api/v1/extstore/${other.uid}/server/verify` }),
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
  await checkExample([process.execPath, path])
})

test('the Python example of the page works', async (t) => {
  if (needs(t, 'python3')) await checkExample(['python3', written(t, 'verify.py', 'python')])
})

test('the Go example of the page works', async (t) => {
  if (!needs(t, 'go')) return
  const path = written(t, 'verify.go', 'go')
  const folder = join(path, '..')
  await runProgram('go', ['build', '-o', join(folder, 'verify'), path], {
    env: {
      ...process.env,
      GOCACHE: join(folder, 'cache'),
      GOPATH: join(folder, 'path'),
      CGO_ENABLED: '0',
      GOFLAGS: '-mod=mod',
    },
  })
  await checkExample([join(folder, 'verify')])
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
  await checkExample(['mono', `${path}.exe`])
})

test('the page documents every error code and limit of the SDK', () => {
  for (const code of [4240, 4243, 4245, 4246, 4247, 4248, 4249, 4290])
    assert.match(text, new RegExp(`^\\| ${code} \\|`, 'm'))
})
