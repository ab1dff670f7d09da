import { writeFile } from 'node:fs/promises'
import { recordAudit } from '../accounts/people/audit-queries.ts'
import { listOperators, setOperator } from '../accounts/people/operator-queries.ts'
import type { Core } from '../core/runtime/core.ts'
import { AdminError, type Command, noArguments, oneArgument, UsageError } from './command.ts'
import { deletePerson, exportPerson, findPerson } from './people.ts'

const change = (operator: boolean) => async (core: Core, login: string) => {
  const { uid, username } = await findPerson(core, login)
  const changed = await core.sql.begin(async (tx) => {
    const done = await setOperator(tx, uid, operator)
    const action = operator ? 'accounts.make-operator' : 'accounts.unmake-operator'
    if (done) await recordAudit(tx, { user_uid: uid, game_uid: null, action })
    return done
  })
  return `${username} is ${changed ? '' : 'already '}${operator ? 'an operator' : 'no operator'}${changed ? ' now' : ''}`
}
const [make, unmake] = [change(true), change(false)]

export const peopleCommands: Command[] = [
  {
    name: 'operators add',
    takes: '<username|email>',
    summary: 'let a person look after the service over HTTP',
    help: `An operator may ask GET /api/v1/private/operations/status, and replay dead jobs with POST /api/v1/private/operations/jobs/replay, signed in on the
website. It opens nobody's drafts, keys or data. Written to the audit entries. Next: "operators list".`,
    run: ({ core, ...rest }) => make(core, oneArgument(rest)),
  },
  {
    name: 'operators remove',
    takes: '<username|email>',
    summary: 'take that back, at once',
    help: 'The account itself stays as it is. Written to the audit entries.',
    run: ({ core, ...rest }) => unmake(core, oneArgument(rest)),
  },
  {
    name: 'operators list',
    summary: 'who they are, and since when',
    help: 'Username, email and since when, one a line.',
    async run({ core, ...rest }) {
      noArguments(rest)
      const found = await listOperators(core.sql)
      return (
        found
          .map(({ username, email, made_at }) => `${username}  ${email}  ${made_at.toISOString()}`)
          .join('\n') || 'no operators'
      )
    },
  },
  {
    name: 'people export',
    takes: '<username|email|uid> [file]',
    summary: 'everything kept about one account, as JSON',
    help: `Every row of every table that names the account, its unsent mails, and what its linked account of the external store left. Hashes of
passwords and keys are left out. Written to the file (readable by its owner only, not over an existing one) or to standard output; the export is
written to the audit entries. Bytes of uploads are not in it: they are downloaded on the website. Next: give it to the person over a way you trust.`,
    async run({ core, args }) {
      const [login, file] = args
      if (!login || args.length > 2) throw new UsageError()
      const text = JSON.stringify(await exportPerson(core, await findPerson(core, login)), null, 2)
      if (!file) return text
      await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch((error) => {
        throw error.code === 'EEXIST'
          ? new AdminError(`${file} is there already; name another file`)
          : error
      })
      return `written to ${file}`
    },
  },
  {
    name: 'people delete',
    takes: '<username|email|uid> --yes',
    flags: ['--yes', '--with-listings'],
    summary: 'delete an account and what is theirs alone',
    help: `In one transaction: the account, sessions, keys, copies, play time, reviews, tag votes, help with others' projects. Files, channel moves, download
counts and bug tickets belong to the projects and stay, without the name. Sign-ins through the external store lose the account at once and go 30 days after
they ended. Refused while the person owns listings, unless --with-listings deletes those and everything in them. Unsent mails to the address go too.
It cannot be taken back, and backups still hold it: run it again after a restore (the audit entries say of whom, by uid). Next: nothing; bytes of
deleted listings go with the next nightly sweep.`,
    async run({ core, flags, ...rest }) {
      const person = await findPerson(core, oneArgument(rest))
      if (!flags.has('--yes'))
        throw new AdminError(`This deletes ${person.username} (${person.uid}) for good: say --yes`)
      const { listings, bugs, mails } = await deletePerson(
        core,
        person,
        flags.has('--with-listings'),
      )
      return `deleted ${person.uid} with ${listings} listings; ${bugs} bug tickets lost their name, ${mails} mails removed`
    },
  },
]
