import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { assetTypes } from '../../listings/fields/fields.ts'
import { showPage } from '../../listings/page/page.ts'
import { seenAdultChildren } from '../../listings/page/parent-and-children.ts'
import { readPage } from '../../listings/page/queries.ts'
import { PageData } from '../../listings/page/schema.ts'
import {
  findReleaseRow,
  listReleases,
  type ReleaseRow,
} from '../../listings/publishing/release-queries.ts'
import { releaseStates } from '../../listings/publishing/releases.ts'
import { decideHeldRelease, releaseDecisions } from './decide.ts'

const RELEASES = '/api/v1/private/operations/releases'
const MAX_REASON = 1000
const params = Type.Object({ game_uid: Type.String() })

const ReleaseData = Type.Object({
  game_uid: Uid,
  name: Type.String(),
  vanity_name: Type.String(),
  asset_type: OneOf(assetTypes),
  username: Type.String({ description: 'The owner' }),
  version: Type.Integer({ description: 'Changes with every change of the page' }),
  state: OneOf(releaseStates),
  requested_at: Timestamp,
  reason: Type.String({ description: 'What the operators answered' }),
  decided_at: Nullable(Timestamp),
  decided_by: Nullable(Type.String()),
})
nameSchemas({ HeldRelease: ReleaseData })

const showRelease = ({ requested_at, decided_at, ...row }: ReleaseRow) => ({
  ...row,
  requested_at: requested_at.toISOString(),
  decided_at: decided_at?.toISOString() ?? null,
})

export const listReleasesRoute = route({
  method: 'GET',
  url: RELEASES,
  summary: 'For operators: first releases that wait for a review, or were decided',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object({
    state: OneOf(releaseStates, { default: 'waiting' }),
    ...pageQuery,
  }),
  data: Type.Object({ items: Type.Array(ReleaseData), ...pageData }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await listReleases(sql, query.state, window)
    return { items: rows.map(showRelease), total, page, page_size }
  },
})

export const readReleaseRoute = route({
  method: 'GET',
  url: `${RELEASES}/:game_uid`,
  summary: 'For operators: a first release with its page as visitors will see it',
  auth: operator,
  limits: [perAccount(60)],
  params,
  data: Type.Object({ ...ReleaseData.properties, page: PageData }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const release = (await findReleaseRow(sql, params.game_uid)) ?? refuse('NOT_FOUND')
    const row = (await readPage(sql, release.game_uid, release.owner_uid)) ?? refuse('NOT_FOUND')
    const seen_adult = await seenAdultChildren(sql, who, [row])
    const page = showPage(core.addresses, row, seen_adult(release.game_uid))
    return { ...showRelease(release), page }
  },
})

export const decideReleaseRoute = route({
  method: 'POST',
  url: `${RELEASES}/:game_uid`,
  summary: 'For operators: publish a first release, or decline it with a reason',
  description:
    'The owner is mailed. With `version`, a listing that changed since then is not published.',
  auth: operator,
  limits: [perAccount(60)],
  params,
  body: Body({
    decision: OneOf(releaseDecisions),
    reason: Type.String({
      maxLength: MAX_REASON,
      default: '',
      description: 'Mailed to the owner; needed to decline',
    }),
    version: Type.Optional(Type.Integer()),
  }),
  data: ReleaseData,
  errors: [
    'NOT_FOUND',
    'CONFLICT',
    'LISTING_CHECK_FAILED',
    'EMAIL_NOT_VERIFIED',
    'PUBLISHING_NOT_ALLOWED',
    'ADULT_CONTENT_OFF',
    'PAID_LISTINGS_OFF',
    'PAYMENT_ACCOUNT_REQUIRED',
  ],
  handle: async ({ core, who, params, body }) =>
    showRelease(await decideHeldRelease(core, who, params.game_uid, body)),
})

export const releaseRoutes = [listReleasesRoute, readReleaseRoute, decideReleaseRoute]
