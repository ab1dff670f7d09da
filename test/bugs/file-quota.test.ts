import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { must } from '../support/builders.ts'
import { padPng, picture } from '../support/images.ts'
import { report, startBugApp, storedScreenshots } from './fixtures.ts'

const SHARE = Math.floor(MIB / 10)

test('a report without room for its files is filed without them', async (t) => {
  const app = await startBugApp(t, { LISTING_QUOTA_MIB: '1' })
  const { buggyGame, player, tokenOf, send, readTicket } = app
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const small = await picture(32, 32)
  const file = async (...parameters: Parameters<typeof report>) => {
    const { bug_uid } = must(await send(game.uid, token, report(...parameters)))
    const { log, screenshot } = await readTicket(game, bug_uid)
    return { log, size: screenshot?.size ?? null }
  }
  const nothing = { log: null, size: null }

  // Refused by the length of the request, and by the size of the file once it is known.
  assert.deepEqual(await file({}, { screenshot: padPng(small, MIB) }), nothing)
  assert.deepEqual(await file({}, { screenshot: padPng(small, SHARE + 1), log: 'abc' }), nothing)
  assert.deepEqual(storedScreenshots(app.data_dir), [])

  const fits = await file({}, { screenshot: padPng(small, SHARE - 6), log: 'abc' })
  assert.deepEqual(fits, { log: 'abc', size: SHARE - 6 })
  assert.deepEqual(await file({}, { log: 'abcd' }), nothing)
  assert.deepEqual(await file({ log: 'abc' }), { log: 'abc', size: null })
  assert.deepEqual(await file({ log: 'a' }), nothing)
  assert.equal(storedScreenshots(app.data_dir).length, 1)
})
