import { Type } from 'typebox'
import { Body, Nullable, OneOf, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { overallShared, perAccount } from '../../core/security/limits.ts'
import { operator } from '../people/operator-access.ts'
import { optionalToken } from '../sessions/schemes.ts'
import {
  currentPolicy,
  isPolicyKind,
  policyInEffect,
  policyKinds,
  policyLimits,
} from './policies.ts'
import { publishPolicy } from './publish.ts'
import { listPolicyVersions, type PolicyVersion, readPolicyText } from './queries.ts'

const PUBLIC = '/api/v1/public/policies'
const OPERATIONS = '/api/v1/private/operations/policies'
const MAX_VERSION = 1_000_000

const Day = Type.String({
  format: 'date',
  description: 'The day from which it applies, in UTC, as 2027-01-31',
})
const Kind = OneOf(policyKinds)
const Version = Type.Object({
  version: Type.Integer({ description: 'From 1, one more for each version' }),
  summary: Type.String({ description: 'What changed; empty if the operator does not say' }),
  effective_from: Day,
  published_at: Timestamp,
})

const versionData = ({ version, summary, effective_from, published_at }: PolicyVersion) => ({
  version,
  summary,
  effective_from,
  published_at: published_at.toISOString(),
})

export const listPoliciesRoute = route({
  method: 'GET',
  url: PUBLIC,
  summary: 'List the policies that this store has published, such as its terms',
  auth: optionalToken,
  limits: overallShared(1200),
  data: Type.Object({
    policies: Type.Array(
      Type.Object({
        kind: Kind,
        ...Version.properties,
        url: Type.String({ description: 'The page for people' }),
      }),
      { description: 'The current version of each kind' },
    ),
  }),
  async handle({ core, sql }) {
    const versions = await listPolicyVersions(sql, null)
    const policies = policyKinds.flatMap((kind) => {
      const current = currentPolicy([...versions].reverse(), kind, new Date())
      const policy = versions.find((row) => row.kind === kind && row.version === current?.version)
      const url = `${core.addresses.web_url}/${kind}`
      return policy ? [{ kind, ...versionData(policy), url }] : []
    })
    return { policies }
  },
})

export const readPolicyRoute = route({
  method: 'GET',
  url: `${PUBLIC}/:policy`,
  summary: 'Read a policy of this store; the version in effect unless another is named',
  auth: optionalToken,
  limits: overallShared(1200),
  params: Type.Object({ policy: Type.String() }),
  query: Type.Object({
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_VERSION })),
  }),
  data: Type.Object({
    kind: Kind,
    ...Version.properties,
    text: Type.String({ description: 'Markdown' }),
    in_effect: Type.Boolean({ description: 'Whether this is the version that applies today' }),
    versions: Type.Array(Version, { description: 'All versions, newest first' }),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, params: { policy: kind }, query }) {
    if (!isPolicyKind(kind)) refuse('NOT_FOUND')
    const versions = await listPolicyVersions(sql, kind)
    const oldest_first = [...versions].reverse()
    const now = new Date()
    const number = query.version ?? currentPolicy(oldest_first, kind, now)?.version
    const version = versions.find((row) => row.version === number) ?? refuse('NOT_FOUND')
    const text = (await readPolicyText(sql, kind, version.version)) ?? refuse('NOT_FOUND')
    return {
      kind,
      ...versionData(version),
      text,
      in_effect: policyInEffect(oldest_first, kind, now)?.version === version.version,
      versions: versions.map(versionData),
    }
  },
})

export const listAllPoliciesRoute = route({
  method: 'GET',
  url: OPERATIONS,
  summary: 'For operators: all versions of the policies of the store',
  auth: operator,
  limits: [perAccount(60)],
  data: Type.Object({
    policies: Type.Array(
      Type.Object({
        kind: Kind,
        versions: Type.Array(
          Type.Object({ ...Version.properties, username: Nullable(Type.String()) }),
          { description: 'Newest first' },
        ),
      }),
      { description: 'Every kind, also those without a version' },
    ),
  }),
  async handle({ sql }) {
    const rows = await listPolicyVersions(sql, null)
    const policies = policyKinds.map((kind) => ({
      kind,
      versions: rows
        .filter((row) => row.kind === kind)
        .map((row) => ({ ...versionData(row), username: row.username })),
    }))
    return { policies }
  },
})

export const publishPolicyRoute = route({
  method: 'POST',
  url: OPERATIONS,
  summary: 'For operators: publish a new version of a policy',
  description: 'Versions are never changed or removed. People accept a new version of the terms.',
  auth: operator,
  limits: [perAccount(60)],
  body: Body({
    kind: Kind,
    text: Type.String({ maxLength: policyLimits.text, description: 'Markdown' }),
    summary: Type.Optional(
      Type.String({ maxLength: policyLimits.summary, description: 'What changed' }),
    ),
    effective_from: Type.Optional(
      Type.String({
        maxLength: 10,
        description: 'The day from which it applies, in UTC: today, or up to a year ahead',
      }),
    ),
    previous_version: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_VERSION,
        description:
          'The newest version that you know, 0 for none; 409 if another was published since',
      }),
    ),
  }),
  status: 201,
  data: Type.Object({ kind: Kind, version: Type.Integer(), effective_from: Day }),
  errors: ['CONFLICT'],
  handle: ({ core, who, body }) => publishPolicy(core, who.user_uid, body),
})

export const policyRoutes = [
  listPoliciesRoute,
  readPolicyRoute,
  listAllPoliciesRoute,
  publishPolicyRoute,
]
