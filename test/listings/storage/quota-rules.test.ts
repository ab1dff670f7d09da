import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../../src/core/settings/table.ts'
import {
  defaultQuotas,
  exceededQuota,
  isNearlyFull,
  shareOf,
} from '../../../src/listings/storage/quota-rules.ts'

const GIB = 1024 ** 3
const level = (developers: number, players: number, quota: number | null) => ({
  used: { developers, players },
  quota,
})

test('the default quotas are 100 GiB a listing and 500 GiB an owner, without one for the store', () => {
  assert.deepEqual(defaultQuotas(defaultSettings), {
    listing: 100 * GIB,
    account: 500 * GIB,
    service: null,
  })
  assert.equal(defaultSettings.player_files_percent, 10)
})

test('players have their share of a quota, and developers have the rest', () => {
  assert.deepEqual([shareOf(1001, 'players', 10), shareOf(1001, 'developers', 10)], [100, 901])
  assert.deepEqual([shareOf(1000, 'players', 0), shareOf(1000, 'developers', 0)], [0, 1000])
})

test('files fit up to the last byte of each level, and the first exceeded level is named', () => {
  const levels = {
    listing: level(100, 90, 1000),
    account: level(500, 90, 2000),
    service: level(800, 90, 2000),
  }
  const check = (sender: 'developers' | 'players', bytes: number) =>
    exceededQuota(levels, { sender, bytes }, 10)
  assert.equal(check('developers', 800), undefined)
  assert.deepEqual(check('developers', 801), { level: 'listing', used: 100, limit: 900 })
  assert.equal(check('players', 10), undefined)
  assert.deepEqual(check('players', 11), { level: 'listing', used: 90, limit: 100 })
  const without = { ...levels, listing: level(100, 90, null) }
  assert.equal(exceededQuota(without, { sender: 'developers', bytes: 1000 }, 10), undefined)
  assert.deepEqual(exceededQuota(without, { sender: 'developers', bytes: 1001 }, 10), {
    level: 'service',
    used: 800,
    limit: 1800,
  })
})

test('a quota below what is used refuses new bytes, but not a change without any', () => {
  const levels = { listing: level(2000, 0, 1000) }
  assert.equal(exceededQuota(levels, { sender: 'developers', bytes: 0 }, 10), undefined)
  assert.ok(exceededQuota(levels, { sender: 'developers', bytes: 1 }, 10))
})

test('a warning begins at 80 percent, and never without a limit', () => {
  assert.deepEqual([isNearlyFull(79, 100), isNearlyFull(80, 100)], [false, true])
  assert.equal(isNearlyFull(1e18, null), false)
})
