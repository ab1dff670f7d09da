import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAudit } from '../accounts/people/audit-queries.ts'
import {
  deleteUser,
  exportPersonalData,
  listOwnedListings,
  type Person,
} from '../accounts/people/operator-queries.ts'
import { lockUser } from '../accounts/people/queries.ts'
import { revokeAccess } from '../accounts/revocation/revocation.ts'
import { type EventSource, recordSecurityEvent } from '../accounts/security-events/record.ts'
import { anonymizeReporter } from '../bugs/reports/person-queries.ts'
import { transact } from '../core/database/transaction.ts'
import { forgetMails } from '../core/mail/mail-log.ts'
import type { Core } from '../core/runtime/core.ts'
import { typesWithParent } from '../listings/listing/change.ts'
import { deleteListing } from '../listings/listing/queries.ts'
import {
  type ExportedImage,
  exportProfileImages,
  removeProfileImages,
} from '../listings/profiles/images.ts'

type Mail = { path: string; mail: { to: string } }

/** The unsent mails to the person. Each is a JSON file in the outbox folder. */
async function outboxOf({ config }: Core, { email }: Person): Promise<Mail[]> {
  const folder = join(config.data_dir, 'outbox')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  const mails = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      mail: JSON.parse(await readFile(join(folder, name), 'utf8')),
    })),
  )
  return mails.filter(({ mail }) => mail.to === email)
}

/**
 * Who exports or deletes: the person by a request, an operator by a request, or an administrator
 * from the command line.
 */
type Source = EventSource & { core: Core; operator_uid?: string }

export type PersonExport = {
  format: string
  exported_at: string
  uid: string
  tables: Record<string, Record<string, unknown>[]>
  mails: object[]
  images: ExportedImage[]
}

/** Everything that is stored about one account, to hand over to the person. */
export async function exportPerson(source: Source, person: Person): Promise<PersonExport> {
  const { core, request, operator_uid } = source
  const mails = await outboxOf(core, person)
  await core.sql.begin(async (tx) => {
    await recordAudit(tx, {
      user_uid: operator_uid ?? (request ? person.uid : null),
      game_uid: null,
      action: 'accounts.export-person',
      detail: { person: person.uid },
    })
    await recordSecurityEvent(tx, source, { kind: 'account_exported', user_uid: person.uid })
  })
  return {
    format: 'slipway-person-1',
    exported_at: new Date().toISOString(),
    uid: person.uid,
    tables: await exportPersonalData(core.sql, person),
    mails: mails.map(({ mail }) => mail),
    images: await exportProfileImages(core, core.sql, person.uid),
  }
}

export type OwnedListing = { uid: string; name: string; visibility: string }
export type Deletion =
  | { ok: true; listings: number; bugs: number; mails: number }
  /** The listings that prevent it. Nothing was deleted. */
  | { ok: false; owned: OwnedListing[] }

/**
 * Deletes the account in one transaction. The nightly sweeps remove the stored objects of deleted
 * listings, because no record refers to them any more.
 */
export async function deletePerson(
  source: Source,
  person: Person,
  with_listings: boolean,
): Promise<Deletion> {
  const { core, operator_uid = null } = source
  const mails = await outboxOf(core, person)
  const deletion = await transact(core.sql, async (tx): Promise<Deletion> => {
    // Wait for a listing that is being created, and block new ones until the account is deleted.
    await lockUser(tx, person.uid)
    const owned = await listOwnedListings(tx, person.uid)
    if (owned.length && !with_listings) return { ok: false, owned }
    for (const { uid } of owned) await deleteListing(tx, uid, typesWithParent)
    const bugs = await anonymizeReporter(tx, person)
    await removeProfileImages(core, tx, person.uid)
    await forgetMails(tx, person.email)
    await revokeAccess(source, tx, { user_uid: person.uid, game_uid: null })
    await recordSecurityEvent(tx, source, { kind: 'account_deleted', user_uid: person.uid })
    await deleteUser(tx, person.uid)
    await recordAudit(tx, {
      user_uid: operator_uid,
      game_uid: null,
      action: 'accounts.delete-person',
      detail: { person: person.uid, listings: owned.length, bugs },
    })
    return { ok: true, listings: owned.length, bugs, mails: mails.length }
  })
  if (deletion.ok) for (const { path } of mails) await rm(path, { force: true })
  return deletion
}
