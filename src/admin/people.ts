import { findPersonByLogin, isOperator, type Person } from '../accounts/people/operator-queries.ts'
import type { Core } from '../core/runtime/core.ts'
import { deletePerson } from '../personal-data/person.ts'
import { AdminError } from './command.ts'

export async function findPerson({ sql }: Core, login: string): Promise<Person> {
  const person = await findPersonByLogin(sql, login)
  if (!person) throw new AdminError(`No account has the username, email or uid ${login}`)
  return person
}

/** The operator in whose name a command decides. */
export async function findOperator(core: Core, login: string): Promise<Person> {
  const person = await findPerson(core, login)
  if (!(await isOperator(core.sql, person.uid)))
    throw new AdminError(`${person.username} is no operator`)
  return person
}

export type Deleted = { listings: number; bugs: number; mails: number }

export async function deleteAccount(
  core: Core,
  person: Person,
  with_listings: boolean,
): Promise<Deleted> {
  const deletion = await deletePerson({ core }, person, with_listings)
  if (deletion.ok) return deletion
  const names = deletion.owned.map(({ name, visibility }) => `"${name}" (${visibility})`).join(', ')
  throw new AdminError(
    `${person.username} owns ${names}; others may have copies. ` +
      'Nothing was deleted. Add --with-listings to delete these too',
  )
}
