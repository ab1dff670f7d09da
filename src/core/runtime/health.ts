import { Type } from 'typebox'
import { version } from '../http/openapi.ts'
import { anyone, route } from '../http/route.ts'
import type { Core } from './core.ts'
import { Refusal } from './errors.ts'

const CHECK_SECONDS = 1.5
/** What a check answers when its part is away and the service goes on without it, in full but not as well. */
export const DEGRADED = 'degraded'

export const healthRoutes = [
  route({
    method: 'GET',
    url: '/health',
    summary: 'Whether the process is alive; touches nothing else',
    role: 'every',
    auth: anyone,
    data: Type.Object({ status: Type.Literal('ok'), version: Type.String() }),
    handle: () => ({ status: 'ok' as const, version }),
  }),
  route({
    method: 'GET',
    url: '/ready',
    summary: 'Whether every part the process needs answers',
    role: 'every',
    auth: anyone,
    data: Type.Object({ checks: Type.Record(Type.String(), Type.String()) }),
    errors: ['UNAVAILABLE'],
    async handle({ core }) {
      const checks = await checkOutcomes(core)
      const failing = Object.keys(checks).filter(
        (name) => checks[name] !== 'ok' && checks[name] !== DEGRADED,
      )
      if (failing.length)
        throw new Refusal('UNAVAILABLE', { checks }, `Not ready: ${failing.join(', ')}`)
      return { checks }
    },
  }),
]

/** What every part of this process says of itself: ok, degraded, failing or no answer. */
export async function checkOutcomes({
  checks,
}: Pick<Core, 'checks'>): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)]),
    ),
  )
}

async function outcome(check: () => Promise<unknown>): Promise<string> {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve('no answer'), CHECK_SECONDS * 1000)
  try {
    return await Promise.race([
      check().then((said) => (said === DEGRADED ? DEGRADED : 'ok')),
      late.promise,
    ])
  } catch {
    return 'failing'
  } finally {
    clearTimeout(timer)
  }
}
