import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { clearIdentityCache } from '../../../src/accounts/sessions/identity.ts'
import { moderationTeam } from '../../moderation/fixtures.ts'
import { addCopy, must } from '../../support/builders.ts'
import { paidGame, startWithConfig } from './login-fixtures.ts'

const REFUSED = 2

async function startAccess(t: TestContext) {
  const app = await startWithConfig(t)
  /** An install that is refused with this code, and a hint. */
  const refuses = async (code: number, hint: RegExp, ...more: string[]) => {
    const { code: exit, stderr } = await app.run([...app.install, ...more])
    assert.equal(exit, REFUSED, stderr)
    assert.match(stderr, new RegExp(`^API error \\[${code}\\]: `, 'm'))
    assert.match(stderr, hint)
    const { json } = await app.run([...app.install, ...more, '--json'])
    assert.deepEqual([json.ok, json.code], [false, code])
    assert.match(json.hint, hint)
    assert.deepEqual((await app.run(['list', '--json'])).json.games, [], 'nothing is installed')
  }
  /** Installs the game, and removes it again. Returns the version. */
  const installs = async (...more: string[]) => {
    const { code, json, stdout } = await app.run([...app.install, ...more, '--json'])
    assert.equal(code, 0, stdout)
    assert.equal((await app.run(['uninstall', app.name])).code, 0)
    return json.version as string
  }
  return { ...app, refuses, installs }
}

test('the beta is installed by those who joined it', async (t) => {
  const app = await startAccess(t)
  const { refuses, installs, game } = app
  const beta = ['--channel', 'beta']
  await app.a.cleanBuild(game, { version: '3.0', channel: 'beta' })
  await app.a.cleanBuild(game, { version: '4.0', channel: 'dev' })
  await refuses(4040, /if it needs an account, run slipway login first/, ...beta)
  const person = await app.a.verified()
  await app.storeLogin(person)
  await refuses(4074, /join the beta on the page of the game/, ...beta)
  const join = { channel: 'beta' }
  must(await app.put(`/api/v1/private/games/${game.uid}/channel`, join, person))
  assert.equal(await installs(...beta), '3.0')
  // Joining opens no channel of the developers.
  await refuses(4074, /other channels are for its developers/, '--channel', 'dev')
  await app.storeLogin(game.owner)
  assert.equal(await installs('--channel', 'dev'), '4.0')
})

test('a beta that is sold with an edition is refused with the way to buy it', async (t) => {
  const app = await startAccess(t)
  await app.a.cleanBuild(app.game, { version: '3.0', channel: 'beta' })
  await app.sql`update listings set anonymous_downloads = false where uid = ${app.game.uid}`
  const editions = `/api/v1/private/games/${app.game.uid}/editions`
  const edition = {
    slug: 'early',
    name: 'Early access',
    kind: 'beta_access',
    price_cents: 500,
    active: true,
    sort_order: 0,
  }
  must(await app.post(editions, edition, app.game.owner))
  await app.storeLogin(await app.a.verified())
  await app.refuses(4165, /buy it on the page of the game/, '--channel', 'beta')
})

test('adult content is installed by accounts that have it turned on', async (t) => {
  const app = await startAccess(t)
  const { refuses, installs } = app
  const first = await installs()
  await app.sql`update listings set adult = true where uid = ${app.game.uid}`
  await refuses(4040, /if it needs an account, run slipway login first/)
  const person = await app.a.verified()
  await app.storeLogin(person)
  await refuses(4040, /adult content is shown only to accounts that have it turned on/)
  const consent = { show: true, confirm_18: true }
  must(await app.put('/api/v1/private/settings/adult', consent, person))
  assert.equal(await installs(), first)
})

test('a paid game is installed by those who have a copy and a verified address', async (t) => {
  const app = await startAccess(t)
  const { refuses, installs, sql } = app
  await paidGame(app)
  await refuses(4001, /run slipway login to sign in/)
  const person = await app.a.verified()
  await app.storeLogin(person)
  await refuses(4023, /buy it on the page of the game/)
  await addCopy(sql, app.game.uid, person.uid, 'purchase')
  await installs()
  await sql`update users set email_verified_at = null where uid = ${person.uid}`
  clearIdentityCache()
  await refuses(4096, /open the link in the mail that the store sent you/)
})

test('a quarantined build is installed by nobody, and what is installed stays', async (t) => {
  const app = await startAccess(t)
  const { decide } = await moderationTeam(app)
  const installed = (await app.run([...app.install, '--json'])).json
  const update = async () => {
    const { code, json, stdout } = await app.run(['update', app.name, '--json'])
    return { code, json, stdout }
  }
  await decide('file', app.file_uid, 'quarantine')
  const refused_update = await update()
  assert.deepEqual([refused_update.code, refused_update.json.ok], [REFUSED, false])
  assert.ok(existsSync(installed.path), 'the installed version is still there')
  assert.equal((await app.run(['verify', app.name])).code, 0)
  assert.equal((await app.run(['uninstall', app.name])).code, 0)
  await app.refuses(4040, /if it needs an account/)
  for (const person of [await app.a.verified(), app.game.owner]) {
    await app.storeLogin(person)
    await app.refuses(4040, /check the name, the channel and the system/)
  }
  await decide('file', app.file_uid, 'restore')
  await app.installs()
})
