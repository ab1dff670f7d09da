import { type Static, Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer } from '../../accounts/sessions/schemes.ts'
import type { Tx } from '../../core/database/sql.ts'
import { Body, Checked, CheckedBody, OneOf, route } from '../../core/http/route.ts'
import { combineRefusals, Refusal } from '../../core/runtime/errors.ts'
import { statuses } from '../fields/fields.ts'
import { changeListing } from './change.ts'
import { editListing } from './edit.ts'
import {
  dependencies,
  modSettings,
  parent,
  ranges,
  similar,
  taxonomy,
  translations,
} from './input-schemas.ts'
import {
  changeDependencies,
  changeModSettings,
  changeRanges,
  changeSimilar,
  changeTaxonomy,
} from './part-changes.ts'
import type { ListingFor } from './queries.ts'
import { GAMES, ListingParams } from './routes.ts'
import { type ListingRules, listingRules } from './store-rules.ts'

const text = Type.Optional(Type.String())

const PageBody = Body({
  text: Type.Optional(
    Body({
      name: text,
      tagline: text,
      description: text,
      demo_url: text,
      status: Type.Optional(OneOf(statuses)),
      translations: Type.Optional(Checked(translations)),
      parent: Type.Optional(Checked(parent)),
    }),
  ),
  taxonomy: Type.Optional(CheckedBody(taxonomy)),
  mod_settings: Type.Optional(CheckedBody(modSettings)),
  similar: Type.Optional(Checked(similar)),
  dependencies: Type.Optional(Checked(dependencies)),
  engine_compat: Type.Optional(Checked(ranges)),
})

type Edit = { tx: Tx; listing: ListingFor; who: Identity; rules: ListingRules }
type PartChange = (edit: Edit, value: never) => Promise<unknown>

/** How each part of the body is saved; its rules are those of the route for that part alone. */
const parts: Record<keyof Static<typeof PageBody>, PartChange> = {
  text: ({ tx, listing, who, rules }, patch: object) =>
    changeListing(tx, { who, listing, patch, rules }),
  taxonomy: ({ tx, listing }, values) => changeTaxonomy(tx, listing, values),
  mod_settings: ({ tx, listing }, values) => changeModSettings(tx, listing, values),
  similar: ({ tx, listing, who }, games) => changeSimilar(tx, listing, games, who),
  dependencies: ({ tx, listing, who }, links) => changeDependencies(tx, listing, links, who),
  engine_compat: ({ tx, listing }, ranges) => changeRanges(tx, listing, ranges),
}

/** Saves several parts of a page or none of them, and reports everything that is wrong at once. */
export const savePageRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/page`,
  summary: 'Save several parts of a page at once, all or none',
  description:
    'Parts that are left out do not change. ' +
    'A refusal lists every invalid field in `data.refusals`.',
  auth: developer('mcp:catalog.write'),
  params: ListingParams,
  body: PageBody,
  data: Type.Object({ saved: Type.Array(Type.String()) }),
  errors: [
    'NOT_FOUND',
    'LISTING_CHECK_FAILED',
    'INVALID_PARENT',
    'INVALID_TAXONOMY',
    'INVALID_MOD_SETTINGS',
    'INVALID_SIMILAR',
    'INVALID_DEPENDENCY',
    'INVALID_COMPAT',
  ],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, listing) => {
      const edit = { tx, listing, who, rules: listingRules(core.settings.current) }
      const names = (Object.keys(parts) as (keyof typeof parts)[]).filter(
        (name) => body[name] !== undefined,
      )
      const refusals: Refusal[] = []
      for (const name of names) refusals.push(...(await changePart(edit, parts[name], body[name])))
      const [first, ...others] = refusals
      if (first) throw combineRefusals([first, ...others])
      return { saved: names }
    }),
})

/**
 * Changes a part and returns why it was refused. The rules stop at the first invalid field, so the
 * part is tried again without that field until nothing else is wrong. Nothing of it is kept: any
 * refusal undoes the whole transaction.
 */
async function changePart(edit: Edit, change: PartChange, value: unknown): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  let rest = value
  for (;;) {
    try {
      await change(edit, rest as never)
      return refusals
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const field = String(error.data?.field ?? '').match(/^\w+/)?.[0]
      if (!refusals.some(({ data }) => data?.field === error.data?.field)) refusals.push(error)
      if (!field || !isRecord(rest) || !(field in rest)) return refusals
      rest = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== field))
    }
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
