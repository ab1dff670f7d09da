import { Type } from 'typebox'
import { Body, route, Timestamp, Uid } from '../../core/http/route.ts'
import { checkOutcomes } from '../../core/runtime/health.ts'
import { perAccount } from '../../core/security/limits.ts'
import { operator } from './operator-access.ts'

const OPERATIONS = '/api/v1/private/operations'

export const readStatusRoute = route({
  method: 'GET',
  url: `${OPERATIONS}/status`,
  summary: 'For operators: the health of this process, and jobs that used up their attempts',
  auth: operator,
  limits: [perAccount(60)],
  data: Type.Object({
    checks: Type.Record(Type.String(), Type.String()),
    dead_jobs: Type.Array(
      Type.Object({
        id: Uid,
        name: Type.String(),
        error: Type.String(),
        attempts: Type.Integer(),
        failed_at: Timestamp,
      }),
    ),
  }),
  async handle({ core }) {
    const [checks, dead] = await Promise.all([checkOutcomes(core), core.jobs.dead()])
    const dead_jobs = dead.map(({ id, name, error, attempts, failed_at }) => ({
      id,
      name,
      error,
      attempts,
      failed_at: failed_at.toISOString(),
    }))
    return { checks, dead_jobs }
  },
})

export const replayJobsRoute = route({
  method: 'POST',
  url: `${OPERATIONS}/jobs/replay`,
  summary: 'For operators: retry dead jobs with all their attempts; all of them without ids',
  auth: operator,
  limits: [perAccount(60)],
  body: Body({ ids: Type.Optional(Type.Array(Uid, { minItems: 1, maxItems: 1000 })) }),
  data: Type.Object({ replayed: Type.Integer() }),
  async handle({ core, body }) {
    return { replayed: await core.jobs.replay(body.ids ?? 'all') }
  },
})

export const operatorRoutes = [readStatusRoute, replayJobsRoute]
