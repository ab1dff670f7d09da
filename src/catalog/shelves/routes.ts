import { Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { Nullable, OneOf, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { overall } from '../../core/security/limits.ts'
import { operatingSystems } from '../../listings/fields/versions.ts'
import { CardData, showCard } from '../cards/cards.ts'
import { isShelf, readOs, SHELF_DEFAULT, SHELF_MOST, shelf, shelfKinds } from './shelves.ts'

export const readShelfRoute = route({
  method: 'GET',
  url: '/api/v1/public/shelves/:kind',
  summary: 'A shelf of listings, most of them in an order that changes every day (UTC)',
  description: `Kinds: ${shelfKinds.join(', ')}. With \`os\`, listings with a clean stable download for it.`,
  // Nobody sees another shelf for being signed in, but a bad token is told as everywhere.
  auth: viewer,
  limits: [overall(1200)],
  params: Type.Object({ kind: Type.String() }),
  query: Type.Object({
    os: Type.Optional(Type.String()),
    limit: Type.Integer({ minimum: 1, maximum: SHELF_MOST, default: SHELF_DEFAULT }),
  }),
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
      : refuse('NOT_FOUND', undefined, `There is no such shelf; try ${shelfKinds.join(', ')}`)
    const { rows, ...head } = await shelf(core, kind, readOs(query.os), query.limit, new Date())
    return { ...head, items: rows.map((row) => showCard(core.addresses, row)) }
  },
})
