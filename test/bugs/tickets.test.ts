import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, report, startBugApp, ZERO } from './fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

type Game = { uid: string; owner: Person }

async function startTicketApp(t: Parameters<typeof startBugApp>[0]) {
  const app = await sharedBugApp(t)
  const { get, patch, post, tokenOf } = app
  const mark = (game: Game, bug_uid: string, change: object, who = game.owner) =>
    patch(`${GAMES}/${game.uid}/bugs/${bug_uid}`, change, who)
  const notices = async (game: Game, person: Person) =>
    must(
      await get(`/api/v1/games/${game.uid}/bugs/notices`, {
        token: await tokenOf(game.uid, person),
      }),
    ).notices as any[]
  const ack = async (game: Game, person: Person, body?: object) =>
    post(`/api/v1/games/${game.uid}/bugs/notices/ack`, body, {
      token: await tokenOf(game.uid, person),
    })
  return { ...app, mark, notices, ack }
}

test('lists tickets newest first, with counts, by status and page by page', async (t) => {
  const { buggyGame, player, ticket, get, mark } = await startTicketApp(t)
  const [game, someone] = [await buggyGame({ daily_cap: 100 }), await player()]
  const filed = []
  for (let i = 0; i < 5; i++)
    filed.push((await ticket(game, report({ message: `Bug ${i}` }), someone)).bug_uid)
  must(await mark(game, filed[1]!, { status: 'fixed' }))
  must(await mark(game, filed[3]!, { status: 'closed' }))
  const list = async (query = '') =>
    must(await get(`${GAMES}/${game.uid}/bugs${query}`, game.owner))
  const all = await list()
  assert.deepEqual(
    all.items.map(({ message }: any) => message),
    ['Bug 4', 'Bug 3', 'Bug 2', 'Bug 1', 'Bug 0'],
  )
  assert.deepEqual([all.counts, all.total], [{ open: 3, fixed: 1, closed: 1 }, 5])
  assert.ok(!('log' in all.items[0]), 'the list contains a log')
  const open = await list('?status=open&page=2&page_size=2')
  assert.deepEqual(
    [open.items.map(({ message }: any) => message), open.total, open.page],
    [['Bug 0'], 3, 2],
  )
  assert.deepEqual(
    (await list('?status=fixed')).items.map(({ bug_uid }: any) => bug_uid),
    [filed[1]],
  )
  assert.deepEqual(
    refused(await get(`${GAMES}/${game.uid}/bugs?status=late`, game.owner)),
    [400, 4000],
  )
})

test('wrong uids of notices are named', async (t) => {
  const { buggyGame, player, ack } = await startTicketApp(t)
  const [game, person] = [await buggyGame(), await player()]
  const message = async (body: object) => {
    const answer = await ack(game, person, body)
    assert.deepEqual(refused(answer), [400, 4000])
    return answer.body.error.message
  }
  assert.equal(await message({ uids: ['x'] }), 'body.uids[0]: must match format "uuid"')
  assert.equal(await message({ uids: 'x' }), 'body.uids: must be array')
  assert.equal(await message({ uid: ZERO }), 'body.uid: this field is not known')
  must(await ack(game, person))
  must(await ack(game, person, {}))
})

test('only the owner and admins read and change the tickets of their game', async (t) => {
  const { buggyGame, ticket, get, mark, admin, player } = await startTicketApp(t)
  const [game, other] = [await buggyGame(), await buggyGame()]
  const { bug_uid } = await ticket(game, report({}, { log: 'secret' }))
  const helper = await admin(game.uid)
  assert.equal(must(await get(`${GAMES}/${game.uid}/bugs/${bug_uid}`, helper)).log, 'secret')
  assert.equal((await mark(game, bug_uid, { status: 'closed' }, helper)).status, 200)
  for (const who of [await player(), other.owner]) {
    assert.deepEqual(refused(await get(`${GAMES}/${game.uid}/bugs/${bug_uid}`, who)), [404, 4040])
    assert.deepEqual(
      refused(await get(`${GAMES}/${game.uid}/bugs/${bug_uid}/screenshot`, who)),
      [404, 4040],
    )
    assert.deepEqual(refused(await mark(game, bug_uid, { status: 'open' }, who)), [404, 4040])
  }
  for (const uid of [bug_uid, ZERO, 'x']) {
    assert.deepEqual(
      refused(await get(`${GAMES}/${other.uid}/bugs/${uid}`, other.owner)),
      [404, 4040],
    )
    assert.deepEqual(refused(await mark(other, uid, { status: 'open' })), [404, 4040])
  }
  assert.deepEqual(
    refused(await get(`${GAMES}/${game.uid}/bugs/${bug_uid}/screenshot`, game.owner)),
    [404, 4040],
    'a ticket without a screenshot returns one',
  )
})

