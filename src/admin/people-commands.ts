import { writeFile } from 'node:fs/promises'
import { recordAudit } from '../accounts/people/audit-queries.ts'
import { markVerified } from '../accounts/people/operator-queries.ts'
import { requestReset, stopWaitingReset } from '../accounts/second-factor/resets.ts'
import { recordSecurityEvent } from '../accounts/security-events/record.ts'
import { createSetupLink } from '../accounts/setup/setup-links.ts'
import type { Core } from '../core/runtime/core.ts'
import { retention } from '../core/runtime/retention.ts'
import { counted } from '../core/text/counted.ts'
import { exportPerson } from '../personal-data/person.ts'
import {
  AdminError,
  type Command,
  noArguments,
  oneArgument,
  refusalText,
  UsageError,
} from './command.ts'
import { deleteAccount, findPerson } from './people.ts'

async function startReset(core: Core, login: string): Promise<string> {
  const { uid, username } = await findPerson(core, login)
  const is_new = await refusalText(
    core.sql.begin(async (tx) => {
      if (!(await requestReset(core, tx, uid))) return false
      const action = 'operator.request-second-factor-reset'
      await recordAudit(tx, { user_uid: null, game_uid: null, action, detail: { person: uid } })
      const kind = 'second_factor_reset_requested'
      await recordSecurityEvent(tx, { core }, { kind, user_uid: uid })
      return true
    }),
  )
  const { second_factor_reset_wait: hours } = core.settings.current
  return is_new
    ? `${username} is mailed now and can stop it; the second factor is removed in ${hours} hours`
    : `a reset waits already for ${username}`
}

async function stopReset(core: Core, login: string): Promise<string> {
  const { uid, username } = await findPerson(core, login)
  const is_stopped = await core.sql.begin(async (tx) => {
    if (!(await stopWaitingReset({ core }, tx, { user_uid: uid }))) return false
    const action = 'operator.stop-second-factor-reset'
    await recordAudit(tx, { user_uid: null, game_uid: null, action, detail: { person: uid } })
    return true
  })
  return is_stopped ? `${username} keeps the second factor` : `no reset waits for ${username}`
}

async function verifyAddress(core: Core, login: string): Promise<string> {
  const { uid, username, email } = await findPerson(core, login)
  const is_changed = await core.sql.begin(async (tx) => {
    if (!(await markVerified(tx, uid))) return false
    const action = 'operator.verify-person'
    await recordAudit(tx, { user_uid: null, game_uid: null, action, detail: { person: uid } })
    return true
  })
  return `${email} of ${username} is ${is_changed ? 'verified now' : 'already verified'}`
}

export const peopleCommands: Command[] = [
  {
    name: 'setup-link',
    summary: 'print a link that makes whoever opens it the first operator',
    help: `Works while the store has no operator, as after the first start. The link works once and for 24
hours. Links that were printed before stay valid until one of them is used.

Next: open it in a browser. Later operators are made with "operators add".`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const link = await createSetupLink(core)
      if (link) return link
      throw new AdminError(
        'This store already has an operator. Use "operators list" to see who it is, and ' +
          '"operators add" to make another person an operator.',
      )
    },
  },
  {
    name: 'people verify',
    takes: '<username|email|uid>',
    summary: 'mark the address of a person as verified',
    help: `For somebody whose mail does not arrive, or before a mail server is set up. Make sure first that
the address is theirs. The change is recorded in the audit entries.

Next: "operators add" or "moderators add", which need a verified address.`,
    run: ({ core, ...rest }) => verifyAddress(core, oneArgument(rest)),
  },
  {
    name: 'people export',
    takes: '<username|email|uid> [file]',
    summary: 'export everything stored about an account, as JSON',
    help: `Exports every row of every table that names the account, its unsent mails, its images, and the data
of its linked account of the external store. Hashes of passwords and keys are left out, and so are
files of projects, which can be downloaded on the website. Writes to a new file that only its owner
can read, or to standard output. The export is recorded in the audit entries.

Next: give the file to the person over a channel you trust.`,
    async run({ core, args }) {
      const [login, file] = args
      if (!login || args.length > 2) throw new UsageError()
      const person = await findPerson(core, login)
      const text = JSON.stringify(await exportPerson({ core }, person), null, 2)
      if (!file) return text
      await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch((error) => {
        throw error.code === 'EEXIST'
          ? new AdminError(`${file} already exists; name another file`)
          : error
      })
      return `written to ${file}`
    },
  },
  {
    name: 'people reset-second-factor',
    takes: '<username|email|uid> [--stop]',
    flags: ['--stop'],
    summary: 'remove the second factor of a person after a waiting time that they can stop',
    help: `The person is mailed at once, with a link that stops it. After SECOND_FACTOR_RESET_WAIT (72
hours) their passkeys, authenticator app and recovery codes are removed and they are signed out.
They sign in with their password alone. With --stop, a reset that waits is stopped. Both are
recorded in the audit entries.

"second-factor reset" removes them at once. Make sure first that it is them who asks.`,
    async run({ core, flags, ...rest }) {
      const login = oneArgument(rest)
      return flags.has('--stop') ? stopReset(core, login) : startReset(core, login)
    },
  },
  {
    name: 'people delete',
    takes: '<username|email|uid> --yes',
    flags: ['--yes', '--with-listings'],
    summary: 'delete an account and its personal data',
    help: `Deletes in one transaction: the account, sessions, keys, copies, play time, reviews, tag
votes, admin roles and unsent mails. Files, channel history, download counts and bug tickets belong
to the projects and stay without the name. Sign-in records of the external store lose the account at
once and are deleted ${retention.extstore_session_days} days after they ended.

Refused while the person owns listings, unless --with-listings deletes those and everything in them.
This cannot be undone. Backups still contain the account: run it again after a restore (the audit
entries name it by uid).

Next: nothing. The nightly clean-up removes the files of deleted listings.`,
    async run({ core, flags, ...rest }) {
      const person = await findPerson(core, oneArgument(rest))
      if (!flags.has('--yes'))
        throw new AdminError(
          `This permanently deletes ${person.username} (${person.uid}): add --yes to confirm`,
        )
      const { listings, bugs, mails } = await deleteAccount(
        core,
        person,
        flags.has('--with-listings'),
      )
      return (
        `deleted ${person.uid} with ${counted(listings, 'listing')}; ` +
        `${counted(bugs, 'bug ticket')} lost the name, ${counted(mails, 'mail')} removed`
      )
    },
  },
]
