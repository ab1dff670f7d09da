import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnTrial, mustHaveSecondFactor } from '../../../src/accounts/second-factor/requirement.ts'
import { clearIdentityCache } from '../../../src/accounts/sessions/identity.ts'
import { defaultSettings } from '../../../src/core/settings/table.ts'
import { startApp } from '../../support/app.ts'
import { must, PASSWORD, refused } from '../../support/builders.ts'
import { browser } from '../../web/browser.ts'
import { ACCOUNT, enrollTotp } from './fixtures.ts'

const person = { operator: false, moderator: false, developer: false }

test('the setting says who must have a second factor', () => {
  const who = {
    player: person,
    developer: { ...person, developer: true },
    moderator: { ...person, moderator: true },
    operator: { ...person, operator: true },
  }
  const expected = {
    off: [],
    operators: ['moderator', 'operator'],
    developers: ['developer', 'moderator', 'operator'],
    everyone: ['player', 'developer', 'moderator', 'operator'],
  } as const
  for (const [require_mfa, names] of Object.entries(expected)) {
    const rule = { require_mfa: require_mfa as keyof typeof expected }
    const required = Object.entries(who).filter(([, roles]) => mustHaveSecondFactor(rule, roles))
    assert.deepEqual(
      required.map(([name]) => name),
      names,
      require_mfa,
    )
  }
  assert.equal(defaultSettings.require_mfa, 'operators')
})

test('a store with its own database insists after 24 hours', () => {
  const first_start = new Date('2026-01-01T12:00:00Z')
  assert.equal(isOnTrial(first_start, new Date('2026-01-02T11:59:59Z')), true)
  assert.equal(isOnTrial(first_start, new Date('2026-01-02T12:00:00Z')), false)
})

for (const role of ['operators', 'moderators'])
  test(`one of the ${role} sets up a second factor before anything else`, async (t) => {
    const app = await startApp(t, { REQUIRE_MFA: 'operators' })
    const { a, sql, get, post } = app
    const member = await a.verified()
    const key = await a.key('player', member, ['player:read'])
    const login = { login: member.username, password: PASSWORD }
    await sql`insert into ${sql(role)} (user_uid) values (${member.uid})`
    clearIdentityCache()
    const { session } = must(await post(`${ACCOUNT}/login`, login))
    const library = () => get('/api/v1/private/library', session)
    assert.deepEqual(refused(await library()), [403, 4292])
    assert.deepEqual(refused(await post(`${ACCOUNT}/player-keys`, {}, session)), [403, 4292])
    must(await get('/api/v1/private/library', { token: key.key }))
    must(await get(ACCOUNT, session))
    assert.equal(must(await get(`${ACCOUNT}/second-factor`, session)).required, true)

    const visitor = browser(app)
    visitor.as(session.token)
    for (const path of ['/library', '/operator/moderation', '/']) {
      const { status, headers } = await visitor.open(path)
      assert.deepEqual([status, headers.location], [303, '/account/security'], path)
    }
    const form = await visitor.send('/settings/developer', { accept_terms: 'yes' })
    assert.deepEqual([form.status, form.headers.location], [303, '/account/security'])
    assert.match((await visitor.open('/account/security')).body, /asks you to set up/)
    await enrollTotp(app, session)
    must(await library())
    assert.equal((await visitor.open('/library')).status, 200)
  })

test('players and developers are not asked by default', async (t) => {
  const { a, get } = await startApp(t, { REQUIRE_MFA: 'operators' })
  for (const who of [await a.user(), await a.developer()])
    must(await get('/api/v1/private/library', who))
})
