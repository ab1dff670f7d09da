import type { TestContext } from 'node:test'
import { type Client, client, startApp, temporaryFolder } from '../support/app.ts'
import { builders } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { freshDatabase } from '../support/database.ts'

/** Starts two processes of the service on one database and folder, with Redis if a URL is given. */
export async function startTwo(t: TestContext, more: Record<string, string> = {}) {
  const shared = { DATABASE_URL: await freshDatabase(t), DATA_DIR: temporaryFolder(t), ...more }
  const services = await Promise.all(
    [1, 2].map(async () => {
      const env = { ...shared, PORT: await freePort() }
      const child = childService(t, env)
      return { child, env, http: client(await child.start()) }
    }),
  )
  const [first, second] = services as [(typeof services)[0], (typeof services)[0]]
  return { first, second, shared, a: builders(first.http, shared.DATA_DIR) }
}

/**
 * The service in this process, and a second process on the same database and folder: enough where
 * nothing restarts, for half of what two more processes cost.
 */
export async function startBeside(t: TestContext, more: Record<string, string> = {}) {
  const app = await startApp(t, more)
  const child = childService(t, { ...app.settings, LOG_LEVEL: 'fatal', PORT: await freePort() })
  const second = { http: client(await child.start()) }
  return { first: { http: app as Client }, second, sql: app.sql, a: app.a }
}
