import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Sql } from '../../src/core/database/sql.ts'
import { enrollTotp } from '../accounts/second-factor/fixtures.ts'
import { admin, adminProcess } from '../support/admin-run.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { builders, makePublic, must, PASSWORD } from '../support/builders.ts'
import { insertDeadJob } from './dead-jobs.ts'

type App = Awaited<ReturnType<typeof startApp>>

/** Creates a person with data in every part of the service. */
async function createPersonWithData(app: App, username: string, extstore_id = '76561190000000001') {
  const { a, put, post, sql } = app
  // By the routes, so that there is a mail as well.
  const person = await builders(app, app.data_dir).verified({ username })
  const listing = await a.listing()
  await makePublic(sql, listing.uid)
  must(await post(`/api/v1/private/games/${listing.uid}/library`, undefined, person))
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/review`,
      { enjoyed: true, quality: 5, text: 'lovely' },
      person,
    ),
  )
  must(await post(`/api/v1/private/games/${listing.uid}/play-time`, { seconds: 5 }, person))
  await sql`update play_time set seconds = 7200`
  must(
    await put(`/api/v1/private/games/${listing.uid}/tag-suggestions`, { tags: ['cosy'] }, person),
  )
  const key = await a.key('player', person, ['player:read'])
  const bug = randomUUID()
  await sql`
    insert into bugs
      (uid, game_uid, source, user_uid, extstore_id, message, has_log, created_at, updated_at)
    values (
      ${bug}, ${listing.uid}, 'store', ${person.uid}, ${extstore_id},
      'it fell over', true, now(), now()
    )`
  await sql`insert into bug_logs (bug_uid, text) values (${bug}, 'line one')`
  await sql`
    insert into bug_counts (game_uid, reporter, day, count)
    values (${listing.uid}, ${`user:${person.uid}`}, now(), 1)`
  await sql`update users set extstore_id = ${extstore_id} where uid = ${person.uid}`
  return { person, key, bug, game_uid: listing.uid }
}

/** Returns the tables with a row that contains any of the words in any column. */
async function tablesWith(sql: Sql, words: string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
    order by 1`
  const matches: string[] = []
  for (const { name } of tables) {
    const rows = await sql`
      select from ${sql(name)} t
      where t.*::text ilike any(${words.map((word) => `%${word}%`)})
      limit 1`
    if (rows.length) matches.push(name)
  }
  return matches
}

test('an export contains all data of one account, no data of others, and no hashes', async (t) => {
  const app = await startApp(t)
  const { person, key, game_uid } = await createPersonWithData(app, 'ada-export')
  await createPersonWithData(app, 'other-person', '76561190000000002')
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
      await app.sql`
        select action, detail
        from audit_entries
        where action = 'accounts.export-person'`
    ).map((row) => row.detail),
    [{ person: person.uid }],
  )
  const again = await admin(app.settings, 'people', 'export', person.email, file)
  assert.deepEqual(
    [again.code, readFileSync(file, 'utf8') === text],
    [1, true],
    'an existing file was overwritten',
  )
})

test('deleting a person removes every trace of them except the audit entry', async (t) => {
  const app = await startApp(t)
  const { sql, settings } = app
  const { person, key, bug, game_uid } = await createPersonWithData(app, 'ada-delete')
  assert.match((await admin(settings, 'people', 'delete', person.username)).stderr, /add --yes/)
  const words = [person.uid, person.username, '76561190000000001']
  assert.ok((await tablesWith(sql, words)).length > 5, 'the search for words finds too little')
  const args = ['people', 'delete', person.username, '--yes']
  const { stdout, code } = await adminProcess(settings, ...args)
  assert.equal(code, 0)
  assert.match(stdout, /with 0 listings; 1 bug ticket lost the name, 1 mail removed/)
  assert.deepEqual(await tablesWith(sql, words), ['audit_entries'])
  const [entry] = await sql`
    select action, detail, user_uid
    from audit_entries
    where action = 'accounts.delete-person'`
  assert.deepEqual([entry!.detail.person, entry!.user_uid], [person.uid, null])
  const [ticket] = await sql`select message from bugs where uid = ${bug}`
  assert.equal(ticket!.message, 'it fell over', 'the ticket was deleted with its reporter')
  assert.equal(must(await app.get(`/api/v1/public/games/${game_uid}/reviews`)).total, 0)
  assert.deepEqual(
    outbox(app.data_dir).filter(({ to }) => to === person.email),
    [],
  )
  await eventually(
    'the token to be rejected',
    async () => (await app.get('/api/v1/private/account', person)).status === 401,
  )
  await eventually(
    'the key to be rejected',
    async () => (await app.get('/api/v1/private/library', { token: key.key })).status === 401,
  )
  assert.equal((await admin(settings, ...args)).code, 1)
})

