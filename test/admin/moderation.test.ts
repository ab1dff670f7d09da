import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startConsole } from '../operator/fixtures.ts'
import { admin } from '../support/admin-run.ts'
import { must } from '../support/builders.ts'

test('the command line handles appeals, sweeps, files, mails and audit entries', async (t) => {
  const app = await startConsole(t)
  const { a, operator, post, sql, published } = app
  const run = (...args: string[]) => admin({ ...app.settings, DATA_DIR: app.data_dir }, ...args)
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout as string
  }
  const failed = async (expected: RegExp, ...args: string[]) => {
    const { code, stderr } = await run(...args)
    assert.equal(code, 1, args.join(' '))
    assert.match(stderr, expected)
  }
  const listing = await published({ name: 'Tide Bell' })

  await t.test('appeals are listed and decided by the rules of the console', async () => {
    const moderator = await a.verified()
    await sql`insert into moderators (user_uid) values (${moderator.uid})`
    const target = { target_type: 'listing', target_id: listing.uid }
    const hide = { ...target, action: 'hide', ground: 'rule-spam', facts: 'Spam' }
    const path = '/api/v1/private/moderation/actions'
    const { statement_uid } = must(await post(path, hide, moderator))
    const appeal = `/api/v1/public/statements/${statement_uid}/appeal`
    const { appeal_uid } = must(await post(appeal, { text: 'It is\na game' }, listing.owner))
    assert.match(
      await done('appeals', 'list'),
      new RegExp(`^${appeal_uid}  \\S+  hide  listing  Tide Bell  It is a game$`),
    )
    const decide = ['appeals', 'decide', operator.username]
    await failed(/upheld or reversed/, ...decide, appeal_uid, 'maybe', 'No')
    assert.equal(
      await done(...decide, appeal_uid, 'reversed', 'It', 'is', 'one'),
      `${appeal_uid}: reversed`,
    )
    const [row] = await sql`select hidden_at from all_listings where uid = ${listing.uid}`
    assert.equal(row!.hidden_at, null)
    await failed(/./, ...decide, appeal_uid, 'upheld', 'No')
  })

  await t.test('a sweep is started, shown and its matches are quarantined', async () => {
    const [file] = await sql`
      select uid, checksum from files where game_uid = ${listing.uid} and scan = 'clean'`
    await failed(/./, 'sweeps', 'start', operator.username, 'no-hash')
    const uid = await done('sweeps', 'start', operator.username, file!.checksum)
    assert.match(await done('sweeps', 'list'), new RegExp(`^${uid}  .*1 hash  1 file matches$`))
    assert.match(
      await done('sweeps', 'show', uid),
      new RegExp(`\n${file!.uid}  clean  .*Tide Bell`),
    )
    const quarantine = ['sweeps', 'quarantine', operator.username, uid]
    await failed(/ground/, ...quarantine, 'because', 'Malware')
    assert.equal(
      await done(...quarantine, 'rule-malware', 'It', 'steals', 'passwords'),
      'quarantined 1 file, blocked 1 hash',
    )
    assert.match(
      await done('files', 'list', 'quarantined'),
      new RegExp(`^${file!.uid}  \\S+  quarantined  .*/${listing.owner.username}/`),
    )
    await failed(/in quarantine/, 'files', 'scan', file!.uid)
  })

  await t.test('mails are sent again, and audit entries are listed', async () => {
    const uid = randomUUID()
    await sql`
      insert into mails (uid, message_id, recipient, recipient_hash, kind, job_data, state)
      values (
        ${uid}, ${uid}, 'ad…@example.com', '\\x00', 'accounts.mail-publishing-decision',
        ${sql.json({ user_uid: operator.uid, id: uid })}, 'sent'
      )`
    assert.match(await done('mail', 'list', 'sent'), new RegExp(`^${uid}  `, 'm'))
    assert.equal(await done('mail', 'resend', uid), `queued ${uid}`)
    assert.equal((await run('mail', 'resend', randomUUID())).code, 1)
    assert.match(
      await done('audit', 'list', 'operator.resend'),
      new RegExp(`^\\S+  -  operator\\.resend-mail  .*${uid}`),
    )
    assert.match(
      await done('audit', 'list'),
      new RegExp(`${operator.username}  moderation\\.quarantine-sweep`),
    )
  })
})
