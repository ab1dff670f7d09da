import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { transact } from '../../src/core/database/transaction.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { must, type Person } from '../support/builders.ts'

const PRIVATE = '/api/v1/private'

async function startWithLanguages(t: TestContext, languages: string) {
  const app = await startApp(t, { LANGUAGES: languages })
  /** The newest mail to this person after `cause`. */
  async function mailAfter({ email }: Person, cause: () => Promise<unknown>) {
    const mails = () => outbox(app.data_dir).filter(({ to }) => to === email)
    const before = mails().length
    await cause()
    return eventually('the mail', () => mails()[before])
  }
  const sendJob = (name: string, data: object) =>
    transact(app.core.sql, (tx) => app.core.jobs.send(tx, name as never, data as never))
  const setLanguage = async (person: Person, language: string | null) =>
    must(await app.put(`${PRIVATE}/settings/language`, { language }, person))
  return { ...app, mailAfter, sendJob, setLanguage }
}

test('an account that chose German gets every mail in German', async (t) => {
  const app = await startWithLanguages(t, 'en,de')
  const { a, post, sql, mailAfter, sendJob, setLanguage } = app
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner, name: 'Tide Runner' })
  const { uid: game_uid } = listing
  const { build_id } = await a.cleanBuild(listing, { version: '1.1' })
  await setLanguage(owner, 'de')
  const unverified = await a.user()
  await setLanguage(unverified, 'de')

  const code = await mailAfter(unverified, () =>
    post(`${PRIVATE}/account/email-code`, {}, unverified),
  )
  assert.match(code.subject, /^\d{6} ist dein Code für Slipway$/)
  assert.match(code.text, /^Dein Code lautet \d{6}\n\nGib ihn .* ein, .*\n\nDer Code gilt \d+ Min/s)

  const reset = await mailAfter(owner, () =>
    post(`${PRIVATE}/account/forgot-password`, { login: owner.email }),
  )
  assert.equal(reset.subject, 'Setze dein Passwort für Slipway zurück')
  assert.match(reset.text, /Um ein neues Passwort zu wählen, öffne http.*Der Link funktioniert/s)

  const token = reset.text.match(/token=([\w.-]+)/)![1]
  const changed = await mailAfter(owner, () =>
    post(`${PRIVATE}/account/reset-password`, { token, password: 'a whole new sentence' }),
  )
  assert.equal(changed.subject, 'Dein Passwort für Slipway wurde geändert')
  assert.match(changed.text, /verbundenen Apps funktionieren weiter.*Wenn du das nicht warst/s)

  const approval = {
    uid: uuidv7(),
    user_uid: owner.uid,
    credential_uid: uuidv7(),
    game_uid,
    action: 'delete_build',
    subject: build_id,
    summary: 'Delete build 1.1',
    idempotency_key: 'key',
    expires_at: new Date(Date.now() + 600_000),
  }
  await sql`insert into approvals ${sql(approval)}`
  const approve = await mailAfter(owner, () =>
    sendJob('accounts.mail-approval', { uid: approval.uid }),
  )
  assert.equal(approve.subject, 'Freigeben: Delete build 1.1')
  assert.match(approve.text, /^Dein Agent \(ein Agent\) bittet dich um eine Freigabe für Tide Runn/)

  const url = 'https://hooks.example.com/secret'
  const receiver = { uid: uuidv7(), game_uid, url, disabled_at: new Date(), last_error: 'HTTP 500' }
  await sql`insert into bug_reporters (game_uid, webhook_urls) values (${game_uid}, ${[url]})`
  await sql`insert into bug_receivers ${sql(receiver)}`
  for (const is_gone of [true, false]) {
    const webhook = await mailAfter(owner, () =>
      sendJob('bugs.mail-disabled', { receiver_uid: receiver.uid, is_gone }),
    )
    assert.equal(
      webhook.subject,
      'Ein Webhook für Fehlermeldungen zu Tide Runner wurde deaktiviert',
    )
    assert.match(webhook.text, /Deshalb wurde (er|dieser Webhook) deaktiviert\./)
    assert.match(webhook.text, /Der letzte Fehler war: HTTP 500\./)
  }

  await sql`
    insert into build_health (build_uid, game_uid, band, devices, boot_ok, crash_on_boot)
    values (${build_id}, ${game_uid}, 'mixed', 1200, 1000, 100)`
  const drop = {
    uid: uuidv7(),
    game_uid,
    build_uid: build_id,
    band: 'mixed',
    previous_version: '1.0',
    previous_band: 'excellent',
  }
  await sql`insert into health_warnings ${sql(drop)}`
  const health = await mailAfter(owner, () => sendJob('telemetry.warn', { uid: drop.uid }))
  assert.equal(health.subject, 'Tide Runner 1.1 startet schlechter: durchwachsen')
  assert.match(health.text, /Geräte in den letzten 30 Tagen: 1\.200\nSpiel gestartet: 1\.000\n/)
})

test('mails to an account without a language are in the first language of the store', async (t) => {
  const { a, post, mailAfter, setLanguage } = await startWithLanguages(t, 'de,en')
  const codeSubject = async (person: Person) => {
    const mail = await mailAfter(person, () => post(`${PRIVATE}/account/email-code`, {}, person))
    return mail.subject.replace(/^\d+/, '…')
  }
  assert.equal(await codeSubject(await a.user()), '… ist dein Code für Slipway')
  const reader = await a.user()
  await setLanguage(reader, 'en')
  assert.equal(await codeSubject(reader), '… is your code for Slipway')
})

test('a language that the store no longer offers counts as none', async (t) => {
  const { a, sql, post, mailAfter } = await startWithLanguages(t, 'en')
  const person = await a.user()
  await sql`update users set language = 'de' where uid = ${person.uid}`
  const mail = await mailAfter(person, () => post(`${PRIVATE}/account/email-code`, {}, person))
  assert.match(mail.subject, /is your code for Slipway$/)
})
