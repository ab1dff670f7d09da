import assert from 'node:assert/strict'
import test from 'node:test'
import { Refusal } from '../../src/core/runtime/errors.ts'
import {
  checkPlayedEnough,
  checkSuggestions,
  type TagVotes,
} from '../../src/library/community-tags.ts'
import { checkClaim } from '../../src/library/copies.ts'
import { creditSeconds } from '../../src/library/play-time.ts'
import {
  checkMayReview,
  checkReply,
  checkReview,
  reviewSummary,
  shownPlaySeconds,
} from '../../src/library/reviews.ts'
import { letters, refused, wide } from '../listings/refused.ts'
import { fc } from '../support/property.ts'
import { visibleTags } from './visible-tags.ts'

const invalidReview = (field: string, check: () => unknown) =>
  refused('INVALID_REVIEW', field, check)

const errorName = (check: () => void) => {
  try {
    check()
  } catch (error) {
    if (error instanceof Refusal) return error.refusal
    throw error
  }
}

test('a copy can be claimed of a released, free listing only', () => {
  for (const visibility of ['invisible', 'public'] as const) {
    assert.equal(
      errorName(() => checkClaim({ visibility, is_paid: false })),
      undefined,
    )
    assert.equal(
      errorName(() => checkClaim({ visibility, is_paid: true })),
      'DOWNLOAD_REQUIRES_PURCHASE',
    )
  }
  for (const visibility of ['draft', 'owner'] as const)
    for (const is_paid of [false, true])
      assert.equal(
        errorName(() => checkClaim({ visibility, is_paid })),
        'CONFLICT',
      )
})

test('a free copy allows a review only while the game is free', () => {
  const may = (source: Parameters<typeof checkMayReview>[0]['source'], is_paid: boolean) =>
    !errorName(() => checkMayReview({ source, is_paid }))
  for (const source of ['purchase', 'grant'] as const)
    assert.deepEqual([may(source, false), may(source, true)], [true, true])
  assert.deepEqual([may('free', false), may('free', true)], [true, false])
  assert.deepEqual([may(null, false), may(null, true)], [false, false])
})

test('suggesting tags needs an hour of play, and the error tells how much', () => {
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

test('accepts up to 5 suggested tags, normalized and without duplicates', () => {
  assert.deepEqual(checkSuggestions(['Turn Based', 'turn_based', 'co-op']), ['turn-based', 'co-op'])
  assert.deepEqual(checkSuggestions(['a', 'b', 'c', 'd', 'e', 'E']), ['a', 'b', 'c', 'd', 'e'])
  assert.deepEqual(checkSuggestions([]), [])
  const invalid = [['a', 'b', 'c', 'd', 'e', 'f'], ['a!'], [''], [letters(33)], [5], null, 'a', {}]
  for (const tags of invalid) refused('INVALID_COMMUNITY_TAG', 'tags', () => checkSuggestions(tags))
  assert.deepEqual(checkSuggestions([letters(32)]), [letters(32)])
})

const votes = (counts: Record<string, number>): TagVotes[] =>
  Object.entries(counts).map(([tag, count]) => ({ tag, votes: count }))
const tagNames = (tags: TagVotes[]) => tags.map(({ tag }) => tag)

test('a tag shows after 3 suggestions, most suggested first, ties by name', () => {
  assert.deepEqual(
    visibleTags(votes({ c: 3, two: 2, b: 7, a: 3, none: 0 }), [], []),
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
  assert.equal(visibleTags(many(10), [], []).length, 10)
  assert.deepEqual(visibleTags(many(11), [], []), many(10))
})

test('omits hidden tags and those that the developer already set', () => {
  assert.deepEqual(tagNames(visibleTags(votes({ a: 9, b: 8, c: 7 }), ['a'], ['b'])), ['c'])
  assert.deepEqual(tagNames(visibleTags(votes({ a: 9, b: 8, c: 7 }), [], [])), ['a', 'b', 'c'])
})

test('picks the same tags as a naive implementation', () => {
  const tag = fc.constantFrom(...'abcdefghijklmnop')
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ tag, votes: fc.nat(6) }), {
        selector: (entry) => entry.tag,
        maxLength: 16,
      }),
      fc.array(tag, { maxLength: 3 }),
      fc.array(tag, { maxLength: 3 }),
      (cast, own, hidden) => {
        const input = JSON.stringify(cast)
        const naive: string[] = []
        for (let count = 6; count >= 3; count--) {
          for (const name of 'abcdefghijklmnop') {
            const entry = cast.find(({ tag, votes }) => tag === name && votes === count)
            if (entry && !own.includes(name) && !hidden.includes(name) && naive.length < 10)
              naive.push(name)
          }
        }
        assert.deepEqual(tagNames(visibleTags(cast, own, hidden)), naive)
        assert.equal(JSON.stringify(cast), input, 'the input is not changed')
      },
    ),
    { numRuns: 500 },
  )
})

