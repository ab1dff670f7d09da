import type { TestContext } from 'node:test'
import type { Core } from '../../../src/core/runtime/core.ts'

export const REQUEST_ID = /^[\da-f-]{36}$/

/** Collects the request ids of what is logged as an error from now on. */
export function loggedIds(t: TestContext, { log }: Pick<Core, 'log'>): unknown[] {
  const ids: unknown[] = []
  t.mock.method(log, 'error', ((fields: { id?: unknown }) => {
    ids.push(fields.id)
  }) as typeof log.error)
  return ids
}
