import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAudit } from '../accounts/people/audit-queries.ts'
import {
  deleteUser,
  exportPersonalData,
  findPersonByLogin,
  listOwnedListings,
  type Person,
} from '../accounts/people/operator-queries.ts'
import { lockUser } from '../accounts/people/queries.ts'
import { anonymizeReporter } from '../bugs/reports/person-queries.ts'
import { transact } from '../core/database/transaction.ts'
import type { Core } from '../core/runtime/core.ts'
import { typesWithParent } from '../listings/listing/change.ts'
import { deleteListing } from '../listings/listing/queries.ts'
import { AdminError } from './command.ts'

export async function findPerson({ sql }: Core, login: string): Promise<Person> {
  const person = await findPersonByLogin(sql, login)
  if (!person) throw new AdminError(`No account has the username, email or uid ${login}`)
  return person
}

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

/** Everything that is stored about one account, to hand over to the person. */
export async function exportPerson(core: Core, person: Person): Promise<object> {
  const mails = await outboxOf(core, person)
  await recordAudit(core.sql, {
    user_uid: null,
    game_uid: null,
    action: 'accounts.export-person',
    detail: { person: person.uid },
  })
  return {
    format: 'slipway-person-1',
    exported_at: new Date().toISOString(),
    uid: person.uid,
    tables: await exportPersonalData(core.sql, person),
    mails: mails.map(({ mail }) => mail),
  }
}

export type Deleted = { listings: number; bugs: number; mails: number }

/**
 * Deletes the account in one transaction. The nightly sweeps remove the stored objects of deleted
 * listings, because no record refers to them any more.
 */
export async function deletePerson(
  core: Core,
  person: Person,
  with_listings: boolean,
): Promise<Deleted> {
  const mails = await outboxOf(core, person)
  const deleted = await transact(core.sql, async (tx) => {
    // Wait for a listing that is being created, and block new ones until the account is deleted.
    await lockUser(tx, person.uid)
    const owned = await listOwnedListings(tx, person.uid)
    const names = owned.map(({ name, visibility }) => `"${name}" (${visibility})`).join(', ')
    if (owned.length && !with_listings)
      throw new AdminError(
        `${person.username} owns ${names}; others may have copies. ` +
          'Nothing was deleted. Add --with-listings to delete these too',
      )
    for (const { uid } of owned) await deleteListing(tx, uid, typesWithParent)
    const bugs = await anonymizeReporter(tx, person)
    await deleteUser(tx, person.uid)
    const detail = { person: person.uid, listings: owned.length, bugs }
    await recordAudit(tx, {
      user_uid: null,
      game_uid: null,
      action: 'accounts.delete-person',
      detail,
    })
    return { listings: owned.length, bugs }
  })
  for (const { path } of mails) await rm(path, { force: true })
  return { ...deleted, mails: mails.length }
}