test('marking a ticket fixed creates one notice, which stays until acknowledged', async (t) => {
  const { buggyGame, player, ticket, mark, notices, ack } = await startTicketApp(t)
  const [game, other, ann, bob] = [
    await buggyGame(),
    await buggyGame(),
    await player(),
    await player(),
  ]
  const filed = await ticket(game, report({ message: 'The lamp flickers' }), ann)
  assert.deepEqual(await notices(game, ann), [])
  const fixed = must(await mark(game, filed.bug_uid, { status: 'fixed' }))
  assert.equal(fixed.status, 'fixed')
  const [notice, ...more] = await notices(game, ann)
  assert.deepEqual(more, [])
  const { uid, ...rest } = notice
  assert.deepEqual(rest, {
    bug_uid: filed.bug_uid,
    message: 'The lamp flickers',
    fixed_at: fixed.fixed_at,
  })
  assert.deepEqual([await notices(game, bob), await notices(other, ann)], [[], []])
  assert.equal(must(await ack(game, bob, { uids: [uid] })).acknowledged, 0)
  assert.equal(must(await ack(game, ann, { uids: [ZERO] })).acknowledged, 0)
  assert.equal(must(await ack(game, ann, { uids: [] })).acknowledged, 0)
  assert.equal(must(await ack(game, ann, { uids: [uid, ZERO] })).acknowledged, 1)
  assert.equal(must(await ack(game, ann, { uids: [uid] })).acknowledged, 0)
  assert.deepEqual(await notices(game, ann), [])
  must(await mark(game, filed.bug_uid, { status: 'fixed' }))
  assert.deepEqual(await notices(game, ann), [], 'marking it fixed again created a notice')
})

test('acknowledging without uids, with or without a body, covers all notices', async (t) => {
  const { buggyGame, player, ticket, mark, notices, ack } = await startTicketApp(t)
  const [game, ann, bob] = [await buggyGame(), await player(), await player()]
  for (const body of [undefined, {}]) {
    for (const by of [ann, ann, bob])
      must(await mark(game, (await ticket(game, undefined, by)).bug_uid, { status: 'fixed' }))
    assert.equal((await notices(game, ann)).length, 2)
    assert.equal(must(await ack(game, ann, body)).acknowledged, 2)
    assert.deepEqual(await notices(game, ann), [])
  }
  assert.equal((await notices(game, bob)).length, 2)
  for (const body of [{ uids: 'x' }, { uids: ['x'] }, { uid: ZERO }])
    assert.deepEqual(refused(await ack(game, ann, body)), [400, 4000])
})

test('acknowledging without uids covers notices beyond the hundred listed', async (t) => {
  const { buggyGame, player, ticket, mark, notices, ack, sql } = await startTicketApp(t)
  const [game, ann] = [await buggyGame(), await player()]
  must(await mark(game, (await ticket(game, undefined, ann)).bug_uid, { status: 'fixed' }))
  await sql`
    insert into bugs
      (uid, game_uid, source, user_uid, message, has_log, status,
       fixed_at, notice_uid, created_at, updated_at)
    select
      gen_random_uuid(), game_uid, source, user_uid, message, has_log, status,
      fixed_at + make_interval(secs => n), gen_random_uuid(), created_at, updated_at
    from bugs, generate_series(1, 101) n`
  assert.equal((await notices(game, ann)).length, 100)
  assert.equal(must(await ack(game, ann, {})).acknowledged, 102)
  assert.deepEqual(await notices(game, ann), [])
})

test('a closed ticket has no notice, even if it was fixed before', async (t) => {
  const { buggyGame, player, ticket, mark, notices } = await startTicketApp(t)
  const [game, ann] = [await buggyGame(), await player()]
  const { bug_uid } = await ticket(game, undefined, ann)
  must(await mark(game, bug_uid, { status: 'closed' }))
  assert.deepEqual(await notices(game, ann), [])
  must(await mark(game, bug_uid, { status: 'fixed' }))
  assert.equal((await notices(game, ann)).length, 1)
  const closed = must(await mark(game, bug_uid, { status: 'closed' }))
  assert.deepEqual([closed.status, closed.fixed_at], ['closed', null])
  assert.deepEqual(await notices(game, ann), [])
})

test('reopening a ticket withdraws its notice, and fixing it again creates one', async (t) => {
  const { buggyGame, player, ticket, mark, notices, ack } = await startTicketApp(t)
  const [game, ann] = [await buggyGame(), await player()]
  const { bug_uid } = await ticket(game, undefined, ann)
  must(await mark(game, bug_uid, { status: 'fixed', fixed_version: '2.0' }))
  const [first] = await notices(game, ann)
  must(await ack(game, ann))
  const open = must(await mark(game, bug_uid, { status: 'open' }))
  assert.deepEqual(
    [open.status, open.fixed_at, open.fixed_version, open.acknowledged_at],
    ['open', null, null, null],
  )
  assert.deepEqual(await notices(game, ann), [])
  must(await mark(game, bug_uid, { status: 'fixed' }))
  const [second] = await notices(game, ann)
  assert.equal(second.bug_uid, bug_uid)
  assert.notEqual(second.uid, first.uid)
})

