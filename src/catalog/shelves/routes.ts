import { Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { Nullable, OneOf, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { overallShared } from '../../core/security/limits.ts'
import { operatingSystems } from '../../listings/fields/platforms.ts'
import { CardData, showCard } from '../cards/cards.ts'
import { dateOf } from './daily-order.ts'
import { loadPicks, PICKS } from './picks.ts'
import { isShelf, shelfKinds } from './shelf-rules.ts'
import { loadShelf, readOs, SHELF_DEFAULT, SHELF_MAX } from './shelves.ts'

const kinds = [...shelfKinds, PICKS] as const

/** The shelf of the operators has every listing, whatever systems it is for. */
async function readPicks(core: Core, limit: number) {
  const rows = await loadPicks(core, limit)
  const items = rows.map(({ note, ...row }) => ({ ...showCard(core.addresses, row), note }))
  return { kind: PICKS, os: null, date: dateOf(new Date()), items } as const
}

export const readShelfRoute = route({
  method: 'GET',
  url: '/api/v1/public/shelves/:kind',
  summary: 'Get a shelf of listings; most shelves are shuffled daily at midnight UTC',
  description: [
    `Kinds: ${kinds.join(', ')}.`,
    'The operators fill editors_picks by hand; each of its items has a `note`.',
    'With `os`, only listings with a clean stable download for that operating system.',
  ].join(' '),
  // A shelf is the same for everyone, but an invalid token is rejected as everywhere.
  auth: viewer,
  limits: overallShared(1200),
  params: Type.Object({ kind: Type.String() }),
  query: Type.Object({
    os: Type.Optional(Type.String()),
    limit: Type.Integer({ minimum: 1, maximum: SHELF_MAX, default: SHELF_DEFAULT }),
  }),
  described: {
    params: { kind: OneOf(kinds, { description: 'The shelf' }) },
    query: {
      os: Type.Optional(
        OneOf(operatingSystems, { description: 'Only listings for this operating system' }),
      ),
    },
  },
  data: Type.Object({
    kind: OneOf(kinds),
    os: Nullable(OneOf(operatingSystems)),
    date: Type.String({ format: 'date' }),
    items: Type.Array(
      Type.Object({
        ...CardData.properties,
        note: Type.Optional(Type.String({ description: 'What the operators say about a pick' })),
      }),
    ),
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, params, query }) {
    if (params.kind === PICKS) return readPicks(core, query.limit)
    const kind = isShelf(params.kind)
      ? params.kind
      : refuse('NOT_FOUND', undefined, `Unknown shelf; the shelves are ${kinds.join(', ')}`)
    const { rows, ...shelf } = await loadShelf(core, kind, {
      os: readOs(query.os),
      limit: query.limit,
      now: new Date(),
    })
    return { ...shelf, items: rows.map((row) => showCard(core.addresses, row)) }
  },
})