test('deleting an owner needs a flag that also deletes their listings', async (t) => {
  const { settings, sql, a, get } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const { uid, owner } = await a.listing({ name: 'Mine Alone' })
  const refused = await admin(settings, 'people', 'delete', owner.email, '--yes')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /"Mine Alone" \(draft\).*--with-listings/)
  assert.equal((await get(`/api/v1/private/games/${uid}`, owner)).status, 200)
  assert.match(
    (await admin(settings, 'people', 'delete', owner.uid, '--yes', '--with-listings')).stdout,
    /with 1 listing;/,
  )
  assert.deepEqual([...(await sql`select 1 from listings union all select 1 from users`)], [])
})

test('operators are changed by command only, and can read the service status', async (t) => {
  const { settings, sql, a, get, post } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const person = await a.user()
  const status = () => get('/api/v1/private/operations/status', person)
  const refused = await status()
  assert.deepEqual([refused.status, refused.body.error.code], [403, 4030])
  assert.equal((await post('/api/v1/private/operations/jobs/replay', {}, person)).status, 403)
  assert.equal((await get('/api/v1/private/operations/status')).status, 401)
  assert.equal((await admin(settings, 'operators', 'add', 'nobody-at-all')).code, 1)
  const unverified = await admin(settings, 'operators', 'add', person.username)
  assert.equal(unverified.code, 1)
  assert.match(unverified.stderr, /is not verified.*people verify/)
  assert.equal(
    (await admin(settings, 'people', 'verify', person.username)).stdout,
    `${person.email} of ${person.username} is verified now`,
  )
  assert.equal(
    (await admin(settings, 'operators', 'add', person.username)).stdout,
    `${person.username} is an operator now`,
  )
  assert.equal(
    (await admin(settings, 'operators', 'add', person.email)).stdout,
    `${person.username} is already an operator`,
  )
  await insertDeadJob(sql)
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
    ['operator.verify-person', 'accounts.make-operator', 'accounts.unmake-operator'],
  )
})

test('moderators are added, listed and removed by command', async (t) => {
  const { settings, sql, a, get } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const person = await a.user()
  const moderators = (...args: string[]) => admin(settings, 'moderators', ...args)
  assert.equal((await moderators('list')).stdout, 'nobody moderates')
  const unverified = await moderators('add', person.username)
  assert.deepEqual([unverified.code, unverified.stdout], [1, ''])
  assert.match(unverified.stderr, /is not verified/)
  await admin(settings, 'people', 'verify', person.uid)
  assert.match((await admin(settings, 'people', 'verify', person.uid)).stdout, /already verified/)
  const queue = async () => (await get('/api/v1/private/moderation/queue', person)).status
  assert.equal(await queue(), 403)
  assert.equal(
    (await moderators('add', person.email)).stdout,
    `${person.username} is a moderator now`,
  )
  assert.match((await moderators('add', person.uid)).stdout, /is already a moderator/)
  assert.equal(await queue(), 200)
  assert.match((await moderators('list')).stdout, new RegExp(`^${person.username}  moderator  `))
  assert.match((await admin(settings, 'people', 'list')).stdout, / {2}moderator$/m)
  assert.match((await moderators('remove', person.uid)).stdout, /is no longer a moderator/)
  assert.match((await moderators('remove', person.uid)).stdout, /is not a moderator/)
  assert.equal(await queue(), 403)
  const kinds =
    await sql`select kind from security_events where kind like 'moderator%' order by uid`
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ['moderator_added', 'moderator_removed'],
  )
})

test('second-factor reset lets a person in with the password alone', async (t) => {
  const app = await startApp(t)
  const { a, post, settings, sql } = app
  const person = await a.user()
  await enrollTotp(app, person)
  const reset = () => admin(settings, 'second-factor', 'reset', person.username)
  assert.match((await reset()).stdout, /signs in with the password alone/)
  must(await post('/api/v1/private/account/login', { login: person.username, password: PASSWORD }))
  assert.match((await reset()).stdout, /has no second factor/)
  const [entry] = await sql`select from audit_entries where action = 'accounts.reset-second-factor'`
  assert.ok(entry)
})

test('sessions end signs a person out of a running service, and --all everyone', async (t) => {
  const { settings, a, get } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const [first, second] = [await a.user(), await a.user()]
  const signedIn = async (person: typeof first) =>
    (await get('/api/v1/private/account', person)).status === 200
  assert.equal(
    (await adminProcess(settings, 'sessions', 'end', first.username)).stdout,
    '1 session ended',
  )
  await eventually('the session to end', async () => !(await signedIn(first)))
  assert.ok(await signedIn(second))
  assert.equal((await adminProcess(settings, 'sessions', 'end', '--all')).stdout, '1 session ended')
  await eventually('all sessions to end', async () => !(await signedIn(second)))
})
