import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { loginFile, writeLogin } from '../../../cli/login/stored-login.ts'
import { deviceTokens } from '../../agents/device-flow.ts'
import { temporaryFolder } from '../../support/app.ts'
import { addCopy, type Person } from '../../support/builders.ts'
import { startStore } from './fixtures.ts'

/** A store, and a program that can be signed in. */
export async function startWithConfig(t: TestContext) {
  const app = await startStore(t)
  const env = { ...app.env, SLIPWAY_CONFIG: temporaryFolder(t) }
  const store = env.SVC_API_URL
  const file = loginFile(env, store)
  const run = (args: string[], more: Record<string, string> = {}) =>
    app.run(args, { env: { ...env, ...more } })
  const install = ['install', app.name, '--os', 'linux', '--arch', 'x86_64']
  /** The sign-in of a person, as the program stores it. */
  async function storeLogin(person: Person, changes: object = {}) {
    const { access_token, refresh_token } = await deviceTokens(app.url, person)
    const login = {
      format: 1,
      store,
      username: person.username,
      access_token,
      refresh_token,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      token_endpoint: `${app.url}/oauth/token`,
      revocation_endpoint: `${app.url}/oauth/revoke`,
      ...changes,
    }
    await writeLogin(file, login as never)
    return login
  }
  const stored = () => JSON.parse(readFileSync(file, 'utf8'))
  return { ...app, env, store, file, run, install, storeLogin, stored }
}

/** A game that only people with a copy may download. */
export async function paidGame(app: Awaited<ReturnType<typeof startWithConfig>>) {
  await app.sql`update listings set price_cents = 500, anonymous_downloads = false`
  const owner = await app.a.verified()
  await addCopy(app.sql, app.game.uid, owner.uid, 'purchase')
  return owner
}
