import { Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { Nullable, OneOf, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { overall } from '../../core/security/limits.ts'
import { operatingSystems } from '../../listings/fields/versions.ts'
import { CardData, showCard } from '../cards/cards.ts'
import { isShelf, shelfKinds } from './shelf-rules.ts'
import { loadShelf, readOs, SHELF_DEFAULT, SHELF_MAX } from './shelves.ts'

export const readShelfRoute = route({
  method: 'GET',
  url: '/api/v1/public/shelves/:kind',
  summary: 'Get a shelf of listings; most shelves are shuffled daily at midnight UTC',
  description: [
    `Kinds: ${shelfKinds.join(', ')}.`,
    'With `os`, only listings with a clean stable download for that operating system.',
  ].join(' '),
  // A shelf is the same for everyone, but an invalid token is rejected as everywhere.
  auth: viewer,
  limits: [overall(1200)],
  params: Type.Object({ kind: Type.String() }),
  query: Type.Object({
    os: Type.Optional(Type.String()),
    limit: Type.Integer({ minimum: 1, maximum: SHELF_MAX, default: SHELF_DEFAULT }),
  }),
  described: {
    params: { kind: OneOf(shelfKinds, { description: 'The shelf' }) },
    query: {
      os: Type.Optional(
        OneOf(operatingSystems, { description: 'Only listings for this operating system' }),
      ),
    },
  },
  data: Type.Object({
    kind: OneOf(shelfKinds),
    os: Nullable(OneOf(operatingSystems)),
    date: Type.String({ format: 'date' }),
    items: Type.Array(CardData),
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, params, query }) {
    const kind = isShelf(params.kind)
      ? params.kind
      : refuse('NOT_FOUND', undefined, `Unknown shelf; the shelves are ${shelfKinds.join(', ')}`)
    const { rows, ...shelf } = await loadShelf(core, kind, {
      os: readOs(query.os),
      limit: query.limit,
      now: new Date(),
    })
    return { ...shelf, items: rows.map((row) => showCard(core.addresses, row)) }
  },
})
