import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCopy, must } from '../../support/builders.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

test('reviews and saved replies are shown as on the page of the listing', async (t) => {
  const { a, sql, put, listing, owner, at } = await startDashboard(t)
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'grant')
  await sql`update listings set visibility = 'public' where uid = ${listing.uid}`
  const text = 'It **floats**. <script>alert(1)</script>'
  const review = { enjoyed: true, quality: 4, text }
  const api = `/api/v1/private/games/${listing.uid}/review`
  const { uid } = must(await put(api, review, player))
  const before = (await owner.open(at('reviews'))).body
  assert.match(before, /<blockquote>.*It <strong>floats<\/strong>.*<\/blockquote>/s)
  assert.doesNotMatch(before, /<script>alert|class="reply"/)
  assert.equal(before.match(/<h[12][^>]*>Reviews</g)?.length, 1)
  const label = before.match(new RegExp(`<label for="f-text-${uid}">(.*?)</label>`))![1]!
  assert.equal(label, `Reply to ${player.username}`)
  await owner.submit(at(`reviews/${uid}/reply`), { [`text-${uid}`]: 'Thank *you*.' })
  const after = (await owner.open(at('reviews'))).body
  assert.match(after, /class="reply">.*Thank <em>you<\/em>/s)
  assert.match(after, /Edit reply/)
  await owner.submit(at(`reviews/${uid}/reply`), { [`text-${uid}`]: '' })
  assert.doesNotMatch((await owner.open(at('reviews'))).body, /class="reply"/)
})
