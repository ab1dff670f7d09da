import assert from 'node:assert/strict'
import test from 'node:test'
import { Refusal } from '../../src/core/runtime/errors.ts'
import {
  checkClaim,
  checkMayReview,
  checkPlayedEnough,
  checkReply,
  checkReview,
  checkSuggestions,
  creditSeconds,
  FIRST_HEARTBEAT_SECONDS,
  reviewSummary,
  shownPlaySeconds,
  shownTags,
  type TagVotes,
} from '../../src/library/library-rules.ts'
import { letters, refused, wide } from '../listings/refused.ts'
import { fc } from '../support/property.ts'

const notReview = (field: string, act: () => unknown) => refused('INVALID_REVIEW', field, act)

const nameOf = (act: () => void) => {
  try {
    act()
  } catch (error) {
    if (error instanceof Refusal) return error.refusal
    throw error
  }
}

test('what is out and free can be taken', () => {
  for (const visibility of ['invisible', 'public'] as const) {
    assert.equal(
      nameOf(() => checkClaim({ visibility, is_paid: false })),
      undefined,
    )
    assert.equal(
      nameOf(() => checkClaim({ visibility, is_paid: true })),
      'DOWNLOAD_REQUIRES_PURCHASE',
    )
  }
  for (const visibility of ['draft', 'owner'] as const)
    for (const is_paid of [false, true])
      assert.equal(
        nameOf(() => checkClaim({ visibility, is_paid })),
        'CONFLICT',
      )
})

test('who bought or was given a copy may review; who took it for free, while it is free', () => {
  const may = (source: Parameters<typeof checkMayReview>[0]['source'], is_paid: boolean) =>
    !nameOf(() => checkMayReview({ source, is_paid }))
  for (const source of ['purchase', 'grant'] as const)
    assert.deepEqual([may(source, false), may(source, true)], [true, true])
  assert.deepEqual([may('free', false), may('free', true)], [true, false])
  assert.deepEqual([may(null, false), may(null, true)], [false, false])
})

test('tags are suggested after an hour of play, and the refusal tells how much is missing', () => {
  checkPlayedEnough(3600)
  for (const play_seconds of [0, 3599]) {
    assert.throws(
      () => checkPlayedEnough(play_seconds),
      (error: unknown) => {
        assert.ok(error instanceof Refusal)
        assert.deepEqual(
          [error.refusal, error.code, error.status],
          ['NOT_PLAYED_ENOUGH', 4237, 403],
        )
        assert.deepEqual(error.data, { play_seconds, needed_seconds: 3600 })
        return true
      },
    )
  }
})

test('a player suggests up to 5 tags, normalised, each once', () => {
  assert.deepEqual(checkSuggestions(['Turn Based', 'turn_based', 'co-op']), ['turn-based', 'co-op'])
  assert.deepEqual(checkSuggestions(['a', 'b', 'c', 'd', 'e', 'E']), ['a', 'b', 'c', 'd', 'e'])
  assert.deepEqual(checkSuggestions([]), [])
  const bad = [['a', 'b', 'c', 'd', 'e', 'f'], ['a!'], [''], [letters(33)], [5], null, 'a', {}]
  for (const tags of bad) refused('INVALID_COMMUNITY_TAG', 'tags', () => checkSuggestions(tags))
  assert.deepEqual(checkSuggestions([letters(32)]), [letters(32)])
})

const votes = (counts: Record<string, number>): TagVotes[] =>
  Object.entries(counts).map(([tag, count]) => ({ tag, votes: count }))
const tagsOf = (shown: TagVotes[]) => shown.map(({ tag }) => tag)

test('a community tag shows once 3 players suggested it, most suggested first, ties by name', () => {
  assert.deepEqual(
    shownTags(votes({ c: 3, two: 2, b: 7, a: 3, none: 0 }), [], []),
    votes({ b: 7, a: 3, c: 3 }),
  )
})

test('at most 10 community tags show', () => {
  const many = (count: number) =>
    votes(
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`t${String(n).padStart(2, '0')}`, 5]),
      ),
    )
  assert.equal(shownTags(many(10), [], []).length, 10)
  assert.deepEqual(shownTags(many(11), [], []), many(10))
})

test("the developer's own tags are not repeated, and hidden ones make room for the next", () => {
  assert.deepEqual(tagsOf(shownTags(votes({ a: 9, b: 8, c: 7 }), ['a'], ['b'])), ['c'])
  assert.deepEqual(tagsOf(shownTags(votes({ a: 9, b: 8, c: 7 }), [], [])), ['a', 'b', 'c'])
})

