import { Type } from 'typebox'
import { anyone, Nullable, route } from '../../core/http/route.ts'
import { perIp } from '../../core/security/limits.ts'
import { readYears } from './figures.ts'

const Counts = (description: string) =>
  Type.Record(Type.String(), Type.Integer(), { description: `How many by ${description}` })
const total = Type.Integer({ description: 'How many' })
const median_hours = Nullable(Type.Number())

export const moderationFiguresRoute = route({
  method: 'GET',
  url: '/moderation.json',
  role: 'every',
  summary: 'Yearly counts of reports, decisions and appeals',
  description: 'Without personal data. May be ten minutes old. The years are those of UTC.',
  auth: anyone,
  limits: [perIp(120, { bucket: 'discovery' })],
  envelope: false,
  cache: 'public, max-age=600',
  data: Type.Object({
    years: Type.Array(
      Type.Object({
        year: Type.Integer(),
        reports: Type.Object({
          total,
          kinds: Counts('kind'),
          outcomes: Counts('outcome: open, no_action, action_taken'),
          median_hours,
        }),
        decisions: Type.Object({ total, actions: Counts('action'), grounds: Counts('ground') }),
        appeals: Type.Object({
          total,
          outcomes: Counts('outcome: open, upheld, reversed'),
          median_hours,
        }),
      }),
      { description: 'The newest first' },
    ),
  }),
  handle: async ({ core }) => ({ years: await readYears(core) }),
})
