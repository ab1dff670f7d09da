import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { keptStoreLink, type StoreLink } from '../../listings/fields/store-links.ts'
import { checkTaxonomy } from '../../listings/fields/taxonomy.ts'
import { changeListing, type Patch } from '../../listings/listing/change.ts'
import { type ListingFor, updateListing } from '../../listings/listing/queries.ts'
import { readStoreLinks, replaceStoreLinks } from '../../listings/listing/store-link-queries.ts'
import { listingRules } from '../../listings/listing/store-rules.ts'
import { replaceImages } from '../../listings/media/edit.ts'
import { checkPressKit } from '../../press/kit-rules.ts'
import { readKit, replaceKit } from '../../press/queries.ts'
import { type Field, groups } from './fields.ts'
import type { ImportedImages } from './mapping.ts'
import type { Plan } from './plan.ts'

type ImportWrite = {
  core: Core
  tx: Tx
  who: Identity
  /** Locked by the caller. */
  listing: ListingFor
  plan: Plan
  images: ImportedImages | undefined
}

/** Writes the imported fields of a plan, each through the module that owns it. */
export async function writePlan(write: ImportWrite): Promise<void> {
  const { core, tx, who, listing, plan, images } = write
  const values = new Map<Field, unknown>(plan.imported.map(({ field, value }) => [field, value]))
  const pick = (...names: readonly Field[]) =>
    Object.fromEntries(
      names.flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : [])),
    )
  const patch = pick('name', 'tagline', 'description', 'status', 'adult', 'price_cents') as Patch
  const rules = listingRules(core.settings.current)
  await changeListing(tx, { who, listing, patch, rules })
  await updateListing(
    tx,
    listing.uid,
    checkTaxonomy(pick(...groups.taxonomy, 'content_warnings'), listing),
  )
  await writePress(tx, listing.uid, pick(...groups.press))
  if (values.has('store_link'))
    await writeStoreLink(tx, listing.uid, values.get('store_link') as string)
  if (images) await replaceImages(core, tx, listing.uid, selectImages(values, images))
}

async function writePress(tx: Tx, game_uid: string, change: object): Promise<void> {
  if (!Object.keys(change).length) return
  await replaceKit(tx, game_uid, {
    ...checkPressKit({}),
    ...(await readKit(tx, game_uid)),
    ...change,
  })
}

/** Keeps the links to other stores. */
async function writeStoreLink(tx: Tx, game_uid: string, url: string): Promise<void> {
  const others = (await readStoreLinks(tx, game_uid)).filter(
    ({ platform }) => platform !== 'store_01',
  )
  const links: StoreLink[] = [{ platform: 'store_01' as const, url }, ...others].map(keptStoreLink)
  await replaceStoreLinks(tx, game_uid, links)
}

function selectImages(
  values: Map<Field, unknown>,
  { cover, thumbnail, gallery }: ImportedImages,
): Parameters<typeof replaceImages>[3] {
  return {
    ...(values.has('cover') && cover ? { cover } : {}),
    ...(values.has('thumbnail') && thumbnail ? { thumbnail } : {}),
    ...(values.has('gallery') ? { gallery: gallery.map(({ image }) => image) } : {}),
  }
}