test('the shown tags are those a slow, plain reading of the rules gives', () => {
  const tag = fc.constantFrom(...'abcdefghijklmnop')
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ tag, votes: fc.nat(6) }), {
        selector: (one) => one.tag,
        maxLength: 16,
      }),
      fc.array(tag, { maxLength: 3 }),
      fc.array(tag, { maxLength: 3 }),
      (cast, own, hidden) => {
        const sent = JSON.stringify(cast)
        const naive: string[] = []
        for (let count = 6; count >= 3; count--) {
          for (const name of 'abcdefghijklmnop') {
            const entry = cast.find((one) => one.tag === name && one.votes === count)
            if (entry && !own.includes(name) && !hidden.includes(name) && naive.length < 10)
              naive.push(name)
          }
        }
        assert.deepEqual(tagsOf(shownTags(cast, own, hidden)), naive)
        assert.equal(JSON.stringify(cast), sent)
      },
    ),
    { numRuns: 500 },
  )
})

const review = { enjoyed: true, quality: 4, would_play_with_friends: false, text: 'Good\n' }

test('a review says enjoyed and quality, and perhaps more', () => {
  assert.deepEqual(checkReview(review), review)
  assert.deepEqual(checkReview({ enjoyed: false, quality: 1 }), {
    enjoyed: false,
    quality: 1,
    would_play_with_friends: null,
    text: '',
  })
  for (const body of [null, [], 'x']) notReview('review', () => checkReview(body))
})

test('every part of a review has its bounds', () => {
  for (const quality of [1, 5]) assert.equal(checkReview({ ...review, quality }).quality, quality)
  for (const quality of [0, 6, 2.5, '4', null, undefined])
    notReview('quality', () => checkReview({ ...review, quality }))
  for (const enjoyed of ['yes', 1, null, undefined])
    notReview('enjoyed', () => checkReview({ ...review, enjoyed }))
  for (const friends of ['yes', 1, []])
    notReview('would_play_with_friends', () =>
      checkReview({ ...review, would_play_with_friends: friends }),
    )
  assert.equal(checkReview({ ...review, text: wide(4000) }).text, wide(4000))
  for (const text of [letters(4001), wide(4001), 'a\0', 5])
    notReview('text', () => checkReview({ ...review, text }))
})

test('a developer reply has up to 2000 characters; empty removes it', () => {
  assert.equal(checkReply(wide(2000)), wide(2000))
  assert.equal(checkReply(' Thanks\n'), ' Thanks\n')
  for (const text of ['', '  \n', null, undefined]) assert.equal(checkReply(text), '')
  for (const text of [letters(2001), wide(2001), 'a\0', 5])
    notReview('text', () => checkReply(text))
})

test('the summary counts the reviews and averages their quality', () => {
  assert.deepEqual(reviewSummary([]), {
    count: 0,
    enjoyed: 0,
    quality_avg: null,
    quality_counts: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
    would_play_with_friends: 0,
  })
  const three = [
    { enjoyed: true, quality: 5, would_play_with_friends: true },
    { enjoyed: true, quality: 4, would_play_with_friends: null },
    { enjoyed: false, quality: 1, would_play_with_friends: false },
  ]
  const summary = {
    count: 3,
    enjoyed: 2,
    quality_avg: 3.33,
    quality_counts: { 1: 1, 2: 0, 3: 0, 4: 1, 5: 1 },
    would_play_with_friends: 1,
  }
  assert.deepEqual(reviewSummary(three), summary)
})

test('reviews that said the same may be counted together', () => {
  const one = fc.record({
    enjoyed: fc.boolean(),
    quality: fc.integer({ min: 1, max: 5 }),
    would_play_with_friends: fc.option(fc.boolean()),
  })
  const groups = fc.array(fc.tuple(one, fc.nat(4)), { maxLength: 10 })
  fc.assert(
    fc.property(groups, (pairs) => {
      const apart = pairs.flatMap(([said, count]) => Array.from({ length: count }, () => said))
      assert.deepEqual(
        reviewSummary(pairs.map(([said, count]) => ({ ...said, count }))),
        reviewSummary(apart),
      )
    }),
  )
})

test('a review shows play time from an hour on', () => {
  assert.deepEqual([shownPlaySeconds(3599), shownPlaySeconds(3600)], [null, 3600])
})

test('a heartbeat is credited with what it claims, but never with more than the time that went by', () => {
  assert.equal(creditSeconds(60, 60), 60)
  assert.equal(creditSeconds(60, 59.9), 59)
  assert.equal(creditSeconds(30, 60), 30)
  assert.equal(creditSeconds(0, 60), 0)
  assert.equal(creditSeconds(60, -5), 0)
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (claimed, wall) => {
        const credit = creditSeconds(claimed, wall)
        assert.ok(Number.isInteger(credit) && credit >= 0 && credit <= claimed && credit <= wall)
      },
    ),
  )
})

test('a first heartbeat is credited with ten minutes at most', () => {
  assert.equal(FIRST_HEARTBEAT_SECONDS, 600)
  assert.equal(creditSeconds(600, null), 600)
  assert.equal(creditSeconds(601, null), 600)
  assert.equal(creditSeconds(10, null), 10)
})

test('a heartbeat that claims no number of seconds is refused', () => {
  for (const seconds of [-1, '60', null, undefined, Number.NaN, Number.POSITIVE_INFINITY, {}])
    refused('MALFORMED', 'seconds', () => creditSeconds(seconds, 60))
})
