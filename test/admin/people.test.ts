import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Sql } from '../../src/core/database/sql.ts'
import { admin } from '../support/admin-run.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'

type App = Awaited<ReturnType<typeof startApp>>

/** Creates a person with data in every part of the service. */
async function somebody(
  { a, put, post, sql }: App,
  username: string,
  extstore_id = '76561190000000001',
) {
  const person = await a.verified({ username })
  const theirs = await a.listing()
  await sql`update listings set visibility = 'public', public_since = now(), published_at = now() where uid = ${theirs.uid}`
  must(await post(`/api/v1/private/games/${theirs.uid}/library`, undefined, person))
  must(
    await put(
      `/api/v1/private/games/${theirs.uid}/review`,
      { enjoyed: true, quality: 5, text: 'lovely' },
      person,
    ),
  )
  must(await post(`/api/v1/private/games/${theirs.uid}/play-time`, { seconds: 5 }, person))
  await sql`update play_time set seconds = 7200`
  must(await put(`/api/v1/private/games/${theirs.uid}/tag-suggestions`, { tags: ['cosy'] }, person))
  const key = await a.key('player', person, ['player:read'])
  const bug = randomUUID()
  await sql`insert into bugs (uid, game_uid, source, user_uid, extstore_id, message, has_log, created_at, updated_at)
    values (${bug}, ${theirs.uid}, 'store', ${person.uid}, ${extstore_id}, 'it fell over', true, now(), now())`
  await sql`insert into bug_logs (bug_uid, text) values (${bug}, 'line one')`
  await sql`insert into bug_counts (game_uid, reporter, day, count) values (${theirs.uid}, ${`user:${person.uid}`}, now(), 1)`
  await sql`update users set extstore_id = ${extstore_id} where uid = ${person.uid}`
  return { person, key, bug, game_uid: theirs.uid }
}

/** Returns the tables with a row that contains any of the words in any column. */
async function tablesThatSay(sql: Sql, words: string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
  const said: string[] = []
  for (const { name } of tables) {
    const rows =
      await sql`select from ${sql(name)} t where t.*::text ilike any(${words.map((word) => `%${word}%`)}) limit 1`
    if (rows.length) said.push(name)
  }
  return said
}

test('an export contains all data of one account, no data of others, and no hashes', async (t) => {
  const app = await startApp(t)
  const { person, key, game_uid } = await somebody(app, 'ada-export')
  await somebody(app, 'other-person', '76561190000000002')
  const file = join(app.data_dir, 'ada.json')
  assert.deepEqual(await admin(app.settings, 'people', 'export', 'ADA-export', file), {
    stdout: `written to ${file}`,
    stderr: '',
    code: 0,
  })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  const { tables, mails, uid } = JSON.parse(text)
  assert.equal(uid, person.uid)
  assert.equal(tables.users[0].email, person.email)
  assert.deepEqual(
    [
      tables.reviews[0].text,
      tables.tag_suggestions[0].tag,
      tables.licences[0].game_uid,
      tables.bugs[0].message,
      tables.bug_logs[0].text,
    ],
    ['lovely', 'cosy', game_uid, 'it fell over', 'line one'],
  )
  assert.equal(tables.access_keys[0].name, 'test')
  assert.ok(tables.sessions.length && tables.play_time.length)
  assert.equal(mails[0].to, person.email)
  assert.doesNotMatch(text, /_hash|argon2|other-person/)
  assert.ok(!text.includes(key.key))
  assert.deepEqual(
    (
      await app.sql`select action, detail from audit_entries where action = 'accounts.export-person'`
    ).map((row) => row.detail),
    [{ person: person.uid }],
  )
  const again = await admin(app.settings, 'people', 'export', person.email, file)
  assert.deepEqual(
    [again.code, readFileSync(file, 'utf8') === text],
    [1, true],
    'never over a file that is there',
  )
})

