import type { TestContext } from 'node:test'
import { must } from '../support/builders.ts'
import { startStore } from '../web/fixtures.ts'

export const OPERATIONS = '/api/v1/private/operations'
export const SETTINGS = `${OPERATIONS}/settings`

/** The service with an operator, and a browser in which the operator is signed in. */
export async function startConsole(t: TestContext, env: Record<string, string> = {}) {
  const app = await startStore(t, env)
  const operator = await app.a.verified()
  await app.sql`insert into operators (user_uid) values (${operator.uid})`
  /** Changes settings of the store as the operator. */
  const set = async (changes: object) => must(await app.patch(SETTINGS, changes, operator))
  return { ...app, operator, set, console: app.signedIn(operator) }
}
