import { Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import { outcomeOf, readReport } from './queries.ts'
import { fileReport, isReportToken } from './report.ts'
import { reportedTypes, reportKinds, reportLimits } from './report-input.ts'

const REPORTS = '/api/v1/public/reports'

const short = Type.Optional(Type.String({ maxLength: reportLimits.name }))

export const fileReportRoute = route({
  method: 'POST',
  url: REPORTS,
  summary: 'Report a listing, file, review, community tag, bug message or person',
  description:
    'Without an account too; 5 an hour per address, 20 a day per account. The token reads the state of the report; it is shown once. ' +
    'You are mailed on receipt and on the decision: at contact_email, or at your account.',
  auth: viewer,
  limits: [perIp(60, { bucket: 'reports' })],
  body: Body({
    target_type: OneOf(reportedTypes),
    target_id: Type.String({
      maxLength: 200,
      description:
        'A uid; a name also for a listing or person; for a tag the uid of its listing, a colon ' +
        'and the tag',
    }),
    kind: OneOf(reportKinds),
    text: Type.String({ maxLength: reportLimits.text, description: 'What is wrong, and where' }),
    contact_email: Type.Optional(Type.String({ maxLength: 254 })),
    urls: Type.Optional(
      Type.Array(Type.String({ maxLength: reportLimits.url }), {
        maxItems: reportLimits.urls,
        description: 'http or https addresses of evidence',
      }),
    ),
    copyright: Type.Optional(
      Type.Object(
        {
          work: Type.Optional(
            Type.String({ maxLength: reportLimits.work, description: 'The work that is copied' }),
          ),
          holder: short,
          signature: short,
        },
        { description: 'Required with the kind copyright, as is contact_email' },
      ),
    ),
    good_faith: Type.Literal(true, {
      description: 'You believe in good faith that the report is accurate and complete',
    }),
  }),
  status: 201,
  data: Type.Object({
    report_id: Uid,
    token: Type.String({ description: 'Reads the state of the report; shown only once' }),
  }),
  errors: ['NOT_FOUND', 'REPORT_OPEN', 'MALFORMED', 'TOO_MANY_REQUESTS'],
  cache: 'no-store',
  handle: ({ core, who, ip, body: { good_faith, ...report } }) =>
    fileReport(core, { who, ip }, report as never),
})

export const readReportRoute = route({
  method: 'GET',
  url: `${REPORTS}/:report_id`,
  summary: 'Read the state of a report with its token',
  auth: viewer,
  params: Type.Object({ report_id: Type.String() }),
  query: Type.Object({
    token: Type.String({ default: '', description: 'The token of the report' }),
  }),
  data: Type.Object({
    report_id: Uid,
    target_type: OneOf(reportedTypes),
    kind: OneOf(reportKinds),
    state: OneOf(['open', 'decided']),
    outcome: Nullable(OneOf(['no_action', 'action_taken'])),
    created_at: Timestamp,
    decided_at: Nullable(Timestamp),
  }),
  errors: ['NOT_FOUND'],
  cache: 'no-store',
  async handle({ core, sql, params, query }) {
    const uid = params.report_id.toLowerCase()
    const may_read = isUuid(uid) && isReportToken(core, uid, query.token)
    const report = (may_read && (await readReport(sql, uid))) || refuse('NOT_FOUND')
    return {
      report_id: report.uid,
      target_type: report.target_type as (typeof reportedTypes)[number],
      kind: report.kind,
      state: report.decided_at ? ('decided' as const) : ('open' as const),
      outcome: outcomeOf(report.action) as 'no_action' | 'action_taken' | null,
      created_at: report.created_at.toISOString(),
      decided_at: report.decided_at?.toISOString() ?? null,
    }
  },
})

export const reportRoutes = [fileReportRoute, readReportRoute]
