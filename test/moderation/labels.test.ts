import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, outbox, startApp } from '../support/app.ts'
import { addAdmin, makePublic, must, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { ACTIONS, browserHeaders, decision, moderationTeam, sendForm } from './fixtures.ts'

const GAMES = '/api/v1/private/games'
const PAGES = '/api/v1/public/games'
const APPEALS = '/api/v1/private/moderation/appeals'

const startShared = sharedInFile((t) => startApp(t))

/** A public listing with labels of its owner, and how to read and change them. */
async function startLabelled(t: TestContext, env?: Record<string, string>) {
  const app = await (env ? startApp(t, env) : startShared(t))
  const team = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const { uid } = await app.a.listing({ owner })
  await makePublic(app.sql, uid)
  const taxonomy = (fields: object) => app.put(`${GAMES}/${uid}/taxonomy`, fields, owner)
  const mark = (adult: boolean) => app.patch(`${GAMES}/${uid}`, { adult }, owner)
  must(await taxonomy({ content_warnings: ['violence'], tags: ['cozy', 'calm', 'short'] }))
  const label = (labels: unknown, who: Person = team.moderator) =>
    app.post(ACTIONS, decision('listing', uid, 'label', { labels }), who)
  const labels = async () => {
    const [row] = await app.sql`
      select adult, content_warnings, tags from listings where uid = ${uid}`
    return { ...row }
  }
  return { ...app, ...team, owner, uid, taxonomy, mark, label, labels }
}

const before = { adult: false, content_warnings: ['violence'], tags: ['cozy', 'calm', 'short'] }

test('moderators correct labels, and editors cannot undo that', async (t) => {
  const app = await startLabelled(t)
  const { owner, taxonomy, mark, label, labels } = app
  const corrected = {
    adult: true,
    content_warnings: ['violence', 'gore'],
    tags: ['horror', 'short', 'calm'],
  }
  const { statement_uid } = must(await label(corrected))
  assert.deepEqual(await labels(), { ...corrected, tags: ['calm', 'short', 'horror'] })
  for (const fields of [
    { content_warnings: ['violence'] },
    { content_warnings: [] },
    { tags: ['calm', 'short', 'horror', 'cozy'] },
    { tags: ['calm', 'short', 'long'] },
  ])
    assert.deepEqual(refused(await taxonomy(fields)), [403, 4030], JSON.stringify(fields))
  assert.deepEqual(refused(await mark(false)), [403, 4030])
  const refusal = await taxonomy({ content_warnings: [] })
  assert.match(refusal.body.error.message, /gore/)
  assert.equal(refusal.body.data.field, 'content_warnings')
  must(await taxonomy({ content_warnings: ['gore'], tags: ['horror', 'long', 'slow'] }))
  must(await mark(true))
  const statements = must(await app.get('/api/v1/private/moderation/statements', owner)).items
  assert.deepEqual([statements[0].uid, statements[0].in_force], [statement_uid, true])
  assert.deepEqual(statements[0].labels, corrected)
})

test('the statement of reasons names the labels, and says the facts once', async (t) => {
  const app = await startLabelled(t)
  const facts = 'The trailer shows blood'
  const statementPage = async () =>
    (await app.get('/settings/moderation', { headers: browserHeaders(app, app.owner) }))
      .body as string
  const count = (text: string, words: string) => text.split(words).length - 1
  const correct = (labels: object, statement?: string) =>
    app.post(
      ACTIONS,
      decision('listing', app.uid, 'label', { labels, facts, statement }),
      app.moderator,
    )
  must(await correct({ adult: true, content_warnings: ['violence', 'gore'] }))
  const alone = await statementPage()
  assert.equal(count(alone, facts), 1)
  assert.match(alone, /Violence, Gore/)
  assert.match(alone, /Adult content/)
  const mail = await eventually('the mail', () =>
    outbox(app.data_dir).find(
      ({ to, text }) => to === app.owner.email && text.includes('Labels corrected'),
    ),
  )
  assert.equal(count(mail.text, facts), 1)
  assert.match(mail.text, /Content warnings: Violence, Gore/)
  assert.match(mail.text, /Adult content: Yes/)

  must(await correct({ content_warnings: [] }, 'We removed both warnings'))
  const both = await statementPage()
  assert.match(both, /We removed both warnings/)
  assert.match(both, /None/)
})

test('a restored listing has the labels of its editors again', async (t) => {
  const app = await startLabelled(t)
  const { uid, taxonomy, mark, label, labels, decide } = app
  must(await label({ adult: true, content_warnings: ['gore'], tags: ['cozy', 'calm', 'horror'] }))
  await decide('listing', uid, 'restore')
  assert.deepEqual(await labels(), { ...before, tags: ['cozy', 'calm', 'short'] })
  must(await taxonomy({ content_warnings: [] }))
  must(await mark(false))
  const restore = decision('listing', uid, 'restore')
  assert.deepEqual(refused(await app.post(ACTIONS, restore, app.moderator)), [409, 4090])
})

test('a reversal on appeal undoes one correction and leaves the other', async (t) => {
  const app = await startLabelled(t)
  const { owner, operator, label, labels } = app
  const { statement_uid } = must(await label({ adult: true }))
  must(await label({ content_warnings: ['violence', 'gore'] }))
  const path = `/api/v1/public/statements/${statement_uid}/appeal`
  const { appeal_uid } = must(await app.post(path, { text: 'No' }, owner))
  const body = { outcome: 'reversed', reasons: 'Right' }
  must(await app.post(`${APPEALS}/${appeal_uid}/decision`, body, operator))
  assert.deepEqual(await labels(), { ...before, content_warnings: ['violence', 'gore'] })
  assert.deepEqual(refused(await app.taxonomy({ content_warnings: [] })), [403, 4030])
  must(await app.mark(false))
})

test('a correction that moderators take back is not locked any more', async (t) => {
  const { label, labels, taxonomy } = await startLabelled(t)
  must(await label({ content_warnings: ['gore'] }))
  must(await label({ content_warnings: ['violence'] }))
  assert.deepEqual(await labels(), before)
  must(await taxonomy({ content_warnings: ['gore'] }))
})

test('a correction names labels that exist and changes something', async (t) => {
  const { label, labels } = await startLabelled(t)
  for (const wrong of [
    undefined,
    {},
    { content_warnings: ['boredom'] },
    { tags: ['!'] },
    { adult: 'yes' },
  ])
    assert.deepEqual(refused(await label(wrong)), [400, 4000], JSON.stringify(wrong))
  assert.deepEqual(refused(await label({ adult: false })), [409, 4090])
  assert.deepEqual(await labels(), before)
})

test('a store without adult content takes such listings down instead', async (t) => {
  const { label } = await startLabelled(t, { ADULT_CONTENT: 'off' })
  assert.deepEqual(refused(await label({ adult: true })), [422, 4266])
})

test('moderators correct labels in the console', async (t) => {
  const app = await startLabelled(t)
  const path = `/operator/moderation/listing/${app.uid}`
  const page = await app.get(path, { headers: browserHeaders(app, app.moderator) })
  assert.match(page.body, /value="violence" checked/)
  const fields = {
    action: 'label',
    ground: 'rule-false-label',
    facts: 'The trailer shows gore',
    adult: 'yes',
    content_warnings: 'gore',
    tags: 'cozy\ncalm\nshort',
  }
  const sent = await sendForm(app, `${path}/decision`, { fields, who: app.moderator })
  assert.equal(sent.status, 303)
  assert.deepEqual(await app.labels(), { ...before, adult: true, content_warnings: ['gore'] })
  const listing = must(await app.get(`${PAGES}/${app.uid}`))
  assert.deepEqual(listing.content_warnings, ['gore'])
})

test('the editor marks what moderators decided before anybody saves', async (t) => {
  const app = await startLabelled(t)
  const [row] = await app.sql`select vanity_name from listings where uid = ${app.uid}`
  const open = async (section: string, who: Person = app.owner) => {
    const headers = browserHeaders(app, who)
    return (await app.get(`/dashboard/${row!.vanity_name}/${section}`, { headers })).body as string
  }
  for (const section of ['page', 'settings'])
    assert.doesNotMatch(await open(section), /moderation team/)
  const content_warnings = ['violence', 'gore']
  must(await app.label({ adult: true, content_warnings, tags: ['calm', 'short'] }))
  const page = await open('page')
  assert.match(page, /The moderation team set: Gore[^,]*\. Only they can change that\./)
  assert.match(page, /The moderation team removed: cozy\. Only they can add it again\./)
  assert.match(page, /<a href="\/settings\/moderation">Read the statement of reasons<\/a>/)
  assert.match(await open('settings'), /The moderation team set: Adult/)
  const helper = await app.a.verifiedDeveloper()
  await addAdmin(app.sql, app.uid, helper.uid)
  assert.match(await open('page', helper), /The owner has the statement of reasons/)
})
