import type { TestContext } from 'node:test'
import { startStore } from '../web/fixtures.ts'

export const SETTINGS = '/api/v1/private/operations/settings'

/** The service with an operator, and a browser in which the operator is signed in. */
export async function startConsole(t: TestContext, env: Record<string, string> = {}) {
  const app = await startStore(t, env)
  const operator = await app.a.verified()
  await app.sql`insert into operators (user_uid) values (${operator.uid})`
  return { ...app, operator, console: app.signedIn(operator) }
}
