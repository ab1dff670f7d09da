import { Type } from 'typebox'
import { anyone, OneOf, route } from '../http/route.ts'
import type { Core } from './core.ts'
import { Refusal } from './errors.ts'
import { version } from './version.ts'

const CHECK_SECONDS = 1.5
/** Checks write to storage and to the database, so that many requests must not repeat them. */
const REPEAT_MS = 1000
/**
 * The result of a check whose part is unavailable while the service works without it, if slower.
 */
export const DEGRADED = 'degraded'
/**
 * Checks of what each process has for itself. All others are of parts that all processes share:
 * while one of those is away, a load balancer would take every process out of service.
 */
const ownChecks = new Set(['search', 'stopping'])

export const healthRoutes = [
  route({
    method: 'GET',
    url: '/health',
    summary: 'Check that the process is alive, without checking its dependencies',
    role: 'every',
    auth: anyone,
    data: Type.Object({ status: Type.Literal('ok'), version: Type.String() }),
    handle: () => ({ status: 'ok' as const, version }),
  }),
  route({
    method: 'GET',
    url: '/ready',
    summary: 'Check that everything the process depends on works, or only the process itself',
    role: 'every',
    auth: anyone,
    query: Type.Object({
      scope: OneOf(['all', 'process'], {
        default: 'all',
        description:
          'With `process`, the parts that all processes share, such as the database, are not ' +
          'checked: for load balancers',
      }),
    }),
    data: Type.Object({ checks: Type.Record(Type.String(), Type.String()) }),
    errors: ['UNAVAILABLE'],
    async handle({ core, query }) {
      const checks = await checkOutcomes(query.scope === 'process' ? withOwnChecks(core) : core)
      const failing = Object.keys(checks).filter(
        (name) => checks[name] !== 'ok' && checks[name] !== DEGRADED,
      )
      if (failing.length)
        throw new Refusal('UNAVAILABLE', { checks }, `Not ready: ${failing.join(', ')}`)
      return { checks }
    },
  }),
]

const withOwnChecks = ({ checks }: Pick<Core, 'checks'>) => ({
  checks: Object.fromEntries(Object.entries(checks).filter(([name]) => ownChecks.has(name))),
})

/** The result of every check: ok, degraded, failing or no answer. */
export async function checkOutcomes({
  checks,
}: Pick<Core, 'checks'>): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await recentOutcome(check)]),
    ),
  )
}

type Check = () => Promise<unknown>
type RecentOutcome = { started_at: number; outcome: Promise<string> }
const recent_outcomes = new WeakMap<Check, RecentOutcome>()

/** The outcome of a check that began within the last second, or of a new one. */
function recentOutcome(check: Check): Promise<string> {
  const recent = recent_outcomes.get(check)
  if (recent && performance.now() - recent.started_at < REPEAT_MS) return recent.outcome
  const outcome = outcomeOf(check)
  recent_outcomes.set(check, { started_at: performance.now(), outcome })
  return outcome
}

async function outcomeOf(check: Check): Promise<string> {
  const timeout = Promise.withResolvers<string>()
  const timer = setTimeout(() => timeout.resolve('no answer'), CHECK_SECONDS * 1000)
  try {
    return await Promise.race([
      check().then((result) => (result === DEGRADED ? DEGRADED : 'ok')),
      timeout.promise,
    ])
  } catch {
    return 'failing'
  } finally {
    clearTimeout(timer)
  }
}