test('deleting a person removes every trace of them except the record of the deletion', async (t) => {
  const app = await startApp(t)
  const { sql, settings } = app
  const { person, key, bug, game_uid } = await somebody(app, 'ada-delete')
  assert.match((await admin(settings, 'people', 'delete', person.username)).stderr, /add --yes/)
  const words = [person.uid, person.username, '76561190000000001']
  assert.ok((await tablesThatSay(sql, words)).length > 5, 'the search itself finds people')
  const { stdout, code } = await admin(settings, 'people', 'delete', person.username, '--yes')
  assert.equal(code, 0)
  assert.match(stdout, /with 0 listings; 1 bug tickets lost their name, 1 mails removed/)
  assert.deepEqual(await tablesThatSay(sql, words), ['audit_entries'])
  const [entry] =
    await sql`select action, detail, user_uid from audit_entries where action = 'accounts.delete-person'`
  assert.deepEqual([entry!.detail.person, entry!.user_uid], [person.uid, null])
  const [ticket] = await sql`select message from bugs where uid = ${bug}`
  assert.equal(ticket!.message, 'it fell over', "a ticket is the game's")
  assert.equal(must(await app.get(`/api/v1/public/games/${game_uid}/reviews`)).total, 0)
  assert.deepEqual(
    outbox(app.data_dir).filter(({ to }) => to === person.email),
    [],
  )
  await eventually(
    'the token to end',
    async () => (await app.get('/api/v1/private/account', person)).status === 401,
    3,
  )
  await eventually(
    'the key to end',
    async () => (await app.get('/api/v1/private/library', { token: key.key })).status === 401,
    3,
  )
  assert.equal((await admin(settings, 'people', 'delete', person.username, '--yes')).code, 1)
})

test('deleting a person who owns listings needs a flag that deletes the listings too', async (t) => {
  const { settings, sql, a, get } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const { uid, owner } = await a.listing({ name: 'Mine Alone' })
  const refused = await admin(settings, 'people', 'delete', owner.email, '--yes')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /"Mine Alone" \(draft\).*--with-listings/)
  assert.equal((await get(`/api/v1/private/games/${uid}`, owner)).status, 200)
  assert.match(
    (await admin(settings, 'people', 'delete', owner.uid, '--yes', '--with-listings')).stdout,
    /with 1 listings/,
  )
  assert.deepEqual([...(await sql`select 1 from listings union all select 1 from users`)], [])
})

test('operators are added and removed by command only, and can read the service status', async (t) => {
  const { settings, sql, a, get, post } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const person = await a.user()
  const status = () => get('/api/v1/private/operations/status', person)
  const refused = await status()
  assert.deepEqual([refused.status, refused.body.error.code], [403, 4030])
  assert.equal((await post('/api/v1/private/operations/jobs/replay', {}, person)).status, 403)
  assert.equal((await get('/api/v1/private/operations/status')).status, 401)
  assert.equal((await admin(settings, 'operators', 'add', 'nobody-at-all')).code, 1)
  assert.equal(
    (await admin(settings, 'operators', 'add', person.username)).stdout,
    `${person.username} is an operator now`,
  )
  assert.equal(
    (await admin(settings, 'operators', 'add', person.email)).stdout,
    `${person.username} is already an operator`,
  )
  await sql`insert into pgboss.job (id, name, data, source_name, source_id, source_created_on, source_retry_count, source_output)
    values (${randomUUID()}, 'dead', '{}', 'accounts.sweep', ${randomUUID()}, now(), 12, '{"message": "it broke"}')`
  const { checks, dead_jobs } = must(await status())
  assert.equal(checks.database, 'ok')
  assert.deepEqual(
    [dead_jobs[0].name, dead_jobs[0].error, dead_jobs[0].attempts],
    ['accounts.sweep', 'it broke', 13],
  )
  assert.deepEqual(must(await post('/api/v1/private/operations/jobs/replay', {}, person)), {
    replayed: 1,
  })
  assert.match(
    (await admin(settings, 'operators', 'list')).stdout,
    new RegExp(`^${person.username}  ${person.email}  `),
  )
  assert.equal(
    (await admin(settings, 'operators', 'remove', person.username)).stdout,
    `${person.username} is no longer an operator`,
  )
  assert.equal((await status()).status, 403)
  assert.deepEqual(
    (await sql`select action from audit_entries order by at`).map(({ action }) => action),
    ['accounts.make-operator', 'accounts.unmake-operator'],
  )
})

test('sessions end signs a person out of the running service, and --all signs everyone out', async (t) => {
  const { settings, a, get } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const [one, two] = [await a.user(), await a.user()]
  const signedIn = async (person: typeof one) =>
    (await get('/api/v1/private/account', person)).status === 200
  assert.equal((await admin(settings, 'sessions', 'end', one.username)).stdout, '1 sessions ended')
  await eventually('the session to end', async () => !(await signedIn(one)), 2)
  assert.ok(await signedIn(two))
  assert.equal((await admin(settings, 'sessions', 'end', '--all')).stdout, '1 sessions ended')
  await eventually('all sessions to end', async () => !(await signedIn(two)), 2)
})
