import { Type } from 'typebox'
import { Body, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { checkOutcomes } from '../../core/runtime/health.ts'
import { perAccount } from '../../core/security/limits.ts'
import type { Identity } from '../sessions/identity.ts'
import { website } from '../sessions/schemes.ts'
import { isOperator } from './operator-queries.ts'

const OPERATIONS = '/api/v1/private/operations'

/** Checked on every request, so that a removed operator loses access at once. */
async function checkOperator({ sql }: Core, { user_uid }: Identity): Promise<void> {
  if (!(await isOperator(sql, user_uid)))
    refuse('FORBIDDEN', undefined, 'Only operators of the service may do this')
}

export const operatorRoutes = [
  route({
    method: 'GET',
    url: `${OPERATIONS}/status`,
    summary: 'For operators: the health of this process, and jobs that used up their attempts',
    auth: website,
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
    errors: ['FORBIDDEN'],
    async handle({ core, who }) {
      await checkOperator(core, who)
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
  }),
  route({
    method: 'POST',
    url: `${OPERATIONS}/jobs/replay`,
    summary: 'For operators: retry dead jobs with all their attempts; all of them without ids',
    auth: website,
    limits: [perAccount(60)],
    body: Body({ ids: Type.Optional(Type.Array(Uid, { minItems: 1, maxItems: 1000 })) }),
    data: Type.Object({ replayed: Type.Integer() }),
    errors: ['FORBIDDEN'],
    async handle({ core, who, body }) {
      await checkOperator(core, who)
      return { replayed: await core.jobs.replay(body.ids ?? 'all') }
    },
  }),
]
