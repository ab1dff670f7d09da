import { Type } from 'typebox'
import { grantRoute } from '../../library/copy-routes.ts'
import { deleteEditionRoute, listEditions } from '../../listings/editions/routes.ts'
import { edition, price_cents } from '../../listings/listing/input-schemas.ts'
import { changePriceRoute } from '../../listings/listing/routes.ts'
import { upsertEdition } from './composed-tools.ts'
import { salesOf } from './sales.ts'
import type { Tool } from './tool.ts'

const optional = Type.Optional

/** Prices, editions and copies. */
export const priceTools: Tool[] = [
  {
    name: 'set_game_price',
    title: 'Set the price',
    description:
      'Sets the price of a listing in US cents. If editions are on sale, change those with ' +
      'upsert_sku instead.',
    calls: [changePriceRoute],
    input: { price_cents },
  },
  {
    name: 'list_skus',
    title: 'Editions',
    description: 'Lists all editions of a listing with their prices, including those off sale.',
    calls: [listEditions],
  },
  {
    name: 'upsert_sku',
    title: 'Add or update an edition',
    description:
      'Adds or changes an edition of a listing. With sku_uid, changes the given fields of that ' +
      'edition. Without, adds an edition, which needs slug, name and price_cents. The listing ' +
      'then shows the price of its cheapest active edition.',
    input: {
      uid: Type.String(),
      sku_uid: optional(Type.String()),
      ...edition,
    },
    ...upsertEdition,
  },
  {
    name: 'delete_sku',
    title: 'Retire an edition',
    description:
      'Retires an edition of a listing: it is no longer sold. Players who own it keep it.',
    calls: [deleteEditionRoute],
    names: { sku_uid: 'edition_uid' },
    destructive: true,
  },
  {
    name: 'get_sales',
    title: 'Sales and payouts',
    description:
      'Reads what a listing sold by day, country, discovery and edition (sales), its paid orders ' +
      'without buyers (orders), or your balance and payouts (payouts).',
    ...salesOf,
  },
  {
    name: 'grant_copy',
    title: 'Give a copy',
    description:
      'Gives a player a copy of a listing, as if they had bought it. Only the owner can.',
    calls: [grantRoute],
    about: { username: 'The name of the player' },
  },
]
