import { Type } from 'typebox'
import type { Identity } from '../accounts/sessions/identity.ts'
import { developer, player } from '../accounts/sessions/schemes.ts'
import { Body, route } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { perAccount } from '../core/security/limits.ts'
import { normalizeTag } from '../listings/fields/taxonomy.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { openPage } from '../listings/page/page.ts'
import { holdingOf } from './copy.ts'
import { checkPlayedEnough, checkSuggestions } from './library-rules.ts'
import { onPage } from './queries.ts'
import { communityTags, readSuggestions, replaceSuggestions, setTagHidden } from './tag-queries.ts'

const params = Type.Object({ uid: Type.String() })

export const suggestTags = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/tag-suggestions',
  summary:
    'Suggest up to five tags for a game you own and played for an hour; replaces what you suggested before',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params,
  body: Body({
    tags: Type.Unknown({ description: 'Up to five tags; an empty list takes them back' }),
  }),
  data: Type.Object({ tags: Type.Array(Type.String()) }),
  errors: ['NOT_FOUND', 'COPY_REQUIRED', 'NOT_PLAYED_ENOUGH', 'INVALID_COMMUNITY_TAG'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await openToSuggest(core, who, params.uid)
    const tags = checkSuggestions(body.tags)
    if (!(await onPage(sql, uid, (tx) => replaceSuggestions(tx, who.user_uid, uid, tags))))
      refuse('NOT_FOUND')
    return { tags }
  },
})

async function openToSuggest(core: Core, who: Identity, ref: string) {
  const listing = await openPage(core, who, ref)
  const { source, play_seconds } = await holdingOf(core.sql, who, listing)
  if (!source) refuse('COPY_REQUIRED')
  checkPlayedEnough(play_seconds)
  return listing
}

export const suggestOneTag = route({
  method: 'PATCH',
  url: '/api/v1/private/games/:uid/tag-suggestions',
  summary: 'Suggest one more tag, or take one back; your others stay',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params,
  body: Body({ tag: Type.Unknown(), remove: Type.Optional(Type.Boolean()) }),
  data: Type.Object({ tags: Type.Array(Type.String()) }),
  errors: ['NOT_FOUND', 'COPY_REQUIRED', 'NOT_PLAYED_ENOUGH', 'INVALID_COMMUNITY_TAG'],
  async handle({ core, sql, who, params, body: { tag, remove = false } }) {
    const { uid } = await openToSuggest(core, who, params.uid)
    const [named] = checkSuggestions([tag]) as [string]
    const tags = await onPage(sql, uid, async (tx) => {
      const others = (await readSuggestions(tx, who.user_uid, uid)).filter((one) => one !== named)
      const wanted = checkSuggestions(remove ? others : [...others, named])
      await replaceSuggestions(tx, who.user_uid, uid, wanted)
      return wanted
    })
    return { tags: tags ?? refuse('NOT_FOUND') }
  },
})

export const readCommunityTags = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/community-tags',
  summary: 'What players suggest for your listing, most votes first',
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
    return { tags: await communityTags(sql, uid) }
  },
})

export const hideCommunityTag = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/community-tags/:tag',
  summary: 'Hide a suggested tag from your page, or show it again; its votes stay',
  auth: developer('mcp:catalog.write'),
  params: Type.Object({ uid: Type.String(), tag: Type.String() }),
  body: Body({ hidden: Type.Boolean() }),
  data: Type.Object({ tag: Type.String(), hidden: Type.Boolean() }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, body: { hidden } }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const tag = normalizeTag(params.tag)
    if (!tag || !(await onPage(sql, uid, (tx) => setTagHidden(tx, uid, tag, hidden))))
      refuse('NOT_FOUND', { field: 'tag' }, 'tag: nobody suggested this one')
    return { tag, hidden }
  },
})
