import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import type { Core } from '../../src/core/core.ts'
import { open, type Sql } from '../../src/core/db.ts'
import { createJobs, installJobs, type Job, type Jobs, job, type Run } from '../../src/core/jobs.ts'
import { cleanup } from '../cleanup.ts'
import { freshDatabase } from '../database.ts'
import { count } from './jobs-child.ts'

const core = {} as Core
const quiet = pino({ level: 'silent' })
const FAST = { retries: 3, backoff_seconds: [0, 0] } as const

async function database(t: TestContext): Promise<{ url: string; sql: Sql }> {
  const url = await freshDatabase(t)
  const sql = open(url, 5, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  await sql`create table effects (id uuid not null, note text not null default '')`
  return { url, sql }
}

/** The queues of these jobs on a database of the test's own, and as many runners over it as asked for. */
async function queue(t: TestContext, definitions: Job[]) {
  const { url, sql } = await database(t)
  await installJobs(sql, definitions)
  const jobs = await createJobs(sql, quiet, definitions)
  cleanup(t, () => jobs.stop(0))
  const runner = async (log = quiet): Promise<Jobs> => {
    const pool = open(url, 5, 'runner')
    const another = await createJobs(pool, log, definitions)
    await another.start(core)
    cleanup(t, async () => {
      await another.stop(0)
      await pool.end({ timeout: 1 })
    })
    return another
  }
  return { url, sql, jobs, runner }
}

/** Hands each run of a job over to the test, which decides what happens in it and when. */
function puppet(name: string, options: object = {}) {
  const arrived: ((run: Run) => void)[] = []
  const waiting: Run[] = []
  const released = new Map<Run, PromiseWithResolvers<unknown>>()
  const definition = job({
    name,
    ...FAST,
    ...options,
    async handle(run) {
      const release = Promise.withResolvers<unknown>()
      released.set(run, release)
      const taker = arrived.shift()
      if (taker) taker(run)
      else waiting.push(run)
      await release.promise
    },
  })
  return {
    definition,
    next: () => (waiting.length ? Promise.resolve(waiting.shift()!) : new Promise<Run>((resolve) => arrived.push(resolve))),
    end: (run: Run, error?: Error) => (error ? released.get(run)!.reject(error) : released.get(run)!.resolve(undefined)),
  }
}

const note = ({ id, finish }: Run, text: string) => finish((tx) => tx`insert into effects (id, note) values (${id}, ${text})`)
const notes = async (sql: Sql) => (await sql`select note from effects order by note`).map((row) => row.note)
const rows = (sql: Sql, name: string) =>
  sql`select id, state::text, retry_count, retry_limit, extract(epoch from start_after - now())::float8 as wait from pgboss.job where name = ${name}`

test('a job is there when its transaction commits, and never was when it rolls back', async (t) => {
  const { definition, next, end } = puppet('test.send')
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  await assert.rejects(
    sql.begin(async (tx) => {
      await jobs.send(tx, 'test.send', { from: 'rolled back' })
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  const id = await sql.begin((tx) => jobs.send(tx, 'test.send', { from: 'committed', nested: { list: [1, 'two'] } }))
  const run = await next()
  assert.deepEqual(run.data, { from: 'committed', nested: { list: [1, 'two'] } })
  assert.equal(run.id, id)
  assert.equal(run.attempt, 1)
  end(run)
  assert.equal((await rows(sql, 'test.send')).length, 1)
})

// Each kind is idle when its job is sent, and sent when the one before has run: with the look every two seconds alone this takes a minute.
test('a job starts when its transaction commits, not when someone happens to look', { timeout: 15_000 }, async (t) => {
  const kinds = Array.from({ length: 30 }, (_, i) => puppet(`test.prompt-${i}`))
  const { sql, jobs, runner } = await queue(
    t,
    kinds.map(({ definition }) => definition),
  )
  await runner()
  for (const { definition, next, end } of kinds) {
    await jobs.send(sql, definition.name)
    end(await next())
  }
})

test('jobs sent at once are worked off without waiting, as many at a time as the kind allows', { timeout: 15_000 }, async (t) => {
  let now = 0
  let most = 0
  const all = Promise.withResolvers<void>()
  const seen = new Set<string>()
  const many = job({
    name: 'test.many',
    concurrency: 3,
    async handle({ id, finish }) {
      most = Math.max(most, ++now)
      await finish((tx) => tx`select pg_sleep(0.005)`)
      now--
      if (seen.add(id).size === 60) all.resolve()
    },
  })
  const { sql, jobs, runner } = await queue(t, [many])
  await sql.begin(async (tx) => {
    for (let i = 0; i < 60; i++) await jobs.send(tx, 'test.many')
  })
  await runner()
  await all.promise
  assert.equal(most, 3)
})

test('a job sent for later waits until then', async (t) => {
  const { definition, next, end } = puppet('test.later')
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  await jobs.send(sql, 'test.later', { which: 'later' }, { after_seconds: 1000 })
  await jobs.send(sql, 'test.later', { which: 'now' })
  const first = await next()
  assert.deepEqual(first.data, { which: 'now' })
  end(first)
  await sql`update pgboss.job set start_after = now() where state = 'created'`
  const second = await next()
  assert.deepEqual(second.data, { which: 'later' })
  end(second)
})

test('a kind that nobody declared is refused when it is sent', async (t) => {
  const { definition } = puppet('test.known')
  const { sql, jobs } = await queue(t, [definition])
  await assert.rejects(jobs.send(sql, 'test.unknown'), /No job is called test\.unknown/)
  assert.throws(() => job({ name: 'nameless', handle: async () => {} }), /room\.verb/)
})

test('the wait before a retry doubles from the first to the ceiling, with jitter', async (t) => {
  const { definition, next, end } = puppet('test.backoff', { retries: 5, backoff_seconds: [100, 300] })
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner()
  await jobs.send(sql, 'test.backoff')
  end(await next(), new Error('no'))
  await worker.stop()
  const [first] = await rows(sql, 'test.backoff')
  assert.equal(first!.state, 'retry')
  assert.ok(first!.wait > 90 && first!.wait <= 200, `${first!.wait}`)
  await sql`update pgboss.job set start_after = now(), retry_count = 3 where name = 'test.backoff'`
  const other = await runner()
  const late = await next()
  assert.equal(late.attempt, 5)
  end(late, new Error('no'))
  await other.stop()
  const [last] = await rows(sql, 'test.backoff')
  assert.ok(last!.wait > 290 && last!.wait <= 300, `${last!.wait}`)
})

test('a job that fails every attempt is kept as dead, can be listed, and replayed under the same id', async (t) => {
  const { definition, next, end } = puppet('test.die', { retries: 2 })
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner()
  const id = await jobs.send(sql, 'test.die', { to: 'someone' })
  for (const attempt of [1, 2, 3]) {
    assert.deepEqual(await jobs.dead(), [])
    const run = await next()
    assert.deepEqual([run.attempt, run.id], [attempt, id])
    end(run, new Error(`failure ${attempt}`))
  }
  await worker.stop()
  const [dead, ...others] = await jobs.dead()
  assert.equal(others.length, 0)
  const { name, data, error, attempts, failed_at } = dead!
  assert.deepEqual({ name, data, error, attempts }, { name: 'test.die', data: { to: 'someone' }, error: 'failure 3', attempts: 3 })
  assert.ok(failed_at instanceof Date)

  await runner()
  assert.equal(await jobs.replay([]), 0)
  assert.equal(await jobs.replay([randomUUID()]), 0)
  assert.equal(await jobs.replay([dead!.id]), 1)
  assert.deepEqual(await jobs.dead(), [])
  const again = await next()
  assert.deepEqual([again.attempt, again.id, again.data], [1, id, { to: 'someone' }])
  await note(again, 'replayed')
  end(again)
  assert.deepEqual(await notes(sql), ['replayed'])
})

test('dead jobs are listed newest first and replayed all at once', async (t) => {
  const { definition, next, end } = puppet('test.dead', { retries: 0, concurrency: 3 })
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  for (const number of [1, 2, 3]) {
    await jobs.send(sql, 'test.dead', { number })
    end(await next(), new Error('no'))
    // The next failure must come after this one.
    while ((await jobs.dead()).length < number);
  }
  assert.deepEqual(
    (await jobs.dead()).map(({ data }) => data),
    [{ number: 3 }, { number: 2 }, { number: 1 }],
  )
  assert.deepEqual(
    (await jobs.dead(1)).map(({ data }) => data),
    [{ number: 3 }],
  )
  assert.equal(await jobs.replay('all'), 3)
  for (const _ of [1, 2, 3]) end(await next())
  assert.deepEqual(await jobs.dead(), [])
})

test('an effect that throws leaves nothing behind, and its job is tried again', async (t) => {
  const { definition, next, end } = puppet('test.atomic')
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  await jobs.send(sql, 'test.atomic')
  const first = await next()
  const broken = first.finish(async (tx) => {
    await tx`insert into effects (id) values (${first.id})`
    throw new Error('half way')
  })
  await assert.rejects(broken, /half way/)
  assert.deepEqual(await notes(sql), [])
  assert.equal((await rows(sql, 'test.atomic'))[0]!.state, 'active')
  end(first, new Error('half way'))
  const second = await next()
  assert.equal(second.attempt, 2)
  assert.equal(await second.finish(async () => 'the value of the effect'), 'the value of the effect')
  assert.equal((await rows(sql, 'test.atomic'))[0]!.state, 'completed')
  await assert.rejects(note(second, 'twice'), /no longer/)
  end(second)
  assert.deepEqual(await notes(sql), [])
})

test('an effect that cannot be committed does not complete its job', async (t) => {
  const { definition, next, end } = puppet('test.commit')
  const { sql, jobs, runner } = await queue(t, [definition])
  await sql`alter table effects add unique (note) deferrable initially deferred`
  await runner()
  await jobs.send(sql, 'test.commit')
  const run = await next()
  const twice = run.finish((tx) => tx`insert into effects (id, note) values (${run.id}, 'same'), (${run.id}, 'same')`)
  await assert.rejects(twice, /duplicate key/)
  assert.equal((await rows(sql, 'test.commit'))[0]!.state, 'active')
  await note(run, 'other')
  end(run)
  assert.deepEqual(await notes(sql), ['other'])
})

test('a run whose job went to another worker has no effect, before the other finished and after', async (t) => {
  const { definition, next, end } = puppet('test.stale')
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  await runner()
  await jobs.send(sql, 'test.stale')
  const stale = await next()
  // What the monitor does to a job whose heartbeats stopped.
  await sql`update pgboss.job set state = 'retry', start_after = now()`
  await assert.rejects(note(stale, 'between two runs'), /no longer/)
  const current = await next()
  assert.deepEqual([current.id, current.attempt], [stale.id, 2])
  await assert.rejects(note(stale, 'beside the second run'), /no longer/)
  await note(current, 'the second run')
  await assert.rejects(note(stale, 'after the second run'), /no longer/)
  end(stale)
  end(current)
  assert.deepEqual(await notes(sql), ['the second run'])
})

test('a run that lost its job is told so, and its failure does not touch the other run', async (t) => {
  const { definition, next, end } = puppet('test.lost')
  const { sql, jobs, runner } = await queue(t, [definition])
  const first = await runner()
  const second = await runner()
  await jobs.send(sql, 'test.lost')
  const stale = await next()
  await sql`update pgboss.job set state = 'retry', start_after = now()`
  const current = await next()
  if (!stale.signal.aborted) await once(stale.signal, 'abort')
  assert.match(String(stale.signal.reason), /another worker/)
  end(stale, new Error('given up'))
  assert.equal(current.signal.aborted, false)
  await note(current, 'the second run')
  end(current)
  await Promise.all([first.stop(), second.stop()])
  const [row] = await rows(sql, 'test.lost')
  assert.deepEqual([row!.state, row!.retry_count], ['completed', 1])
})

test('a run that takes too long is ended and its job tried again', async (t) => {
  const { definition, next, end } = puppet('test.slow', { expire_seconds: 1 })
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  await jobs.send(sql, 'test.slow')
  const slow = await next()
  const second = await next()
  assert.match(String(slow.signal.reason), /longer than 1 second/)
  await assert.rejects(note(slow, 'too late'), /no longer/)
  await note(second, 'in time')
  end(slow)
  end(second)
  assert.deepEqual(await notes(sql), ['in time'])
})

test('a handler that returns has its job completed for it', async (t) => {
  const { definition, next, end } = puppet('test.plain')
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner()
  await jobs.send(sql, 'test.plain')
  end(await next())
  await worker.stop()
  assert.equal((await rows(sql, 'test.plain'))[0]!.state, 'completed')
})

test('at most one job of a key waits; once it runs, the next may be sent', async (t) => {
  const { definition, next, end } = puppet('test.key')
  const { sql, jobs, runner } = await queue(t, [definition])
  const first = await jobs.send(sql, 'test.key', { n: 1 }, { key: 'a' })
  assert.equal(await jobs.send(sql, 'test.key', { n: 2 }, { key: 'a' }), first)
  assert.notEqual(await jobs.send(sql, 'test.key', { n: 3 }, { key: 'b' }), first)
  assert.equal((await rows(sql, 'test.key')).length, 2)
  // Two at the same moment: one waits for the other's transaction, and then agrees with it.
  const both = await Promise.all([1, 2].map(() => sql.begin((tx) => jobs.send(tx, 'test.key', {}, { key: 'c' }))))
  assert.equal(both[0], both[1])
  await jobs.send(sql, 'test.key')
  await jobs.send(sql, 'test.key')
  assert.equal((await rows(sql, 'test.key')).length, 5)
  await runner()
  const running = await next()
  assert.deepEqual(running.data, { n: 1 })
  assert.notEqual(await jobs.send(sql, 'test.key', { n: 4 }, { key: 'a' }), first)
  end(running)
})

test('the waiting job of a key starts only after every transaction that counted on it', async (t) => {
  const { definition, next, end } = puppet('test.news')
  const { sql, jobs, runner } = await queue(t, [definition])
  const shared = await jobs.send(sql, 'test.news', {}, { key: 'page' })
  await sql.begin(async (tx) => {
    await tx`insert into effects (id, note) values (${shared}, 'news')`
    assert.equal(await jobs.send(tx, 'test.news', {}, { key: 'page' }), shared)
    await runner()
    await jobs.send(sql, 'test.news', { other: true })
    const other = await next()
    assert.deepEqual(other.data, { other: true })
    end(other)
  })
  const run = await next()
  assert.equal(run.id, shared)
  assert.deepEqual(await notes(sql), ['news'])
  end(run)
})

const cronOf = (moment: Date) => `${moment.getUTCMinutes()} ${moment.getUTCHours()} * * *`

test('a tick missed while no worker ran is run once, by however many workers come', async (t) => {
  const { definition, next, end } = puppet('test.nightly', { schedule: cronOf(new Date(Date.now() - 3_600_000)) })
  const marker = puppet('test.marker')
  const { sql, jobs, runner } = await queue(t, [definition, marker.definition])
  await sql`update pgboss.queue set created_on = now() - interval '3 days'`
  await Promise.all([runner(), runner()])
  const run = await next()
  await note(run, 'tick')
  end(run)
  // One that starts after the tick has run finds it done. Its first look is behind it when the marker runs, which comes due unannounced.
  const late = await runner()
  await sql.begin(async (tx) => {
    const id = await jobs.send(tx, 'test.marker', {}, { after_seconds: 1000 })
    await tx`update pgboss.job set start_after = now() where id = ${id}`
  })
  marker.end(await marker.next())
  await late.stop()
  assert.equal((await rows(sql, 'test.nightly')).length, 1)
  assert.deepEqual(await notes(sql), ['tick'])
})

test('a schedule owes nothing from before it was installed', async (t) => {
  const { definition } = puppet('test.fresh', { schedule: cronOf(new Date(Date.now() - 3_600_000)) })
  const marker = puppet('test.marker')
  const { sql, jobs, runner } = await queue(t, [definition, marker.definition])
  const worker = await runner()
  await jobs.send(sql, 'test.marker')
  marker.end(await marker.next())
  await worker.stop()
  assert.equal((await rows(sql, 'test.fresh')).length, 0)
})

test('a schedule keeps ticking, each tick with an id of its own', { timeout: 15_000 }, async (t) => {
  const { definition, next, end } = puppet('test.often', { schedule: '* * * * * *' })
  const { runner } = await queue(t, [definition])
  await Promise.all([runner(), runner()])
  const ids = new Set<string>()
  for (let i = 0; i < 3; i++) {
    const run = await next()
    ids.add(run.id)
    end(run)
  }
  assert.equal(ids.size, 3)
})

test('stopping lets the running job finish and starts no other', async (t) => {
  const { definition, next, end } = puppet('test.stop')
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner()
  await jobs.send(sql, 'test.stop', { n: 1 })
  await jobs.send(sql, 'test.stop', { n: 2 })
  const run = await next()
  const stopped = worker.stop()
  await note(run, 'finished while stopping')
  end(run)
  await stopped
  assert.equal(run.signal.aborted, false)
  assert.deepEqual((await rows(sql, 'test.stop')).map(({ state }) => state).sort(), ['completed', 'created'])
  assert.deepEqual(await notes(sql), ['finished while stopping'])
})

test('a job still running at the deadline is handed back, at no cost to its attempts', { timeout: 15_000 }, async (t) => {
  const { definition, next, end } = puppet('test.handback', { retries: 1 })
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner()
  const id = await jobs.send(sql, 'test.handback')
  const slow = await next()
  await worker.stop(0)
  assert.equal(slow.signal.aborted, true)
  await assert.rejects(note(slow, 'after the end'), /no longer/)
  await runner()
  end(await next(), new Error('the first failure'))
  const again = await next()
  assert.deepEqual([again.id, again.attempt], [id, 3])
  await note(again, 'by the next worker')
  end(slow)
  end(again)
  assert.deepEqual(await notes(sql), ['by the next worker'])
})

test('the queues can be installed by many processes at once, again, and with new settings', async (t) => {
  const { url, sql } = await database(t)
  const pools = Array.from({ length: 5 }, () => open(url, 2, 'install'))
  await Promise.all(pools.map((pool) => installJobs(pool, [puppet('test.install').definition])))
  await Promise.all(pools.map((pool) => pool.end()))
  await installJobs(sql, [puppet('test.install', { retries: 7, backoff_seconds: [5, 50] }).definition, puppet('test.new').definition])
  const queues =
    await sql`select name, retry_limit, retry_delay, retry_delay_max, dead_letter from pgboss.queue where name like 'test.%' order by name`
  assert.deepEqual(
    queues.map((row) => ({ ...row })),
    [
      { name: 'test.install', retry_limit: 7, retry_delay: 5, retry_delay_max: 50, dead_letter: 'dead' },
      { name: 'test.new', retry_limit: 3, retry_delay: 0, retry_delay_max: null, dead_letter: 'dead' },
    ],
  )
})

test('the probe says whether the queue can be reached', async (t) => {
  const { sql, jobs } = await queue(t, [puppet('test.probe').definition])
  await jobs.probe()
  await sql`alter schema pgboss rename to elsewhere`
  await assert.rejects(jobs.probe())
  await sql`alter schema elsewhere rename to pgboss`
  await jobs.probe()
})

test('a failure is logged with the job, its id and attempt, and without its data', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const { definition, next, end } = puppet('test.log', { retries: 0 })
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner(log)
  const id = await jobs.send(sql, 'test.log', { to: 'secret@example.com' })
  const run = await next()
  end(run, Object.assign(new Error('refused by the other side'), { code: 'EREFUSED', request: run.data }))
  await worker.stop()
  const [logged, ...others] = lines.map((line) => JSON.parse(line))
  assert.equal(others.length, 0)
  assert.deepEqual([logged.job, logged.id, logged.attempt], ['test.log', id, 1])
  assert.deepEqual([logged.error.message, logged.error.code], ['refused by the other side', 'EREFUSED'])
  assert.doesNotMatch(lines.join(), /secret@/)
})

const KILLS = Number(process.env.KILLS ?? 10)

test(`no job is lost or counted twice when its worker is killed, ${KILLS} times over`, { timeout: 40_000 + KILLS * 5_000 }, async (t) => {
  const { url, sql, jobs, runner } = await queue(t, [count(() => {})])
  await sql`create table counted (number int not null, attempt int not null)`
  const numbers = Array.from({ length: KILLS * 25 }, (_, number) => number)
  const missing = new Set(numbers.map(String))
  const all = Promise.withResolvers<void>()
  await sql.listen('counted', (number) => {
    missing.delete(number)
    if (!missing.size) all.resolve()
  })
  await sql.begin(async (tx) => {
    for (const number of numbers) await jobs.send(tx, 'test.count', { number })
  })
  for (let kill = 0; kill < KILLS; kill++) await killedWorker(url)
  await runner()
  await all.promise
  const counts = await sql`select number, count(*) as times from counted group by number order by number`
  assert.deepEqual(
    counts.map(({ number, times }) => [number, times]),
    numbers.map((number) => [number, 1]),
  )
  assert.deepEqual(await jobs.dead(), [])
  const [again] = await sql`select count(*) as runs from counted where attempt > 1`
  t.diagnostic(`${again!.runs} of ${numbers.length} jobs were cut short and ran again`)
  assert.ok(again!.runs > 0)
})

/** A worker process, killed without warning at the n-th thing it says. */
async function killedWorker(url: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'jobs-child.ts'), url], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let left = randomInt(1, 60)
  for await (const _ of createInterface(child.stdout!)) if (--left === 0) child.kill('SIGKILL')
  const [code, signal] = await ended
  assert.deepEqual([code, signal], [null, 'SIGKILL'])
}
