import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { requireDeveloperMode } from '../../accounts/people/developer-terms.ts'
import { isDeveloper } from '../../accounts/people/queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse, refuseAndLog } from '../../core/runtime/errors.ts'
import { type Explanation, explain, withMessage } from '../../core/runtime/reasons.ts'
import { MAX_DESCRIPTION } from '../../listings/fields/text.ts'
import { addListing } from '../../listings/listing/create.ts'
import { editListing, findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import { type ListingFor, readListing } from '../../listings/listing/queries.ts'
import { listingRules } from '../../listings/listing/store-rules.ts'
import { removeUnused } from '../../listings/media/edit.ts'
import { unusedContent } from '../../listings/media/queries.ts'
import { storeImage } from '../../listings/media/store.ts'
import { imageKey } from '../../listings/media/url.ts'
import { checkAssetType } from '../../listings/publishing/allowed-content.ts'
import { appUrl, readAppId, type StoreApp } from '../client/steam.ts'
import { findCoveredApp, readGamePage, readTags, refuseIfUnavailable } from '../client/store.ts'
import { enableSignIn, linkOf } from '../sign-in/keys.ts'
import { WEB_API_KEY } from '../sign-in/queries.ts'
import { type LinkRow, linkApp, readLink } from '../sign-in/settings-queries.ts'
import { forgetKeys } from '../sign-in/sign-in.ts'
import { checkWebApiKey } from '../sign-in/ticket-rules.ts'
import { checkGroups, type Group, notImported } from './fields.ts'
import { htmlToMarkdown, htmlToText } from './html-markdown.ts'
import { readScreenshots, type Screenshot, type StoreImage } from './images.ts'
import { candidates, type StoreData, storeCredits } from './mapping.ts'
import { fingerprintsAfter, type ImportOptions, type Plan, planImport } from './plan.ts'
import { previewImages } from './preview-images.ts'
import { findLinkedListing, saveLastImport } from './queries.ts'
import { newTarget, readTarget, type Target } from './target.ts'
import { writePlan } from './write.ts'

/** The body of a request. Its fields are checked here, to refuse them with the import's code. */
export type ImportBody = {
  app_id?: unknown
  web_api_key?: unknown
  game_uid?: string
  groups?: unknown
  overwrite?: boolean
}
type ImportRequest = ImportOptions & {
  app_id: number
  web_api_key: string
  listing: ListingFor | undefined
  /** When the request arrived. A link that is removed during the import is not restored. */
  was_linked: boolean
}

export type ImportReport = Plan & { not_imported: typeof notImported; screenshots: Screenshot[] }
type Fetched = { data: StoreData; screenshots: Screenshot[] }

const toReport = (plan: Plan, { screenshots }: Fetched): ImportReport => ({
  ...plan,
  not_imported: notImported,
  screenshots,
})

export async function previewImport(core: Core, who: Identity, body: ImportBody) {
  const request = await readRequest(core, who, body, { allow_saved_key: true })
  const previews = previewImages()
  const fetched = await fetchApp(core, request, previews.store)
  const { listing, app_id } = request
  const target = listing ? await readTarget(core, core.sql, listing, app_id) : newTarget
  const plan = createPlan(core, fetched.data, target, request)
  const { uid = null, vanity_name = null, name = importedName(plan) } = listing ?? {}
  return {
    ...toReport(plan, fetched),
    screenshots: previews.addTo(fetched.screenshots, fetched.data.images),
    target: { game_uid: uid, vanity_name, name, created: !listing },
  }
}

/** The plan for a new listing always includes a name. */
const importedName = ({ imported }: Plan) =>
  imported.find(({ field }) => field === 'name')!.value as string

export async function importApp(
  core: Core,
  who: Identity,
  body: ImportBody & { enable_auth?: boolean },
) {
  const request = await readRequest(core, who, body, { allow_saved_key: false })
  return runImport(core, who, request, {
    verb: 'import',
    enable_auth: body.enable_auth === true,
  })
}

/** Imports the linked app again, with the key of the request, or the saved one if sign-in is on. */
export async function resync(
  core: Core,
  who: Identity,
  uid_or_name: string,
  body: Omit<ImportBody, 'app_id' | 'game_uid'>,
) {
  requireDeveloperMode(await isDeveloper(core.sql, who))
  const { game_uid, app_id, enabled } = await linkOf(core, who, uid_or_name)
  const groups = checkGroups(body.groups)
  const saved =
    isEmpty(body.web_api_key) && enabled
      ? await core.secrets.get(core.sql, game_uid, WEB_API_KEY)
      : undefined
  if (isEmpty(body.web_api_key) && !saved)
    invalidField(
      'web_api_key',
      explain(
        'publisher_key_missing',
        'required, because no publisher key is saved for this listing',
      ),
    )
  const web_api_key = saved ?? readKey(body.web_api_key)
  const listing = await findForEditor(core.sql, who, game_uid)
  const request = {
    app_id,
    web_api_key,
    groups,
    overwrite: body.overwrite === true,
    listing,
    was_linked: true,
  }
  return runImport(core, who, request, { verb: 'resync', enable_auth: false })
}

const invalidField = (field: string, explanation: Explanation): never =>
  refuse(
    'INVALID_EXTSTORE_REQUEST',
    { field },
    withMessage(explanation, (message) => `${field}: ${message}`),
  )
const readKey = (value: unknown): string =>
  typeof value === 'string'
    ? checkWebApiKey(value)
    : invalidField(
        'web_api_key',
        explain('publisher_key', 'must be a publisher key of 32 characters, 0-9 and A-F'),
      )

const isEmpty = (key: unknown) =>
  key === undefined || key === null || (typeof key === 'string' && key.trim() === '')

async function readRequest(
  core: Core,
  who: Identity,
  body: ImportBody,
  { allow_saved_key }: { allow_saved_key: boolean },
): Promise<ImportRequest> {
  requireDeveloperMode(await isDeveloper(core.sql, who))
  const app_id =
    readAppId(core.config, body.app_id) ??
    invalidField(
      'app_id',
      explain('app_id', 'must be the number of an app, or a link to its store page'),
    )
  const listing =
    body.game_uid === undefined ? undefined : await findForEditor(core.sql, who, body.game_uid)
  const saved =
    allow_saved_key && listing && isEmpty(body.web_api_key)
      ? await readSavedKey(core, listing.uid, app_id)
      : undefined
  const web_api_key = saved ?? readKey(body.web_api_key)
  const was_linked = listing !== undefined && (await readLink(core.sql, listing.uid)) !== undefined
  return {
    app_id,
    web_api_key,
    groups: checkGroups(body.groups),
    overwrite: body.overwrite === true,
    listing,
    was_linked,
  }
}

/** The key that a resync would use, so that it can be previewed. */
async function readSavedKey(
  core: Core,
  game_uid: string,
  app_id: number,
): Promise<string | null | undefined> {
  const link = await readLink(core.sql, game_uid)
  return link?.enabled && link.app_id === app_id
    ? core.secrets.get(core.sql, game_uid, WEB_API_KEY)
    : undefined
}

/**
 * Fetches everything an import needs. The key is checked first, so that only the publisher learns
 * whether the app is linked to another listing.
 */
async function fetchApp(
  core: Core,
  { app_id, web_api_key, groups, listing }: ImportRequest,
  store: StoreImage,
): Promise<Fetched & { app: StoreApp }> {
  const app = await findCoveredApp(core, web_api_key, app_id)
  await requireUnlinked(core, app_id, listing)
  const page = await readGamePage(core, app_id)
  const includes = (group: Group) => groups.includes(group)
  const tags = includes('taxonomy') || includes('age') ? await readTags(core, app_id) : undefined
  const fetched_images = includes('images')
    ? await refuseIfUnavailable(core, () => readScreenshots(core, page.screenshots, store))
    : undefined
  const data = {
    app: { ...app, url: appUrl(app_id) },
    page,
    tags,
    tagline: await htmlToText(page.short_text),
    description: await htmlToMarkdown(page.long_text, MAX_DESCRIPTION),
    images: fetched_images?.images,
  }
  return { app, data, screenshots: fetched_images?.screenshots ?? [] }
}

async function requireUnlinked(
  core: Core,
  app_id: number,
  listing: ListingFor | undefined,
): Promise<void> {
  const linked_uid = await findLinkedListing(core.sql, app_id)
  const link = listing && (await readLink(core.sql, listing.uid))
  if ((linked_uid && linked_uid !== listing?.uid) || (link && link.app_id !== app_id))
    refuse('EXTSTORE_APP_TAKEN')
}

const createPlan = (
  core: Core,
  data: StoreData,
  { state, current }: Target,
  options: ImportOptions,
): Plan => {
  const rules = listingRules(core.settings.current)
  if (current.is_new) checkAssetType('game', rules)
  const plan = planImport(candidates(data, state, rules), current, options)
  const marks_adult = plan.imported.some(({ field, value }) => field === 'adult' && value === true)
  if (marks_adult && !state.adult && !rules.adult_content)
    refuse('ADULT_CONTENT_OFF', { field: 'adult' })
  return plan
}

/**
 * Fetches and stores everything before the single transaction that publishes it. If that fails, the
 * stored images are removed.
 */
async function runImport(
  core: Core,
  who: Identity,
  request: ImportRequest,
  { verb, enable_auth }: { verb: 'import' | 'resync'; enable_auth: boolean },
) {
  const stored = new Set<string>()
  const store: StoreImage = async ({ image: { sha256 }, bytes }) => {
    if (!(await core.storage.stat(imageKey(sha256)))) stored.add(sha256)
    await storeImage(core.storage, sha256, bytes)
  }
  try {
    const fetched = await fetchApp(core, request, store)
    const link = async (tx: Tx, game_uid: string) => {
      if (request.was_linked && !(await readLink(tx, game_uid))) refuse('EXTSTORE_NOT_LINKED')
      if (!(await linkApp(tx, game_uid, fetched.app))) refuse('EXTSTORE_APP_TAKEN')
      if (enable_auth) await enableOrUpdateSignIn(core, tx, game_uid, request.web_api_key)
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid,
        action: `extstore.${verb}`,
        detail: { app_id: request.app_id },
      })
    }
    const saved = await save({ core, who, request, fetched, link })
    if (enable_auth) forgetKeys(core, saved.game_uid)
    return { ...saved, created: !request.listing }
  } catch (error) {
    if (error instanceof Refusal) throw error
    return refuseAndLog(
      { fields: { err: error }, message: 'an import could not be saved; nothing was changed' },
      'UNAVAILABLE',
      undefined,
      explain('import_not_saved', 'The import could not be saved. Nothing was changed. Try again.'),
    )
  } finally {
    await removeUnusedImages(core, [...stored])
  }
}

