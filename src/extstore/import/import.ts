import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { MAX_DESCRIPTION } from '../../listings/fields/text.ts'
import { addListing } from '../../listings/listing/create.ts'
import { editListing, findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import { type ListingFor, readListing } from '../../listings/listing/queries.ts'
import { priceRules } from '../../listings/listing/store-rules.ts'
import { removeUnused } from '../../listings/media/edit.ts'
import { unusedContent } from '../../listings/media/queries.ts'
import { storeImage } from '../../listings/media/store.ts'
import { imageKey } from '../../listings/media/url.ts'
import { appUrl, readAppId, type StoreApp } from '../client/steam.ts'
import { findCoveredApp, orUnavailable, readGamePage, readTags } from '../client/store.ts'
import { enableSignIn, linkOf } from '../sign-in/keys.ts'
import { WEB_API_KEY } from '../sign-in/queries.ts'
import { type LinkRow, linkApp, readLink } from '../sign-in/settings-queries.ts'
import { forgetKeys } from '../sign-in/sign-in.ts'
import { checkWebApiKey } from '../sign-in/ticket-rules.ts'
import { checkGroups, type Group, notImported } from './fields.ts'
import { htmlToMarkdown, htmlToText } from './html-markdown.ts'
import { type Keep, readScreenshots, type Screenshot } from './images.ts'
import { candidates, type Facts, storeCredits } from './mapping.ts'
import { marksAfter, type Plan, planImport, type Wanted } from './plan.ts'
import { findLinkedListing, saveLastImport } from './queries.ts'
import { newTarget, readTarget, type Target } from './target.ts'
import { writePlan } from './write.ts'

/** What a request asks for; fields are checked here, so that the import's own code answers for them. */
export type Request = {
  app_id?: unknown
  web_api_key?: unknown
  game_uid?: string
  groups?: unknown
  overwrite?: boolean
}
/** `was_linked`: when it was asked for. Who unlinks meanwhile does not want it linked again. */
type Asked = Wanted & {
  app_id: number
  web_api_key: string
  listing: ListingFor | undefined
  was_linked: boolean
}

export type Report = Plan & { not_imported: typeof notImported; screenshots: Screenshot[] }
type Gathered = { facts: Facts; screenshots: Screenshot[] }

const reportOf = (plan: Plan, { screenshots }: Gathered): Report => ({
  ...plan,
  not_imported: notImported,
  screenshots,
})

export async function previewImport(core: Core, who: Identity, request: Request) {
  const asked = await check(core, who, request, true)
  const gathered = await gather(core, asked, async () => {})
  const target = asked.listing
    ? await readTarget(core, core.sql, asked.listing, asked.app_id)
    : newTarget
  const plan = planFor(core, gathered.facts, target, asked)
  const { uid = null, vanity_name = null, name = newName(plan) } = asked.listing ?? {}
  return {
    ...reportOf(plan, gathered),
    target: { game_uid: uid, vanity_name, name, created: !asked.listing },
  }
}

/** A plan for a new listing always has one. */
const newName = ({ imported }: Plan) =>
  imported.find(({ field }) => field === 'name')!.value as string

export async function importApp(
  core: Core,
  who: Identity,
  request: Request & { enable_auth?: boolean },
) {
  const asked = await check(core, who, request)
  return carryOut(core, who, asked, 'import', request.enable_auth === true)
}

/** Imports the linked app again, with the key that was sent, or with the saved one while sign-in is on. */
export async function resync(
  core: Core,
  who: Identity,
  uid_or_name: string,
  request: Omit<Request, 'app_id' | 'game_uid'>,
) {
  needsDeveloper(who)
  const { game_uid, app_id, enabled } = await linkOf(core, who, uid_or_name)
  const groups = checkGroups(request.groups)
  const saved =
    isEmpty(request.web_api_key) && enabled
      ? await core.secrets.get(core.sql, game_uid, WEB_API_KEY)
      : undefined
  if (isEmpty(request.web_api_key) && !saved)
    invalid('web_api_key', 'send the publisher key; none is saved for this listing')
  const web_api_key = saved ?? readKey(request.web_api_key)
  const listing = await findForEditor(core.sql, who, game_uid)
  const asked = {
    app_id,
    web_api_key,
    groups,
    overwrite: request.overwrite === true,
    listing,
    was_linked: true,
  }
  return carryOut(core, who, asked, 'resync', false)
}

const needsDeveloper = ({ developer }: Identity) =>
  developer || refuse('DEVELOPER_MODE_REQUIRED', { error: 'developer_mode_required' })
const invalid = (field: string, what: string): never =>
  refuse('INVALID_EXTSTORE_REQUEST', { field }, `${field}: ${what}`)
const readKey = (value: unknown): string =>
  typeof value === 'string'
    ? checkWebApiKey(value)
    : invalid('web_api_key', 'send the publisher key of 32 characters, 0-9 and A-F')

const isEmpty = (key: unknown) =>
  key === undefined || key === null || (typeof key === 'string' && key.trim() === '')

async function check(
  core: Core,
  who: Identity,
  request: Request,
  may_use_saved = false,
): Promise<Asked> {
  needsDeveloper(who)
  const app_id =
    readAppId(core.config, request.app_id) ??
    invalid('app_id', 'send the number of the app, or a link to its store page')
  const listing =
    request.game_uid === undefined
      ? undefined
      : await findForEditor(core.sql, who, request.game_uid)
  const saved =
    may_use_saved && listing && isEmpty(request.web_api_key)
      ? await savedKey(core, listing.uid, app_id)
      : undefined
  const web_api_key = saved ?? readKey(request.web_api_key)
  const was_linked = listing !== undefined && (await readLink(core.sql, listing.uid)) !== undefined
  return {
    app_id,
    web_api_key,
    groups: checkGroups(request.groups),
    overwrite: request.overwrite === true,
    listing,
    was_linked,
  }
}

/** What a resync would use, so that one can be looked at first. */
async function savedKey(
  core: Core,
  game_uid: string,
  app_id: number,
): Promise<string | null | undefined> {
  const link = await readLink(core.sql, game_uid)
  return link?.enabled && link.app_id === app_id
    ? core.secrets.get(core.sql, game_uid, WEB_API_KEY)
    : undefined
}

/** The key is held to the app before anything else is asked, ours or the store's: only its publisher learns whether the app is taken. */
async function gather(
  core: Core,
  { app_id, web_api_key, groups, listing }: Asked,
  keep: Keep,
): Promise<Gathered & { app: StoreApp }> {
  const app = await findCoveredApp(core, web_api_key, app_id)
  await checkFree(core, app_id, listing)
  const page = await readGamePage(core, app_id)
  const wants = (group: Group) => groups.includes(group)
  const tags = wants('taxonomy') || wants('age') ? await readTags(core, app_id) : undefined
  const images = wants('images')
    ? await orUnavailable(core, () => readScreenshots(core, page.screenshots, keep))
    : undefined
  const facts = {
    app: { ...app, url: appUrl(app_id) },
    page,
    tags,
    tagline: await htmlToText(page.short_text),
    description: await htmlToMarkdown(page.long_text, MAX_DESCRIPTION),
    pictures: images?.pictures,
  }
  return { app, facts, screenshots: images?.screenshots ?? [] }
}

async function checkFree(
  core: Core,
  app_id: number,
  listing: ListingFor | undefined,
): Promise<void> {
  const taken_by = await findLinkedListing(core.sql, app_id)
  const link = listing && (await readLink(core.sql, listing.uid))
  if ((taken_by && taken_by !== listing?.uid) || (link && link.app_id !== app_id))
    refuse('EXTSTORE_APP_TAKEN')
}

const planFor = (core: Core, facts: Facts, { present, current }: Target, wanted: Wanted): Plan =>
  planImport(candidates(facts, present, priceRules(core.config)), current, wanted)

/** Everything is fetched, made and stored before the one transaction that shows it; if that fails, what was stored goes again. */
async function carryOut(
  core: Core,
  who: Identity,
  asked: Asked,
  verb: 'import' | 'resync',
  enable_auth: boolean,
) {
  const stored = new Set<string>()
  const keep: Keep = async ({ fitted: { sha256 }, bytes }) => {
    if (!(await core.storage.stat(imageKey(sha256)))) stored.add(sha256)
    await storeImage(core.storage, sha256, bytes)
  }
  try {
    const gathered = await gather(core, asked, keep)
    const done = await save(core, who, asked, gathered, async (tx, listing) => {
      if (asked.was_linked && !(await readLink(tx, listing.uid))) refuse('EXTSTORE_NOT_LINKED')
      if (!(await linkApp(tx, listing.uid, gathered.app))) refuse('EXTSTORE_APP_TAKEN')
      if (enable_auth) await turnOnWith(core, tx, listing.uid, asked.web_api_key)
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: listing.uid,
        action: `extstore.${verb}`,
        detail: { app_id: asked.app_id },
      })
    })
    if (enable_auth) forgetKeys(core, done.game_uid)
    return { ...done, created: !asked.listing }
  } catch (error) {
    if (error instanceof Refusal) throw error
    core.log.error({ err: error }, 'an import failed')
    return refuse(
      'UNAVAILABLE',
      undefined,
      'The import could not be saved, and nothing was changed; try again',
    )
  } finally {
    await takeBack(core, [...stored])
  }
}