const review = { enjoyed: true, quality: 4, would_play_with_friends: false, text: 'Good\n' }

test('a review needs enjoyed and quality; the rest is optional', () => {
  assert.deepEqual(checkReview(review), review)
  assert.deepEqual(checkReview({ enjoyed: false, quality: 1 }), {
    enjoyed: false,
    quality: 1,
    would_play_with_friends: null,
    text: '',
  })
  for (const body of [null, [], 'x']) invalidReview('review', () => checkReview(body))
})

test('rejects a review field that is out of range', () => {
  for (const quality of [1, 5]) assert.equal(checkReview({ ...review, quality }).quality, quality)
  for (const quality of [0, 6, 2.5, '4', null, undefined])
    invalidReview('quality', () => checkReview({ ...review, quality }))
  for (const enjoyed of ['yes', 1, null, undefined])
    invalidReview('enjoyed', () => checkReview({ ...review, enjoyed }))
  for (const friends of ['yes', 1, []])
    invalidReview('would_play_with_friends', () =>
      checkReview({ ...review, would_play_with_friends: friends }),
    )
  assert.equal(checkReview({ ...review, text: wide(4000) }).text, wide(4000))
  for (const text of [letters(4001), wide(4001), 'a\0', 5])
    invalidReview('text', () => checkReview({ ...review, text }))
})

test('accepts a reply of up to 2000 characters, or an empty one', () => {
  assert.equal(checkReply(wide(2000)), wide(2000))
  assert.equal(checkReply(' Thanks\n'), ' Thanks\n')
  for (const text of ['', '  \n', null, undefined]) assert.equal(checkReply(text), '')
  for (const text of [letters(2001), wide(2001), 'a\0', 5])
    invalidReview('text', () => checkReply(text))
})

test('the summary counts reviews and averages their quality', () => {
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

test('the summary of grouped reviews equals that of single reviews', () => {
  const vote = fc.record({
    enjoyed: fc.boolean(),
    quality: fc.integer({ min: 1, max: 5 }),
    would_play_with_friends: fc.option(fc.boolean()),
  })
  const groups = fc.array(fc.tuple(vote, fc.nat(4)), { maxLength: 10 })
  fc.assert(
    fc.property(groups, (pairs) => {
      const single = pairs.flatMap(([vote, count]) => Array.from({ length: count }, () => vote))
      assert.deepEqual(
        reviewSummary(pairs.map(([vote, count]) => ({ ...vote, count }))),
        reviewSummary(single),
      )
    }),
  )
})

test('a review shows play time of an hour or more', () => {
  assert.deepEqual([shownPlaySeconds(3599), shownPlaySeconds(3600)], [null, 3600])
})

test('credits the claimed seconds, but never more than the elapsed time', () => {
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

test('credits a first heartbeat with at most ten minutes', () => {
  assert.equal(creditSeconds(600, null), 600)
  assert.equal(creditSeconds(601, null), 600)
  assert.equal(creditSeconds(10, null), 10)
})

test('rejects a heartbeat whose seconds are not a number of 0 or more', () => {
  for (const seconds of [-1, '60', null, undefined, Number.NaN, Number.POSITIVE_INFINITY, {}])
    refused('MALFORMED', 'seconds', () => creditSeconds(seconds, 60))
})
