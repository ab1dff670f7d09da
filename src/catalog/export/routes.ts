import { Type } from 'typebox'
import { optionalToken } from '../../accounts/sessions/schemes.ts'
import { route } from '../../core/http/route.ts'
import { overallShared } from '../../core/security/limits.ts'
import { Cursor } from '../sitemap/routes.ts'
import { streamText } from '../stream-response.ts'
import { exportLines } from './export.ts'

export const exportRoute = route({
  method: 'GET',
  url: '/api/v1/public/export',
  summary: 'Export the catalog as NDJSON, one indexable listing per line',
  description: [
    'The order of lines never changes. Each line contains a `cursor`.',
    'Send the last `cursor` you stored to continue after it, for example after a disconnect or',
    'page by page with `limit`. The export ends when it returns fewer lines than `limit`.',
  ].join(' '),
  auth: optionalToken,
  limits: overallShared(600),
  query: Type.Object({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  }),
  envelope: false,
  produces: 'application/x-ndjson',
  cache: 'no-cache',
  handle: (input) => {
    const { cursor = '0', limit = Number.POSITIVE_INFINITY } = input.query
    return streamText(
      input,
      'application/x-ndjson; charset=utf-8',
      exportLines(input.core, Number(cursor), limit),
    )
  },
})
