import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, newAddress, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, report, startBugApp } from './fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

test('concurrent reports from game and store are accepted up to the daily cap', async (t) => {
  const { buggyGame, fan, tokenOf, send, call, sql } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 7 })
  const holder = await fan(game.uid)
  const token = await tokenOf(game.uid, holder)
  const store = () =>
    call('POST', `${GAMES}/${game.uid}/bug-reports`, {
      body: { message: 'From the store' },
      token: holder.token,
    })
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => (i % 2 ? send(game.uid, token) : store())),
  )
  const [taken, over] = [
    answers.filter(({ status }) => status === 201),
    answers.filter(({ status }) => status !== 201),
  ]
  assert.equal(taken.length, 7)
  for (const answer of over) assert.deepEqual(refused(answer), [429, 4291])
  const seconds = Number(over[0]!.headers['retry-after'])
  assert.ok(seconds > 0 && seconds <= 86_400)
  const [{ tickets }] =
    (await sql`select count(*)::int as tickets from bugs where game_uid = ${game.uid}`) as any
  assert.equal(tickets, 7)
})

test('the daily cap counts per player and per game', async (t) => {
  const { buggyGame, player, tokenOf, send } = await sharedBugApp(t)
  const games = [await buggyGame({ daily_cap: 1 }), await buggyGame({ daily_cap: 1 })]
  const [ann, bob] = [await player(), await player()]
  for (const game of games)
    for (const person of [ann, bob]) {
      const token = await tokenOf(game.uid, person)
      assert.equal((await send(game.uid, token)).status, 201)
      assert.deepEqual(refused(await send(game.uid, token)), [429, 4291])
    }
})

test('a changed cap counts earlier reports of the day, and each day starts at zero', async (t) => {
  const { buggyGame, player, tokenOf, send, configure, sql } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 2 })
  const token = await tokenOf(game.uid, await player())
  const statuses = async (count: number) => {
    const answers = []
    for (let i = 0; i < count; i++) answers.push((await send(game.uid, token)).status)
    return answers
  }
  assert.deepEqual(await statuses(3), [201, 201, 429])
  await configure(game, { daily_cap: 3 })
  assert.deepEqual(await statuses(2), [201, 429])
  await configure(game, { daily_cap: 1 })
  assert.deepEqual(await statuses(1), [429])
  await sql`update bug_counts set day = day - 1`
  assert.deepEqual(await statuses(2), [201, 429])
})

test('a game without settings accepts ten store reports a day', async (t) => {
  const { game, fan, sendFromStore } = await sharedBugApp(t)
  const off = await game()
  const holder = await fan(off.uid)
  const answers = []
  for (let i = 0; i < 11; i++) answers.push((await sendFromStore(off.uid, holder)).status)
  assert.deepEqual(answers, [...Array(10).fill(201), 429])
})

test('past the cap a report is refused unread, and a rejected report does not count', async (t) => {
  const { buggyGame, player, tokenOf, send } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 1 })
  const token = await tokenOf(game.uid, await player())
  for (let i = 0; i < 3; i++)
    assert.deepEqual(refused(await send(game.uid, token, report({ message: '' }))), [400, 4000])
  must(await send(game.uid, token))
  assert.deepEqual(
    refused(
      await send(game.uid, token, {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        raw: 'junk',
      }),
    ),
    [429, 4291],
  )
})

test('limits an address to 60 reports and 120 notice requests a minute', async (t) => {
  const { buggyGame, fan, send, sendFromStore, call, get } = await sharedBugApp(t)
  const game = await buggyGame()
  const holder = await fan(game.uid)
  const headers = newAddress()
  const fromGame = (address = headers) => send(game.uid, 'junk', { headers: address })
  const fromStore = () =>
    sendFromStore(game.uid, holder, {
      headers: { ...headers, 'content-type': 'application/json' },
      raw: '{}',
    })
  for (let i = 0; i < 30; i++) assert.deepEqual(refused(await fromGame()), [401, 4010])
  for (let i = 0; i < 30; i++) assert.deepEqual(refused(await fromStore()), [400, 4000])
  for (const answer of [await fromGame(), await fromStore()]) {
    assert.deepEqual(refused(answer), [429, 4290])
    assert.ok(Number(answer.headers['retry-after']) > 0)
  }
  assert.deepEqual(
    refused(await fromGame(newAddress())),
    [401, 4010],
    'another address was limited',
  )
  const url = `/api/v1/games/${game.uid}/bugs/notices`
  const read = () => get(url, { headers })
  const ack = () => call('POST', `${url}/ack`, { headers, body: {} })
  for (let i = 0; i < 60; i++)
    for (const request of [read, ack]) assert.deepEqual(refused(await request()), [401, 4010])
  for (const request of [read, ack]) assert.deepEqual(refused(await request()), [429, 4290])
})
