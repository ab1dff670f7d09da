import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { zip } from '../../uploads/zips.ts'
import { gameFiles, startStore } from './fixtures.ts'

const gameOf = (body: string) => [{ name: 'game.sh', body, method: 8, mode: 0o100755 }]

test('with --json, what a game prints goes to standard error', async (t) => {
  const app = await startStore(t, gameOf('#!/bin/sh\necho "playing $1"\nexit 7\n'))
  await app.install()
  const played = await app.run(['launch', app.name, '--json', '--', 'fast'])
  assert.deepEqual(played.json, { ok: false, code: 7, signal: null }, played.stderr)
  assert.match(played.stderr, /^playing fast\n/)
})

test('a game that a signal ended is named with it, and an interrupted launch ends with 130', async (t) => {
  const play = '#!/bin/sh\n[ "$1" = wait ] && : > started && exec sleep 600\nkill -SEGV $$\n'
  const app = await startStore(t, gameOf(play))
  const { path } = (await app.install()).json
  const crashed = await app.run(['launch', app.name])
  assert.equal(crashed.code, 128 + 11)
  assert.match(crashed.stderr, /was ended by SIGSEGV/)
  const interrupted = await app.run(['launch', app.name, '--', 'wait'], {
    onStart: async (pid) => {
      await eventually('the game', () => existsSync(join(path, 'started')))
      process.kill(pid, 'SIGTERM')
    },
  })
  assert.deepEqual([interrupted.code, interrupted.stderr], [130, ''])
})

test('a rollback to a build that was withdrawn says so', async (t) => {
  const app = await startStore(t)
  await app.install()
  const second = await app.a.cleanBuild(app.game, {
    bytes: zip([...gameFiles, ...gameOf('2')]),
    version: '2.0',
  })
  assert.equal((await app.run(['update', app.name])).code, 0)
  const builds = `/api/v1/private/games/${app.game.uid}/builds/${second.build_id}`
  must(await app.put(`${builds}/withdrawal`, { reason: 'It loses saves' }, app.game.owner))
  assert.match((await app.run(['update', app.name])).stderr, /was withdrawn: It loses saves/)
  const back = await app.run(['rollback', app.name])
  assert.equal(back.code, 0)
  assert.match(back.stderr, /the build of \S+ that you return to was withdrawn: It loses saves/)
  // The version that is returned to next is a good one.
  assert.doesNotMatch((await app.run(['rollback', app.name])).stderr, /withdrawn/)
})
