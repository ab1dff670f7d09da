import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isInHashFile } from '../../src/accounts/credentials/breached-passwords.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { startApp, temporaryFolder } from '../support/app.ts'
import { must, PASSWORD, refused } from '../support/builders.ts'
import { browser, errorsOf } from '../web/browser.ts'

const ACCOUNT = '/api/v1/private/account'
const BREACHED = 'a sentence of ours'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

/** The lines of the passwords in the order of their hashes, with different counts. */
function hashFile(folder: string, passwords: readonly string[], end = '\r\n'): string {
  const path = join(folder, 'hashes.txt')
  const lines = passwords.map((password, i) => `${sha1(password)}:${10 ** (i % 8)}`).sort()
  writeFileSync(path, lines.join(end) + (passwords.length % 2 ? end : ''))
  return path
}

test('a password is found in a file of any size, and no other is', async (t) => {
  const folder = temporaryFolder(t)
  for (const count of [1, 2, 75, 150, 2000]) {
    const passwords = Array.from({ length: count }, (_, i) => `password ${i}`)
    for (const end of ['\n', '\r\n']) {
      const path = hashFile(folder, passwords, end)
      const step = count > 150 ? 37 : count > 2 ? 5 : 1
      const sample = passwords.filter((_, i) => i % step === 0)
      for (const password of [...sample, passwords.at(-1)!])
        assert.equal(await isInHashFile(path, password), true, `${count}: ${password}`)
      for (let i = 0; i < 10; i++) assert.equal(await isInHashFile(path, `another ${i}`), false)
    }
  }
})

test('a breached password is refused where passwords are chosen', async (t) => {
  const file = hashFile(temporaryFolder(t), [BREACHED, 'and another one'])
  const app = await startApp(t, { BREACHED_PASSWORDS: file })
  const { a, post } = app
  const account = { username: 'someone', email: 'someone@example.com' }
  const answer = await post(`${ACCOUNT}/register`, { ...account, password: BREACHED })
  assert.deepEqual(refused(answer), [400, 4000])
  assert.match(answer.body.error.message, /body\.password: .*data breach/)
  must(await post(`${ACCOUNT}/register`, { ...account, password: PASSWORD }))
  const person = await a.user()
  const change = { current_password: PASSWORD, password: BREACHED }
  assert.deepEqual(refused(await post(`${ACCOUNT}/password`, change, person)), [400, 4000])
  const visitor = browser(app)
  const page = await visitor.send('/signup', {
    username: 'other-one',
    email: 'other@example.com',
    password: BREACHED,
  })
  assert.equal(page.status, 400)
  assert.match(errorsOf(page.body).join(), /became public in a data breach/)
  assert.deepEqual(
    refused(await post(`${ACCOUNT}/login`, { login: 'x', password: BREACHED })),
    [401, 4010],
  )
})

test('a file of breached passwords that cannot be used is refused at start', (t) => {
  const folder = temporaryFolder(t)
  const other = join(folder, 'other.txt')
  writeFileSync(other, 'password\n123456\n')
  const expected = /BREACHED_PASSWORDS must be the path of a readable file/
  for (const path of [join(folder, 'missing.txt'), folder, other])
    assert.throws(() => readConfig({ BREACHED_PASSWORDS: path }), expected, path)
  const file = hashFile(folder, [BREACHED])
  assert.equal(readConfig({ BREACHED_PASSWORDS: file }).breached_passwords, file)
})
