import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { route } from '../../core/http/route.ts'
import { checkOutcomes } from '../../core/runtime/health.ts'
import { perAccount } from '../../core/security/limits.ts'
import { readFigures, readStorage } from './queries.ts'

export const OVERVIEW_DAYS = 30
const STORAGE_ROWS = 10

const Days = Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() }), {
  description: 'By day in UTC; days without any are left out',
})

export const readOverviewRoute = route({
  method: 'GET',
  url: '/api/v1/private/operations/overview',
  summary: 'For operators: what needs attention, and figures of the last 30 days',
  auth: operator,
  limits: [perAccount(60)],
  data: Type.Object({
    checks: Type.Record(Type.String(), Type.String(), {
      description: 'The outcome of each check of /ready',
    }),
    dead_jobs: Type.Integer({ description: 'Jobs that used up their attempts' }),
    people: Type.Integer({ description: 'All accounts' }),
    listings: Type.Integer({ description: 'All public listings' }),
    sign_ups: Days,
    downloads: Days,
    new_listings: Days,
    storage: Type.Array(
      Type.Object({
        uid: Type.String(),
        name: Type.String(),
        username: Type.String(),
        bytes: Type.Number({ description: 'Bytes in storage' }),
      }),
      { description: 'The listings whose builds and trailers take the most space' },
    ),
  }),
  async handle({ core, sql }) {
    const [checks, { dead }, figures, storage] = await Promise.all([
      checkOutcomes(core),
      core.jobs.counts(),
      readFigures(sql, OVERVIEW_DAYS),
      readStorage(sql, STORAGE_ROWS),
    ])
    return { checks, dead_jobs: dead, ...figures, storage }
  },
})
