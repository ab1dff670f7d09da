import type { TestContext } from 'node:test'
import type { Environment } from '../../../src/core/runtime/config.ts'
import { DAY_MS } from '../../../src/core/runtime/units.ts'
import { startApp } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'

export const PUBLIC = '/api/v1/public/policies'
export const OPERATIONS = '/api/v1/private/operations/policies'

/** A day in UTC, as 2027-01-31. */
export const day = (from_today: number) =>
  new Date(Date.now() + from_today * DAY_MS).toISOString().slice(0, 10)

export const startPolicies = async (t: TestContext, env: Environment = {}) =>
  withPolicies(await startApp(t, env))

/** One service for the tests of a file, each with an operator of its own and no policies. */
export function sharedPolicies(env: Environment = {}) {
  const start = sharedInFile((t) => startApp(t, env))
  return async (t: TestContext) => {
    const app = await start(t)
    await app.sql`delete from policies`
    await app.sql`delete from operators`
    await app.core.settings.reload()
    return withPolicies(app)
  }
}

async function withPolicies(app: Awaited<ReturnType<typeof startApp>>) {
  const operator = await app.a.verified()
  await app.sql`insert into operators (user_uid) values (${operator.uid})`
  const publish = (kind: string, fields: object = {}) =>
    app.post(OPERATIONS, { kind, text: '# Scope\n\nBe kind.', ...fields }, operator)
  /** Moves the day from which a version applies, as if time had passed. */
  const setDay = async (kind: string, version: number, effective_from: string) => {
    await app.sql`
      update policies set effective_from = ${effective_from}
      where kind = ${kind} and version = ${version}`
    await app.core.settings.reload()
  }
  const published = async (kind: string, fields: object = {}) => must(await publish(kind, fields))
  return { ...app, operator, publish, published, setDay }
}
