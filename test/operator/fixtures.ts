import type { TestContext } from 'node:test'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { startStore } from '../web/fixtures.ts'

export const OPERATIONS = '/api/v1/private/operations'
export const SETTINGS = `${OPERATIONS}/settings`

/** The service with an operator, and a browser in which the operator is signed in. */
export const startConsole = async (t: TestContext, env: Record<string, string> = {}) =>
  withOperator(await startStore(t, env))

/** One service for the tests of a file, each with an operator of its own and default settings. */
export function sharedConsole(env: Record<string, string> = {}) {
  const start = sharedInFile((t) => startStore(t, env))
  return async (t: TestContext) => {
    const app = await start(t)
    await app.sql`delete from operators`
    await app.sql`delete from store_settings`
    await app.sql`delete from setting_changes`
    await app.core.settings.reload()
    return withOperator(app)
  }
}

async function withOperator(app: Awaited<ReturnType<typeof startStore>>) {
  const operator = await app.a.verified()
  await app.sql`insert into operators (user_uid) values (${operator.uid})`
  /** Changes settings of the store as the operator. */
  const set = async (changes: object) => must(await app.patch(SETTINGS, changes, operator))
  return { ...app, operator, set, console: app.signedIn(operator) }
}