/** Removes the images of this import that no listing uses: after a failure, all of them. */
async function removeUnusedImages(core: Core, stored: string[]): Promise<void> {
  try {
    for (const sha256 of await unusedContent(core.sql, stored)) await removeUnused(core, sha256)
  } catch (error) {
    core.log.warn(
      { err: error },
      'could not remove unused images of an import; the sweep removes them',
    )
  }
}

type Saving = {
  core: Core
  who: Identity
  request: ImportRequest
  fetched: Fetched
  link: (tx: Tx, game_uid: string) => Promise<void>
}

function save({ core, who, request, fetched, link }: Saving) {
  const { data } = fetched
  const { app_id } = request

  async function apply(tx: Tx, listing: ListingFor, target: Target, plan: Plan) {
    await writePlan({ core, tx, who, listing, plan, images: data.images })
    const updated = (await readListing(tx, listing.uid, who.user_uid))!
    const { current } = await readTarget(core, tx, updated, app_id)
    const has_credits = plan.imported.some(({ field }) => field === 'credits')
    await saveLastImport(tx, listing.uid, app_id, {
      marks: fingerprintsAfter(plan, target.current.fingerprints, current),
      credits: has_credits ? storeCredits(data.page) : target.state.imported_credits,
    })
    // Read while the listing is locked, because it may be unlinked right afterwards.
    const settings: LinkRow = (await readLink(tx, listing.uid))!
    return {
      game_uid: listing.uid,
      vanity_name: listing.vanity_name,
      settings,
      ...toReport(plan, fetched),
    }
  }

  if (request.listing)
    return editListing(core, who, request.listing.uid, async (tx, listing) => {
      await link(tx, listing.uid)
      const target = await readTarget(core, tx, listing, app_id)
      return apply(tx, listing, target, createPlan(core, data, target, request))
    })
  return transact(core.sql, async (tx) => {
    const plan = createPlan(core, data, newTarget, request)
    const { uid } = await addListing(
      tx,
      who,
      { name: importedName(plan) },
      listingRules(core.settings.current),
    )
    await link(tx, uid)
    return apply(tx, await lockForEditor(tx, who, uid), newTarget, plan)
  })
}

/** If sign-in is already on, replaces only the Web API key and keeps the other keys. */
async function enableOrUpdateSignIn(
  core: Core,
  tx: Tx,
  game_uid: string,
  web_api_key: string,
): Promise<void> {
  const link = await readLink(tx, game_uid)
  if (link?.enabled) await core.secrets.put(tx, game_uid, WEB_API_KEY, web_api_key)
  else await enableSignIn(core, tx, game_uid, web_api_key)
}
