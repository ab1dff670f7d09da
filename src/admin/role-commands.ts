import { recordAudit } from '../accounts/people/audit-queries.ts'
import { listModerationTeam, setModerator } from '../accounts/people/moderator-queries.ts'
import { listOperators, setOperator } from '../accounts/people/operator-queries.ts'
import { checkRoleAddress } from '../accounts/people/roles.ts'
import type { EventKind } from '../accounts/security-events/kinds.ts'
import { recordSecurityEvent } from '../accounts/security-events/record.ts'
import type { Tx } from '../core/database/sql.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal } from '../core/runtime/errors.ts'
import { AdminError, type Command, noArguments, oneArgument } from './command.ts'
import { findPerson } from './people.ts'

type Role = {
  noun: string
  set: (tx: Tx, user_uid: string, is_member: boolean) => Promise<boolean>
  actions: { add: string; remove: string }
  kinds: { add: EventKind; remove: EventKind }
}

const operatorRole: Role = {
  noun: 'an operator',
  set: setOperator,
  actions: { add: 'accounts.make-operator', remove: 'accounts.unmake-operator' },
  kinds: { add: 'operator_added', remove: 'operator_removed' },
}

const moderatorRole: Role = {
  noun: 'a moderator',
  set: (tx, user_uid, is_member) => setModerator(tx, user_uid, is_member, null),
  actions: { add: 'moderation.add-moderator', remove: 'moderation.remove-moderator' },
  kinds: { add: 'moderator_added', remove: 'moderator_removed' },
}

/** The rule of the console, with the command that solves it. */
function checkAddress(person: { username: string; email_verified: boolean }): void {
  try {
    checkRoleAddress(person)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new AdminError(
      `The address of ${person.username} is not verified. They verify it with the code in their ` +
        `mail, or you do with "people verify ${person.username}"`,
    )
  }
}

async function changeRole(
  core: Core,
  { noun, set, actions, kinds }: Role,
  change: 'add' | 'remove',
  login: string,
): Promise<string> {
  const person = await findPerson(core, login)
  if (change === 'add') checkAddress(person)
  const { uid, username } = person
  const is_changed = await core.sql.begin(async (tx) => {
    if (!(await set(tx, uid, change === 'add'))) return false
    await recordAudit(tx, { user_uid: uid, game_uid: null, action: actions[change] })
    await recordSecurityEvent(tx, { core }, { kind: kinds[change], user_uid: uid })
    return true
  })
  if (change === 'add') return `${username} is ${is_changed ? `${noun} now` : `already ${noun}`}`
  return `${username} is ${is_changed ? 'no longer' : 'not'} ${noun}`
}

/** Commands for the roles that operators give to people. */
export const roleCommands: Command[] = [
  {
    name: 'operators add',
    takes: '<username|email>',
    summary: 'make a person an operator',
    help: `An operator who is signed in on the website can open the console at /operator: settings,
people with their addresses, the names of all listings, and dead jobs. It gives no access to the
contents of drafts, or to keys. The address of the person must be verified. The change is recorded
in the audit entries.

Next: "operators list".`,
    run: ({ core, ...rest }) => changeRole(core, operatorRole, 'add', oneArgument(rest)),
  },
  {
    name: 'operators remove',
    takes: '<username|email>',
    summary: 'remove an operator',
    help: 'Takes effect at once. The account stays. The change is recorded in the audit entries.',
    run: ({ core, ...rest }) => changeRole(core, operatorRole, 'remove', oneArgument(rest)),
  },
  {
    name: 'operators list',
    summary: 'list the operators',
    help: 'Prints username, email address and date of each operator, one per line.',
    async run({ core, ...rest }) {
      noArguments(rest)
      const operators = await listOperators(core.sql)
      const lines = operators.map(
        ({ username, email, made_at }) => `${username}  ${email}  ${made_at.toISOString()}`,
      )
      return lines.join('\n') || 'no operators'
    },
  },
  {
    name: 'moderators add',
    takes: '<username|email>',
    summary: 'make a person a moderator',
    help: `A moderator who is signed in on the website sees the reports at /operator/moderation and decides
on content and people. The address of the person must be verified. The change is recorded in the
audit entries.

Next: "moderators list".`,
    run: ({ core, ...rest }) => changeRole(core, moderatorRole, 'add', oneArgument(rest)),
  },
  {
    name: 'moderators remove',
    takes: '<username|email>',
    summary: 'remove a moderator',
    help: `Takes effect at once. The account and the decisions stay. The change is recorded in the audit
entries. Operators moderate without this role.`,
    run: ({ core, ...rest }) => changeRole(core, moderatorRole, 'remove', oneArgument(rest)),
  },
  {
    name: 'moderators list',
    summary: 'list the moderation team',
    help: 'Prints username, role and date of each moderator and operator, one per line.',
    async run({ core, ...rest }) {
      noArguments(rest)
      const team = await listModerationTeam(core.sql)
      const lines = team.map(
        ({ username, role, since }) => `${username}  ${role}  ${since.toISOString()}`,
      )
      return lines.join('\n') || 'nobody moderates'
    },
  },
]
