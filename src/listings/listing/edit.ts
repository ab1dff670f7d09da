import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import type { Visibility } from '../fields/fields.ts'
import { type CheckReport, checkListing, newErrors } from './check.ts'
import { findFacts, isUnpayable, readFacts } from './facts-queries.ts'
import { type ListingFor, lockListing, markEdited, readListing } from './queries.ts'
import { canEdit } from './visibility.ts'

/**
 * Finds a listing that the user may edit. Any other listing gives the same error as a missing one.
 * A key that is restricted to one project finds only that project. Agents of admins are refused if
 * the owner has turned them off.
 */
export async function findForEditor(
  sql: Sql | Tx,
  who: Identity,
  uid_or_name: string,
): Promise<ListingFor> {
  return editable(await readListing(sql, uid_or_name, who.user_uid), who)
}

function editable(listing: ListingFor | undefined, who: Identity): ListingFor {
  if (!listing || !canEdit(listing) || (who.game_uid && who.game_uid !== listing.uid))
    refuse('NOT_FOUND')
  if (who.kind === 'agent' && !listing.is_owner && !listing.admin_agents) refuse('ADMIN_AGENTS_OFF')
  return listing
}

/** Like `findForEditor`, but also locks the listing until the transaction ends. */
export async function lockForEditor(
  tx: Tx,
  who: Identity,
  uid_or_name: string,
): Promise<ListingFor> {
  return editable(await lockListing(tx, uid_or_name, who.user_uid), who)
}

/**
 * Runs a change of a listing in a transaction. The listing is locked so that concurrent edits do
 * not mix. A change must not add errors of the listing check to a public page, and a change that
 * publishes the page must leave no errors.
 */
export async function editListing<T>(
  core: Core,
  who: Identity,
  uid_or_name: string,
  change: (tx: Tx, listing: ListingFor) => Promise<T>,
): Promise<T> {
  return transact(core.sql, async (tx) => {
    const listing = await lockForEditor(tx, who, uid_or_name)
    return enforceListingCheck(tx, listing, () =>
      requirePaymentAccount(core, tx, listing.uid, async () => {
        const result = await change(tx, listing)
        await markEdited(tx, listing.uid)
        return result
      }),
    )
  })
}

/**
 * Applies the rules of `editListing` to other changes, such as deleting a build. The caller must
 * lock the listing first.
 */
export async function enforceListingCheck<T>(
  tx: Tx,
  listing: { uid: string; visibility: Visibility },
  change: () => Promise<T>,
): Promise<T> {
  const was_public = listing.visibility === 'public'
  const before = was_public ? checkListing(await readFacts(tx, listing.uid)) : undefined
  const result = await change()
  const facts = await findFacts(tx, listing.uid)
  if (facts?.visibility !== 'public') return result
  const after = checkListing(facts)
  const added = before ? newErrors(before, after) : after.errors.map(({ id }) => id)
  if (added.length)
    refuse(
      'LISTING_CHECK_FAILED',
      { lint: after, new_errors: added },
      refusalText(was_public, added.length),
    )
  return result
}

/**
 * In a store that takes payments, a listing with a price goes public only if its owner can be paid.
 * One that was public with a price before stays.
 */
export async function requirePaymentAccount<T>(
  { config }: Pick<Core, 'config'>,
  tx: Tx,
  uid: string,
  change: () => Promise<T>,
): Promise<T> {
  if (!config.stripe_secret_key || !config.stripe_webhook_secret) return change()
  const was_unpayable = await isUnpayable(tx, uid)
  const result = await change()
  if (!was_unpayable && (await isUnpayable(tx, uid))) refuse('PAYMENT_ACCOUNT_REQUIRED')
  return result
}

/** Refuses to publish a page that has errors. */
export function refuseFailedCheck(report: CheckReport): never {
  const ids = report.errors.map(({ id }) => id)
  refuse('LISTING_CHECK_FAILED', { lint: report, new_errors: ids }, refusalText(false, ids.length))
}

function refusalText(was_public: boolean, count: number): Explanation {
  const errors = `${count} error${count === 1 ? '' : 's'}`
  return was_public
    ? explain(
        'adds_errors',
        `This would add ${errors} to a public page; nothing was saved. See data.lint`,
        { count },
      )
    : explain('listing_errors', `The listing check found ${errors}; see data.lint for what to do`, {
        count,
      })
}
