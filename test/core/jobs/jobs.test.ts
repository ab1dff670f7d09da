import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { job } from '../../../src/core/jobs/index.ts'
import { controlledJob, note, notes, queue, rows } from './fixtures.ts'

test('a job exists once its transaction commits, and never if it rolls back', async (t) => {
  const { definition, next, end } = controlledJob('test.send')
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  await assert.rejects(
    sql.begin(async (tx) => {
      await jobs.send(tx, 'test.send', { from: 'rolled back' })
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  const id = await sql.begin((tx) =>
    jobs.send(tx, 'test.send', { from: 'committed', nested: { list: [1, 'two'] } }),
  )
  const run = await next()
  assert.deepEqual(run.data, { from: 'committed', nested: { list: [1, 'two'] } })
  assert.equal(run.id, id)
  assert.equal(run.attempt, 1)
  end(run)
  assert.equal((await rows(sql, 'test.send')).length, 1)
})

// Every kind is idle when its job is sent, and jobs are sent one after the other. If workers only
// polled every two seconds, this would take 80 seconds.
test('a job starts when its transaction commits, without waiting for the next poll', {
  timeout: 60_000,
}, async (t) => {
  const kinds = Array.from({ length: 40 }, (_, i) => controlledJob(`test.prompt-${i}`))
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

test('jobs sent together run without delay, up to the concurrency of their kind', {
  timeout: 60_000,
}, async (t) => {
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
      if (seen.add(id).size === 120) all.resolve()
    },
  })
  const { sql, jobs, runner } = await queue(t, [many])
  await sql.begin(async (tx) => {
    for (let i = 0; i < 120; i++) await jobs.send(tx, 'test.many')
  })
  await runner()
  await all.promise
  assert.equal(most, 3)
})

test('a job with a start time does not run before it', async (t) => {
  const { definition, next, end } = controlledJob('test.later')
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

test('rejects sending a job of an undeclared kind', async (t) => {
  const { definition } = controlledJob('test.known')
  const { sql, jobs } = await queue(t, [definition])
  await assert.rejects(jobs.send(sql, 'test.unknown'), /There is no job named test\.unknown/)
  assert.throws(() => job({ name: 'nameless', handle: async () => {} }), /module\.verb/)
})

test('the retry delay doubles from the minimum to the maximum, with jitter', async (t) => {
  const { definition, next, end } = controlledJob('test.backoff', {
    retries: 5,
    backoff_seconds: [100, 300],
  })
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

test('a job that fails every attempt is dead, listed, and replayed with the same id', async (t) => {
  const { definition, next, end } = controlledJob('test.die', { retries: 2 })
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
  assert.deepEqual(
    { name, data, error, attempts },
    { name: 'test.die', data: { to: 'someone' }, error: 'failure 3', attempts: 3 },
  )
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

test('dead jobs are listed newest first and can be replayed all at once', async (t) => {
  const { definition, next, end } = controlledJob('test.dead', { retries: 0, concurrency: 3 })
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  for (const number of [1, 2, 3]) {
    await jobs.send(sql, 'test.dead', { number })
    end(await next(), new Error('no'))
    // Wait until this failure is stored, so that the failures have a definite order.
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

test('a handler that throws rolls back its effect, and the job is retried', async (t) => {
  const { definition, next, end } = controlledJob('test.atomic')
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
  assert.equal(
    await second.finish(async () => 'the value of the effect'),
    'the value of the effect',
  )
  assert.equal((await rows(sql, 'test.atomic'))[0]!.state, 'completed')
  await assert.rejects(note(second, 'twice'), /no longer/)
  end(second)
  assert.deepEqual(await notes(sql), [])
})

test('a job is not completed when its effect cannot be committed', async (t) => {
  const { definition, next, end } = controlledJob('test.commit')
  const { sql, jobs, runner } = await queue(t, [definition])
  await sql`alter table effects add unique (note) deferrable initially deferred`
  await runner()
  await jobs.send(sql, 'test.commit')
  const run = await next()
  const twice = run.finish(
    (tx) => tx`insert into effects (id, note) values (${run.id}, 'same'), (${run.id}, 'same')`,
  )
  await assert.rejects(twice, /duplicate key/)
  assert.equal((await rows(sql, 'test.commit'))[0]!.state, 'active')
  await note(run, 'other')
  end(run)
  assert.deepEqual(await notes(sql), ['other'])
})

test('a run that lost its job has no effect, before or after the other run finishes', async (t) => {
  const { definition, next, end } = controlledJob('test.stale')
  const { sql, jobs, runner } = await queue(t, [definition])
  await runner()
  await runner()
  await jobs.send(sql, 'test.stale')
  const stale = await next()
  // This is what the monitor does to a job whose heartbeats stopped.
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

test('a run that lost its job is notified, and its failure affects no other run', async (t) => {
  const { definition, next, end } = controlledJob('test.lost')
  const { sql, jobs, runner } = await queue(t, [definition])
  const first = await runner()
  const second = await runner()
  await jobs.send(sql, 'test.lost')
  const stale = await next()
  await sql`update pgboss.job set state = 'retry', start_after = now()`
  const current = await next()
  if (!stale.signal.aborted) await once(stale.signal, 'abort')
  assert.match(String(stale.signal.reason), /Another worker/)
  end(stale, new Error('given up'))
  assert.equal(current.signal.aborted, false)
  await note(current, 'the second run')
  end(current)
  await Promise.all([first.stop(), second.stop()])
  const [row] = await rows(sql, 'test.lost')
  assert.deepEqual([row!.state, row!.retry_count], ['completed', 1])
})

test('a run that exceeds its time limit is aborted, and the job is retried', async (t) => {
  const { definition, next, end } = controlledJob('test.slow', { expire_seconds: 1 })
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

test('a job is completed when its handler returns', async (t) => {
  const { definition, next, end } = controlledJob('test.plain')
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner()
  await jobs.send(sql, 'test.plain')
  end(await next())
  await worker.stop()
  assert.equal((await rows(sql, 'test.plain'))[0]!.state, 'completed')
})
