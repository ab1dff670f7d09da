import { Type } from 'typebox'
import { checkMayPublish } from '../accounts/people/suspension.ts'
import type { Identity } from '../accounts/sessions/identity.ts'
import { developer, player } from '../accounts/sessions/schemes.ts'
import { Body, Checked, route } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { perAccount } from '../core/security/limits.ts'
import { normalizeTag } from '../listings/fields/taxonomy.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { openPage } from '../listings/page/page.ts'
import { checkPlayedEnough, checkSuggestions, tagLimits } from './community-tags.ts'
import { requireHolding } from './copies.ts'
import { withLockedListing } from './copy-queries.ts'
import {
  listCommunityTags,
  readSuggestions,
  replaceSuggestions,
  setTagHidden,
} from './tag-queries.ts'

const params = Type.Object({ uid: Type.String() })

export const suggestTags = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/tag-suggestions',
  summary:
    'Suggest tags for a game that you own and played for an hour; replaces your earlier ones',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params,
  body: Body({
    tags: Checked(
      Type.Array(Type.String(), {
        maxItems: tagLimits.suggestions,
        description: 'Your tags; an empty list removes them',
      }),
    ),
  }),
  data: Type.Object({ tags: Type.Array(Type.String()) }),
  errors: ['NOT_FOUND', 'COPY_REQUIRED', 'NOT_PLAYED_ENOUGH', 'INVALID_COMMUNITY_TAG'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await requireMaySuggest(core, who, params.uid)
    const tags = checkSuggestions(body.tags)
    const replaced = await withLockedListing(sql, uid, (tx) =>
      replaceSuggestions(tx, who.user_uid, uid, tags),
    )
    if (!replaced) refuse('NOT_FOUND')
    return { tags }
  },
})

async function requireMaySuggest(core: Core, who: Identity, uid_or_name: string) {
  checkMayPublish(who)
  const listing = await openPage(core, who, uid_or_name)
  const { source, play_seconds } = await requireHolding(core.sql, who, listing)
  if (!source) refuse('COPY_REQUIRED')
  checkPlayedEnough(play_seconds)
  return listing
}

export const suggestOneTag = route({
  method: 'PATCH',
  url: '/api/v1/private/games/:uid/tag-suggestions',
  summary: 'Add or remove one of your suggested tags; the others stay',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params,
  body: Body({ tag: Checked(Type.String()), remove: Type.Optional(Type.Boolean()) }),
  data: Type.Object({ tags: Type.Array(Type.String()) }),
  errors: ['NOT_FOUND', 'COPY_REQUIRED', 'NOT_PLAYED_ENOUGH', 'INVALID_COMMUNITY_TAG'],
  async handle({ core, sql, who, params, body: { tag, remove = false } }) {
    const { uid } = await requireMaySuggest(core, who, params.uid)
    const [changed] = checkSuggestions([tag]) as [string]
    const tags = await withLockedListing(sql, uid, async (tx) => {
      const current = await readSuggestions(tx, who.user_uid, uid)
      const others = current.filter((suggestion) => suggestion !== changed)
      const suggestions = checkSuggestions(remove ? others : [...others, changed])
      await replaceSuggestions(tx, who.user_uid, uid, suggestions)
      return suggestions
    })
    return { tags: tags ?? refuse('NOT_FOUND') }
  },
})

export const readCommunityTags = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/community-tags',
  summary: 'List the tags that players suggest for your listing, most votes first',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params,
  data: Type.Object({
    tags: Type.Array(
      Type.Object({
        tag: Type.String(),
        votes: Type.Integer(),
        hidden: Type.Boolean(),
        shown: Type.Boolean(),
      }),
    ),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return { tags: await listCommunityTags(sql, uid) }
  },
})

export const hideCommunityTag = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/community-tags/:tag',
  summary: 'Hide a suggested tag on your page, or show it again; its votes stay',
  auth: developer('mcp:catalog.write'),
  params: Type.Object({ uid: Type.String(), tag: Type.String() }),
  body: Body({ hidden: Type.Boolean() }),
  data: Type.Object({ tag: Type.String(), hidden: Type.Boolean() }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, body: { hidden } }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const tag = normalizeTag(params.tag)
    const changed =
      tag && (await withLockedListing(sql, uid, (tx) => setTagHidden(tx, uid, tag, hidden)))
    if (!changed)
      refuse(
        'NOT_FOUND',
        { field: 'tag' },
        explain('no_suggestion', 'tag: nobody suggested this tag'),
      )
    return { tag, hidden }
  },
})

export const communityTagRoutes = [suggestTags, suggestOneTag, readCommunityTags, hideCommunityTag]
