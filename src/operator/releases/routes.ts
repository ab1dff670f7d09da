import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { transact } from '../../core/database/transaction.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { assetTypes } from '../../listings/fields/fields.ts'
import { changeListing } from '../../listings/listing/change.ts'
import { enforceListingCheck } from '../../listings/listing/edit.ts'
import { lockListing } from '../../listings/listing/queries.ts'
import { listingRules } from '../../listings/listing/store-rules.ts'
import { showPage } from '../../listings/page/page.ts'
import { seenAdultChildren } from '../../listings/page/parent-and-children.ts'
import { readPage } from '../../listings/page/queries.ts'
import { PageData } from '../../listings/page/schema.ts'
import {
  decideRelease,
  findReleaseRow,
  listReleases,
  type ReleaseRow,
} from '../../listings/publishing/release-queries.ts'
import { releaseStates } from '../../listings/publishing/releases.ts'

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
    decision: OneOf(['approve', 'decline']),
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
  ],
  async handle({ core, who, params, body }) {
    const is_approved = body.decision === 'approve'
    const reason = body.reason.trim()
    if (!is_approved && !reason)
      refuse('MALFORMED', { field: 'reason' }, explain('required', 'reason: say why'))
    return transact(core.sql, async (tx) => {
      const listing = (await lockListing(tx, params.game_uid, null)) ?? refuse('NOT_FOUND')
      const { uid: game_uid } = listing
      const state = is_approved ? 'approved' : 'declined'
      const before = (await findReleaseRow(tx, game_uid)) ?? refuse('NOT_FOUND')
      if (is_approved && body.version !== undefined && body.version !== before.version)
        refuse('CONFLICT', { version: before.version }, CHANGED)
      if (!(await decideRelease(tx, { game_uid, state, reason, decided_by: who.user_uid })))
        refuse('CONFLICT', { state: before.state }, DECIDED)
      if (is_approved) {
        const rules = listingRules(core.settings.current)
        const patch = { visibility: 'public' as const }
        await enforceListingCheck(tx, listing, () =>
          changeListing(tx, { who, listing, patch, rules }),
        )
      }
      await core.jobs.send(tx, 'listings.mail-release-decision', { game_uid, id: uuidv7() })
      return showRelease((await findReleaseRow(tx, game_uid))!)
    })
  },
})

const DECIDED = explain('release_decided', 'This release was decided already')
const CHANGED = explain('release_changed', 'The listing changed since you opened it; look again')

export const releaseRoutes = [listReleasesRoute, readReleaseRoute, decideReleaseRoute]
