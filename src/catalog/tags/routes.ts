import { Type } from 'typebox'
import { optionalToken } from '../../accounts/sessions/schemes.ts'
import { route } from '../../core/http/route.ts'
import { overallShared } from '../../core/security/limits.ts'
import { popularTags, readPrefix, TAGS_DEFAULT, TAGS_MAX } from './tags.ts'

export const popularTagsRoute = route({
  method: 'GET',
  url: '/api/v1/public/tags/popular',
  summary: 'List the most used tags of public listings with their counts',
  auth: optionalToken,
  limits: overallShared(1200),
  query: Type.Object({
    prefix: Type.String({ default: '', description: 'Only tags with this prefix' }),
    limit: Type.Integer({ default: TAGS_DEFAULT, description: `At most ${TAGS_MAX}` }),
  }),
  data: Type.Object({
    tags: Type.Array(Type.Object({ tag: Type.String(), count: Type.Integer() })),
  }),
  async handle({ core, query }) {
    const limit = Math.min(Math.max(query.limit, 1), TAGS_MAX)
    return { tags: await popularTags(core, readPrefix(query.prefix), limit) }
  },
})
