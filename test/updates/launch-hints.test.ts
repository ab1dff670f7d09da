import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { REGISTER } from '../uploads/fixtures.ts'
import { addGame, gameFiles, verifySigned } from './fixtures.ts'

const sharedApp = sharedInFile((t) => startApp(t))

const file = { name: 'slipway.yml', body: 'launch: {executable: empty}', method: 0, mode: 0o100644 }

/** A game of its own in the service of the file. */
async function start(t: TestContext, files = gameFiles) {
  const app = await addGame(await sharedApp(t), files)
  const ci = await app.a.deployer(app.game)
  const [build] = await app.sql`
    select version, build_type, os, arch, channel from builds where uid = ${app.build_id}`
  const register = (launch: unknown) => app.post(REGISTER, { ...build, launch }, ci)
  const signed = async () => must(await app.get(`${app.path}/manifest?os=linux&arch=x86_64`))
  const launch = async () => (await signed()).manifest.launch
  return { ...app, ci, register, signed, launch }
}

test('the manifest says how a build is started as its registration says', async (t) => {
  const { register, signed, launch, url, build_id } = await start(t)
  assert.equal((await launch()).guessed, true)
  const hint = { executable: './game.x86_64', args: ['--fullscreen'], working_dir: 'data/' }
  assert.equal(must(await register(hint)).build_id, build_id)
  const expected = {
    executable: 'game.x86_64',
    args: ['--fullscreen'],
    working_dir: 'data',
    guessed: false,
  }
  const data = await signed()
  assert.deepEqual(data.manifest.launch, expected)
  await verifySigned(url, data)
  // Registering again without it keeps it, null removes it.
  must(await register(undefined))
  assert.deepEqual(await launch(), expected)
  must(await register(null))
  assert.equal((await launch()).guessed, true)
})

test('a registration wins over the file in the build, unless its program is missing', async (t) => {
  const { register, launch } = await start(t, [...gameFiles, file])
  assert.equal((await launch()).executable, 'empty')
  must(await register({ executable: 'game.x86_64' }))
  assert.equal((await launch()).executable, 'game.x86_64')
  must(await register({ executable: 'not/there' }))
  assert.equal((await launch()).executable, 'empty')
})

test('a launch hint stays in the folder of the build and within its limits', async (t) => {
  const { register } = await start(t)
  const args = (count: number, length = 1) => ({
    executable: 'a',
    args: Array.from({ length: count }, () => 'x'.repeat(length)),
  })
  for (const valid of [args(50), args(1, 1000), { executable: 'a'.repeat(1000) }])
    must(await register(valid))
  for (const invalid of [
    'game',
    ['game'],
    {},
    { executable: '' },
    { executable: '.' },
    { executable: '../game' },
    { executable: 'a/../../game' },
    { executable: '/bin/sh' },
    { executable: 'C:/game.exe' },
    { executable: 'bin\\game' },
    { executable: 'a'.repeat(1001) },
    { executable: 'a', working_dir: '..' },
    { executable: 'a', args: '--fullscreen' },
    { executable: 'a', args: [1] },
    args(51),
    args(1, 1001),
  ])
    assert.deepEqual(refused(await register(invalid)), [400, 4026], JSON.stringify(invalid))
})
