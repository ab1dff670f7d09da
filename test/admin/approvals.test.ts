import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startConsole } from '../operator/fixtures.ts'
import { admin } from '../support/admin-run.ts'
import { eventually, outbox, temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { taxonomy } from '../web/fixtures.ts'

async function startAdmin(t: TestContext, env: Record<string, string> = {}) {
  const app = await startConsole(t, env)
  const run = (...args: string[]) => admin({ ...app.settings, DATA_DIR: app.data_dir }, ...args)
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout as string
  }
  return { ...app, run, done }
}

test('the command line decides on publishers and first releases by the rules of the console', async (t) => {
  const app = await startAdmin(t, { PUBLISHING: 'approval', REVIEW_FIRST_RELEASE: 'on' })
  const { a, operator, run, done, post, put, patch, get, data_dir } = app
  const owner = await a.verifiedDeveloper()
  must(await post('/api/v1/private/account/publishing', { text: 'I make\ngames' }, owner))
  assert.equal(
    await done('publishers', 'list'),
    `${owner.username}  ${owner.email}  requested  I make games`,
  )
  const stranger = await run('publishers', 'decide', owner.username, owner.username, 'approve')
  assert.match(stranger.stderr, /is no operator/)
  const silent = await run('publishers', 'decide', operator.username, owner.username, 'decline')
  assert.match(silent.stderr, /say why/)
  const decided = await done('publishers', 'decide', operator.username, owner.email, 'approve')
  assert.equal(decided, `${owner.username}: approved`)
  await eventually('the mail', () => outbox(data_dir).some(({ to }) => to === owner.email))

  const listing = await a.listing({ owner, name: 'Second Lighthouse' })
  const page = `/api/v1/private/games/${listing.uid}`
  await a.images(listing)
  await a.cleanBuild(listing)
  must(await put(`${page}/taxonomy`, taxonomy, owner))
  assert.equal((await patch(page, { visibility: 'public' }, owner)).status, 202)
  assert.match(
    await done('releases', 'list'),
    new RegExp(`^${listing.uid}  /${owner.username}/${listing.vanity_name}  waiting`),
  )
  const decide = ['releases', 'decide', operator.username, listing.vanity_name]
  assert.equal(
    await done(...decide, 'decline', 'The', 'cover', 'lies'),
    'Second Lighthouse: declined',
  )
  assert.equal((await patch(page, { visibility: 'public' }, owner)).status, 202)
  assert.equal(await done(...decide, 'approve'), 'Second Lighthouse: approved')
  assert.equal((await get(`/api/v1/public/games/${listing.uid}`)).status, 200)
  const again = await run(...decide, 'approve')
  assert.deepEqual([again.code, /decided already/.test(again.stderr)], [1, true])
})

test('the command line makes and ends invitations, and publishes policies', async (t) => {
  const { operator, run, done, get, sql, url } = await startAdmin(t, { REGISTRATION: 'invitation' })
  const link = await done('invitations', 'create', operator.username, '3', '30', '--may-publish')
  assert.match(link, /\/signup\?invitation=svc_inv_/)
  assert.equal(
    (await fetch(new URL(new URL(link).pathname + new URL(link).search, url))).status,
    200,
  )
  const listed = await done('invitations', 'list')
  const [uid] = listed.split('  ')
  assert.match(listed, /0 of 3 used .*may publish$/)
  assert.equal(await done('invitations', 'end', uid!), `ended ${uid}`)
  const [row] = await sql`select expires_at <= now() as ended from invitations`
  assert.equal(row!.ended, true)

  const path = join(temporaryFolder(t), 'terms.md')
  writeFileSync(path, '# Terms\n\nWrite to [[your address]].\n')
  const publish = ['policies', 'publish', operator.username, 'terms', path]
  assert.match((await run(...publish)).stderr, /replace or remove \[\[your address\]\]/)
  writeFileSync(path, '# Terms\n\nBe kind.\n')
  assert.match(await done(...publish), /^published version 1 of terms, from \d{4}-\d\d-\d\d$/)
  assert.equal(await done('policies', 'show', 'terms'), '# Terms\n\nBe kind.')
  await eventually('the running service', async () => {
    const { body } = await get('/api/v1/public/policies/terms')
    return body.data?.version === 1
  })
  assert.match(await done('policies', 'list'), /^terms {2}1 {2}from /)
})
