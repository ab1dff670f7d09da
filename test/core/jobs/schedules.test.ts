import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { MigrationError } from '../../../src/core/database/migrate.ts'
import { openPool } from '../../../src/core/database/sql.ts'
import { createJobs, installJobs } from '../../../src/core/jobs/index.ts'
import { QUEUE_VERSION } from '../../../src/core/jobs/store.ts'
import type { Log } from '../../../src/core/runtime/log.ts'
import { sha256 } from '../../../src/core/security/crypto.ts'
import { controlledJob, database, idsOfRuns, note, notes, queue, quiet, rows } from './fixtures.ts'

test('at most one job per key waits; once it runs, the next can be sent', async (t) => {
  const { definition, next, end } = controlledJob('test.key')
  const { sql, jobs, runner } = await queue(t, [definition])
  const first = await jobs.send(sql, 'test.key', { n: 1 }, { key: 'a' })
  assert.equal(await jobs.send(sql, 'test.key', { n: 2 }, { key: 'a' }), first)
  assert.notEqual(await jobs.send(sql, 'test.key', { n: 3 }, { key: 'b' }), first)
  assert.equal((await rows(sql, 'test.key')).length, 2)
  // Of two concurrent sends, one waits for the other's transaction and then returns the same job.
  const both = await Promise.all(
    [1, 2].map(() => sql.begin((tx) => jobs.send(tx, 'test.key', {}, { key: 'c' }))),
  )
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

test('a keyed job starts only after every transaction that sent it has committed', async (t) => {
  const { definition, next, end } = controlledJob('test.news')
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

test('a tick missed without workers runs once, however many workers start', async (t) => {
  const { definition, next, end } = controlledJob('test.nightly', {
    schedule: cronOf(new Date(Date.now() - 3_600_000)),
  })
  const marker = controlledJob('test.marker')
  const { sql, jobs, runner } = await queue(t, [definition, marker.definition])
  await sql`update pgboss.queue set created_on = now() - interval '3 days'`
  await Promise.all([runner(), runner()])
  const run = await next()
  await note(run, 'tick')
  end(run)
  // A worker that starts after the tick must not run it again. When the marker job has run, the
  // worker has polled at least once, because the marker becomes due without a notification.
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

test('of many missed ticks only the last one runs', async (t) => {
  const last = new Date(Date.now() - 1_800_000)
  const { definition, next, end } = controlledJob('test.hourly', {
    schedule: `${last.getUTCMinutes()} * * * *`,
  })
  const { sql, runner } = await queue(t, [definition])
  await sql`update pgboss.queue set created_on = now() - interval '3 days'`
  await runner()
  const run = await next()
  const tick = Math.floor(last.getTime() / 60_000) * 60_000
  assert.equal(run.id.replaceAll('-', ''), sha256(`test.hourly ${tick}`).toString('hex', 0, 16))
  end(run)
  assert.equal((await rows(sql, 'test.hourly')).length, 1)
})

test('a new schedule does not run ticks from before it was installed', async (t) => {
  const { definition } = controlledJob('test.fresh', {
    schedule: cronOf(new Date(Date.now() - 3_600_000)),
  })
  const marker = controlledJob('test.marker')
  const { sql, jobs, runner } = await queue(t, [definition, marker.definition])
  const worker = await runner()
  await jobs.send(sql, 'test.marker')
  marker.end(await marker.next())
  await worker.stop()
  assert.equal((await rows(sql, 'test.fresh')).length, 0)
})

test('a schedule keeps running, and each tick has its own job id', {
  timeout: 60_000,
}, async (t) => {
  const { definition, next, end } = controlledJob('test.often', { schedule: '* * * * * *' })
  const { runner } = await queue(t, [definition])
  await Promise.all([runner(), runner()])
  assert.equal((await idsOfRuns({ next, end }, 3)).size, 3)
})

test('stopping lets the running job finish and starts no other', async (t) => {
  const { definition, next, end } = controlledJob('test.stop')
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
  assert.deepEqual((await rows(sql, 'test.stop')).map(({ state }) => state).sort(), [
    'completed',
    'created',
  ])
  assert.deepEqual(await notes(sql), ['finished while stopping'])
})

test('a job still running at the shutdown deadline is requeued without using an attempt', {
  timeout: 60_000,
}, async (t) => {
  const { definition, next, end } = controlledJob('test.handback', { retries: 1 })
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

test('a queue of a newer version is refused with a sentence', async (t) => {
  const { sql } = await database(t)
  await sql`update pgboss.version set version = version + 1`
  const definitions = [controlledJob('test.install').definition]
  const isNewer = (error: unknown) =>
    error instanceof MigrationError && /newer version of Slipway/.test(error.message)
  await assert.rejects(installJobs(sql, definitions), isNewer)
  await assert.rejects(createJobs(sql, quiet, definitions), isNewer)
  const queues = await sql`select from pgboss.queue where name = 'test.install'`
  assert.equal(queues.length, 0, 'nothing was changed')
})

test('the version of the queue is that of its package', () => {
  const file = join(import.meta.dirname, '../../../node_modules/pg-boss/package.json')
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).pgboss.schema, QUEUE_VERSION)
})

test('installing the queues waits shortly for a lock, and tries again', async (t) => {
  const { sql } = await database(t)
  await sql`drop index pgboss.job_active`
  const warned = Promise.withResolvers<object>()
  let installing: Promise<void> | undefined
  await sql.begin(async (tx) => {
    await tx`lock table pgboss.job_common in row exclusive mode`
    installing = installJobs(sql, [], { warn: (context: object) => warned.resolve(context) } as Log)
    installing.catch(warned.reject)
    assert.deepEqual(await warned.promise, { migration: 'The job queue', attempt: 1 })
  })
  await installing
  const [index] = await sql`select to_regclass('pgboss.job_active') as name`
  assert.ok(index!.name)
})

test('many processes can install the queues at once, again, and with new settings', async (t) => {
  const { url, sql } = await database(t)
  const pools = Array.from({ length: 5 }, () => openPool(url, 2, 'install'))
  await Promise.all(
    pools.map((pool) => installJobs(pool, [controlledJob('test.install').definition])),
  )
  await Promise.all(pools.map((pool) => pool.end()))
  await installJobs(sql, [
    controlledJob('test.install', { retries: 7, backoff_seconds: [5, 50] }).definition,
    controlledJob('test.new').definition,
  ])
  const queues = await sql`
    select name, retry_limit, retry_delay, retry_delay_max, dead_letter
    from pgboss.queue
    where name like 'test.%'
    order by name`
  assert.deepEqual(
    queues.map((row) => ({ ...row })),
    [
      {
        name: 'test.install',
        retry_limit: 7,
        retry_delay: 5,
        retry_delay_max: 50,
        dead_letter: 'dead',
      },
      {
        name: 'test.new',
        retry_limit: 3,
        retry_delay: 0,
        retry_delay_max: null,
        dead_letter: 'dead',
      },
    ],
  )
})

test('the probe reports whether the queue is reachable', async (t) => {
  const { sql, jobs } = await queue(t, [controlledJob('test.probe').definition])
  await jobs.probe()
  await sql`alter schema pgboss rename to elsewhere`
  await assert.rejects(jobs.probe())
  await sql`alter schema elsewhere rename to pgboss`
  await jobs.probe()
})

test('a failure is logged with the job, its id and attempt, and without its data', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const { definition, next, end } = controlledJob('test.log', { retries: 0 })
  const { sql, jobs, runner } = await queue(t, [definition])
  const worker = await runner(log)
  const id = await jobs.send(sql, 'test.log', { to: 'secret@example.com' })
  const run = await next()
  end(
    run,
    Object.assign(new Error('refused by the other side'), { code: 'EREFUSED', request: run.data }),
  )
  await worker.stop()
  const [logged, ...others] = lines.map((line) => JSON.parse(line))
  assert.equal(others.length, 0)
  assert.deepEqual([logged.job, logged.id, logged.attempt], ['test.log', id, 1])
  assert.deepEqual(
    [logged.error.message, logged.error.code],
    ['refused by the other side', 'EREFUSED'],
  )
  assert.doesNotMatch(lines.join(), /secret@/)
})