/** What this import brought and no listing shows: all of it after a failure, else what was kept out by an edit. */
async function takeBack(core: Core, stored: string[]): Promise<void> {
  try {
    for (const sha256 of await unusedContent(core.sql, stored)) await removeUnused(core, sha256)
  } catch (error) {
    core.log.warn({ err: error }, 'images of an import stay until they are swept')
  }
}

type Deed = (tx: Tx, listing: { uid: string }) => Promise<void>

function save(core: Core, who: Identity, asked: Asked, gathered: Gathered, link: Deed) {
  const { facts } = gathered
  async function apply(tx: Tx, listing: ListingFor, target: Target, plan: Plan) {
    await writePlan(core, tx, who, listing, plan, facts.pictures)
    const { current } = await readTarget(
      core,
      tx,
      (await readListing(tx, listing.uid, who.user_uid))!,
      asked.app_id,
    )
    const has_credits = plan.imported.some(({ field }) => field === 'credits')
    await saveLastImport(tx, listing.uid, asked.app_id, {
      marks: marksAfter(plan, target.current.remembered, current),
      credits: has_credits ? storeCredits(facts.page) : target.present.imported_credits,
    })
    // Read while it is locked: a moment later it may be unlinked.
    const settings: LinkRow = (await readLink(tx, listing.uid))!
    return {
      game_uid: listing.uid,
      vanity_name: listing.vanity_name,
      settings,
      ...reportOf(plan, gathered),
    }
  }
  if (asked.listing)
    return editListing(core, who, asked.listing.uid, async (tx, listing) => {
      await link(tx, listing)
      const target = await readTarget(core, tx, listing, asked.app_id)
      return apply(tx, listing, target, planFor(core, facts, target, asked))
    })
  return transact(core.sql, async (tx) => {
    const plan = planFor(core, facts, newTarget, asked)
    const { uid } = await addListing(tx, who, { name: newName(plan) })
    await link(tx, { uid })
    return apply(tx, await lockForEditor(tx, who, uid), newTarget, plan)
  })
}

/** Where it is on already, its keys stay, and only the one for the store is replaced. */
async function turnOnWith(
  core: Core,
  tx: Tx,
  game_uid: string,
  web_api_key: string,
): Promise<void> {
  const link = await readLink(tx, game_uid)
  if (link?.enabled) await core.secrets.put(tx, game_uid, WEB_API_KEY, web_api_key)
  else await enableSignIn(core, tx, game_uid, web_api_key)
}
