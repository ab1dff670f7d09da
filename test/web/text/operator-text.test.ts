import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorPages } from '../../../src/web/operator/routes.ts'
import { ACTIONS, decision } from '../../moderation/fixtures.ts'
import { OPERATIONS, startConsole } from '../../operator/fixtures.ts'
import { must, newAddress } from '../../support/builders.ts'
import { PSEUDO_ENGLISH, PSEUDO_LANGUAGES, plainTexts, textsOf } from './visible-text.ts'

/** What people entered, and names that are the same in every language. */
const CONTENT = [/person-\d+(?:@example\.com)?/g, /no-reply@(?:harbor\.example|localhost)/g]

test('every text of the console is a message', async (t) => {
  const { console, a, sql, post, operator } = await startConsole(t, {
    ...PSEUDO_LANGUAGES,
    PROXY_HOPS: '1',
  })
  const listing = await a.listing({ name: 'person-1' })
  const { uid, owner } = listing
  await sql`insert into held_releases (game_uid, state) values (${uid}, 'waiting')`
  await sql`
    insert into publisher_approvals (user_uid, state, request, requested_at)
    values (${owner.uid}, 'requested', 'person-1', now())`
  for (const state of ['approved', 'declined'])
    await sql`
      insert into publisher_approvals (user_uid, state, decided_at)
      values (${(await a.user()).uid}, ${state}, now())`
  must(await post(`${OPERATIONS}/invitations`, { may_publish: true }, operator))
  const pages = operatorPages.filter(({ method, url }) => method === 'GET' && !url.includes(':'))
  const problems: string[] = []
  const sweep = { sha256: ['ab'.repeat(32)] }
  const { sweep_id } = must(await post('/api/v1/private/moderation/sweeps', sweep, operator))
  await a.images(listing)
  const action = decision('listing', uid, 'dismiss', { facts: 'person-1' })
  const { action_uid } = must(await post(ACTIONS, action, operator))
  const more = [
    `/operator/approvals/releases/${uid}`,
    `/operator/moderation/sweeps/${sweep_id}`,
    `/operator/moderation/decisions/${action_uid}`,
    `/operator/moderation/listing/${uid}`,
    `/operator/moderation/listing/${uid}/parts/image`,
    `/operator/moderation/person/${owner.uid}`,
  ]
  for (const url of [...pages.map(({ url }) => url), ...more]) {
    const { status, body } = await console.open(url, { ...PSEUDO_ENGLISH, ...newAddress() })
    assert.ok(status === 200 || status === 303, `${url}: ${status}`)
    for (const text of plainTexts(textsOf(body), CONTENT)) problems.push(`${url}: ${text}`)
  }
  assert.deepEqual(problems, [])
})