test('a fix and its notice name the build or version', async (t) => {
  const { buggyGame, player, ticket, mark, notices, a } = await startTicketApp(t)
  const [game, other, ann] = [await buggyGame(), await buggyGame(), await player()]
  const { build_id } = await a.cleanBuild(game, { version: '1.5.1' })
  const foreign = await a.cleanBuild(other)
  const { bug_uid } = await ticket(game, undefined, ann)
  for (const bad of [foreign.build_id, ZERO])
    assert.deepEqual(
      refused(await mark(game, bug_uid, { status: 'fixed', fixed_build_id: bad })),
      [404, 4006],
    )
  assert.deepEqual(
    refused(await mark(game, bug_uid, { fixed_version: '1' })),
    [400, 4000],
    'a ticket that is not fixed accepted a version',
  )
  assert.deepEqual(
    refused(await mark(game, bug_uid, { status: 'closed', fixed_build_id: build_id })),
    [400, 4000],
  )
  assert.deepEqual(refused(await mark(game, bug_uid, { status: 'late' })), [400, 4000])
  assert.deepEqual(
    refused(await mark(game, bug_uid, { status: 'fixed', fixed_version: 'v'.repeat(33) })),
    [400, 4000],
  )
  const fixed = must(await mark(game, bug_uid, { status: 'fixed', fixed_build_id: build_id }))
  assert.deepEqual([fixed.fixed_build_id, fixed.fixed_version], [build_id, '1.5.1'])
  const [notice] = await notices(game, ann)
  assert.deepEqual([notice.build_id, notice.version], [build_id, '1.5.1'])
  const later = must(await mark(game, bug_uid, { fixed_version: '1.5.2' }))
  assert.deepEqual([later.fixed_build_id, later.fixed_version], [null, '1.5.2'])
  assert.equal(
    (await notices(game, ann))[0].uid,
    notice.uid,
    'a correction created a second notice',
  )
})

test('a ticket can be linked only to a crash group of its own game', async (t) => {
  const { buggyGame, ticket, mark, readTicket, sql } = await startTicketApp(t)
  const [game, other] = [await buggyGame(), await buggyGame()]
  const group = async ({ uid: game_uid }: Game, title: string) => {
    const row = {
      uid: crypto.randomUUID(),
      game_uid,
      group_key: Buffer.from(title),
      kind: 'message',
      title,
      first_seen: new Date(),
      last_seen: new Date(),
    }
    await sql`insert into crash_groups ${sql(row)}`
    return row.uid
  }
  const [own, foreign] = [await group(game, 'Lamp.flicker'), await group(other, 'Other')]
  const { bug_uid, crash_group } = await ticket(game)
  assert.equal(crash_group, null)
  for (const uid of [foreign, ZERO])
    assert.deepEqual(refused(await mark(game, bug_uid, { crash_group_uid: uid })), [404, 4040])
  assert.deepEqual(must(await mark(game, bug_uid, { crash_group_uid: own })).crash_group, {
    uid: own,
    title: 'Lamp.flicker',
    status: 'open',
  })
  assert.equal(must(await mark(game, bug_uid, { status: 'closed' })).crash_group.uid, own)
  assert.equal(must(await mark(game, bug_uid, { crash_group_uid: null })).crash_group, null)
  must(await mark(game, bug_uid, { crash_group_uid: own }))
  await sql`delete from crash_groups where uid = ${own}`
  assert.equal((await readTicket(game, bug_uid)).crash_group, null)
})

test('marking a ticket fixed concurrently creates one notice', async (t) => {
  const { buggyGame, player, ticket, mark, notices } = await startTicketApp(t)
  const [game, ann] = [await buggyGame(), await player()]
  const { bug_uid } = await ticket(game, undefined, ann)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => mark(game, bug_uid, { status: 'fixed' })),
  )
  assert.deepEqual(new Set(answers.map(({ body }) => body.data.fixed_at)).size, 1)
  assert.equal((await notices(game, ann)).length, 1)
})

test('the notice of a store ticket is returned in the game too', async (t) => {
  const { game, fan, sendFromStore, mark, notices } = await startTicketApp(t)
  const off = await game()
  const holder = await fan(off.uid)
  const { bug_uid } = must(await sendFromStore(off.uid, holder))
  must(await mark(off, bug_uid, { status: 'fixed' }))
  assert.equal((await notices(off, holder)).length, 1)
})

test('deleting a listing deletes its tickets', async (t) => {
  const { buggyGame, ticket, del, sql } = await startTicketApp(t)
  const game = await buggyGame()
  const { uid } = await ticket(game, report({}, { log: 'x' }))
  must(await del(`${GAMES}/${game.uid}`, game.owner))
  const [remaining] = await sql`
    select
      (select count(*)::int from bugs where game_uid = ${game.uid}) as bugs,
      (select count(*)::int from bug_logs where bug_uid = ${uid}) as logs,
      (select count(*)::int from bug_counts where game_uid = ${game.uid}) as counts`
  assert.deepEqual({ ...remaining }, { bugs: 0, logs: 0, counts: 0 })
})
