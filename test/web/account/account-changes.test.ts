import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, outbox } from '../../support/app.ts'
import { codeIn, PASSWORD, type Person } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { startStore } from '../fixtures.ts'

async function startSettings(t: TestContext) {
  const store = await startStore(t)
  const cookieOf = ({ token }: Person) => `svc_session=${token}`
  const open = async (person: Person, path: string) =>
    (await store.get(path, { headers: { cookie: cookieOf(person) } })).body as string
  const submit = (person: Person, path: string, fields: Record<string, string>) =>
    store.call('POST', path, {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
        cookie: cookieOf(person),
      },
      raw: new URLSearchParams(fields).toString(),
    })
  return { ...store, open, submit }
}

const sharedSettings = sharedInFile(startSettings)

test('the email address is changed in the settings', async (t) => {
  const { a, open, submit, data_dir } = await sharedSettings(t)
  const person = await a.user()
  assert.match(await open(person, '/settings'), /href="\/settings\/email"/)
  const wrong = await submit(person, '/settings/email', { email: 'new@example.com', password: 'x' })
  assert.equal(wrong.status, 401)
  assert.match(wrong.body, /This password is wrong/)
  assert.match(wrong.body, /value="new@example.com"/, 'what was typed stays')
  const own = await submit(person, '/settings/email', { email: person.email, password: PASSWORD })
  assert.match(own.body, /already the address of your account/)
  const fields = { email: 'new@example.com', password: PASSWORD }
  const sent = await submit(person, '/settings/email', fields)
  assert.equal(sent.headers.location, '/settings/email/confirm')
  const mail = await eventually('the mail', async () =>
    outbox(data_dir).find(({ to }) => to === 'new@example.com'),
  )
  const code = codeIn(mail!.text)
  assert.ok((await open(person, `/settings/email/confirm?code=${code}`)).includes(code))
  const empty = await submit(person, '/settings/email/confirm', { code: '' })
  assert.equal(empty.status, 400)
  const done = await submit(person, '/settings/email/confirm', { code })
  assert.equal(done.headers.location, '/settings#account')
  assert.match(await open(person, '/settings'), /new@example\.com/)
})

test('the password is changed in the settings, and the session stays', async (t) => {
  const { a, open, submit } = await sharedSettings(t)
  const person = await a.user()
  const wrong = { current_password: 'x', password: 'a whole new sentence' }
  const refused = await submit(person, '/settings/password', wrong)
  assert.equal(refused.status, 401)
  assert.match(refused.body, /This password is wrong/)
  const short = { current_password: PASSWORD, password: 'short' }
  assert.match((await submit(person, '/settings/password', short)).body, /10/)
  const good = { current_password: PASSWORD, password: 'a whole new sentence' }
  const done = await submit(person, '/settings/password', good)
  assert.equal(done.headers.location, '/settings#account')
  assert.ok((await open(person, '/settings')).includes(person.email))
})

test('personal data is downloaded from the settings', async (t) => {
  const { a, submit } = await sharedSettings(t)
  const person = await a.user()
  const wrong = await submit(person, '/settings/export', { password: 'x' })
  assert.equal(wrong.status, 401)
  const file = await submit(person, '/settings/export', { password: PASSWORD })
  assert.equal(
    file.headers['content-disposition'],
    `attachment; filename="account-${person.username}.json"`,
  )
  assert.match(file.headers['cache-control']!, /no-store/)
  const data = typeof file.body === 'string' ? JSON.parse(file.body) : file.body
  assert.equal(data.uid, person.uid)
})

test('an account is deleted from the settings, after its projects', async (t) => {
  const { a, open, submit, get } = await sharedSettings(t)
  const { owner } = await a.listing({ name: 'Mine <Alone>' })
  const page = await open(owner, '/settings/delete')
  assert.match(page, /What is deleted/)
  assert.match(page, /What stays/)
  const confirmation = { username: owner.username, password: PASSWORD }
  const refused = await submit(owner, '/settings/delete', confirmation)
  assert.equal(refused.status, 409)
  assert.match(refused.body, /Mine &lt;Alone&gt;/)
  const person = await a.user()
  const wrong = { username: 'somebody', password: PASSWORD }
  assert.match((await submit(person, '/settings/delete', wrong)).body, /not your username/)
  const right = { username: person.username, password: PASSWORD }
  const done = await submit(person, '/settings/delete', right)
  assert.deepEqual([done.status, done.headers.location], [303, '/'])
  const cookie = `svc_session=${person.token}`
  const headers = { cookie, accept: 'text/html' }
  assert.equal((await get('/settings', { headers })).status, 303)
})
