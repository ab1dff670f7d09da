import { Type } from 'typebox'
import { anyone, route } from '../../core/http/route.ts'
import { overall, perIp } from '../../core/security/limits.ts'
import { sendPieces } from '../send-stream.ts'
import { Cursor } from '../sitemap/routes.ts'
import { exportLines } from './export.ts'

export const exportRoute = route({
  method: 'GET',
  url: '/api/v1/public/export',
  summary: 'The whole catalog as NDJSON: one indexable listing a line',
  description:
    'Lines come in an order that no edit changes. Each carries a `cursor`: send the last one you kept to go on after it, after a break or page by page with `limit`. Fewer lines than `limit` are the end.',
  auth: anyone,
  limits: [perIp(60), overall(600)],
  query: Type.Object({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  }),
  envelope: false,
  produces: 'application/x-ndjson',
  cache: 'no-cache',
  handle: (input) => {
    const { cursor = '0', limit = Number.POSITIVE_INFINITY } = input.query
    return sendPieces(
      input,
      'application/x-ndjson; charset=utf-8',
      exportLines(input.core, Number(cursor), limit),
    )
  },
})
