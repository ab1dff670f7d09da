import { decide } from '../moderation/decide.ts'
import {
  type Action,
  actions,
  grounds,
  type TargetType,
  targetTypes,
} from '../moderation/decisions.ts'
import { readQueue } from '../moderation/queue/queries.ts'
import {
  findListings,
  findPeople,
  listingState,
  listingStates,
} from '../operator/console/queries.ts'
import { mailStates, readOutbox } from '../operator/mail/queries.ts'
import {
  AdminError,
  type Command,
  isOneOf,
  LIST_WINDOW,
  listLines,
  noArguments,
  refusalText,
  UsageError,
} from './command.ts'
import { findOperator } from './people.ts'

async function decideReport({ core, args }: Parameters<Command['run']>[0]): Promise<string> {
  const [login, type, target_id, action, ground, ...words] = args
  if (!login || !type || !target_id || !action || !ground || !words.length) throw new UsageError()
  if (!isOneOf(targetTypes, type)) throw new AdminError(`The type is ${targetTypes.join(', ')}`)
  if (!isOneOf(actions, action)) throw new AdminError(`The action is ${actions.join(', ')}`)
  const { uid: user_uid } = await findOperator(core, login)
  const decision = {
    target_type: type as TargetType,
    target_id,
    action: action as Action,
    ground,
    facts: words.join(' '),
    // Suspensions for some days are made in the console.
    ...(action === 'suspend' && {
      suspension: { scope: 'everything' as const, days: null },
    }),
  }
  const { target } = await refusalText(decide(core, { user_uid }, decision))
  return `${action}: ${target.type} ${target.name}`
}

/** What the pages of the console list, for the command line. */
export const consoleCommands: Command[] = [
  {
    name: 'people list',
    takes: '[beginning]',
    summary: 'list people by the beginning of a username or an email address',
    help: `Prints uid, username, address, how many listings, and marks, the newest hundred first.

Next: "people export" or "people delete", or /operator/people in the console.`,
    async run({ core, args }) {
      if (args.length > 1) throw new UsageError()
      const { rows, total } = await findPeople(core.sql, args[0] ?? '', LIST_WINDOW)
      const lines = rows.map(({ uid, username, email, listings, email_verified, operator }) =>
        [
          `${uid}  ${username}  ${email}  ${listings} listings`,
          ...(email_verified ? [] : ['not verified']),
          ...(operator ? ['operator'] : []),
        ].join('  '),
      )
      return listLines(lines, total, 'nobody')
    },
  },
  {
    name: 'listings list',
    takes: `[${listingStates.join('|')}]`,
    summary: 'list listings in any state, the newest hundred first',
    help: `Prints uid, address, state and name. Deleted ones can still be restored by their owners.

Next: /operator/listings in the console shows what their listing check misses.`,
    async run({ core, args }) {
      const state = listingStates.find((name) => name === args[0])
      if (args.length > 1 || (args.length && !state)) throw new UsageError()
      const { rows, total } = await findListings(core.sql, { q: '', state, ...LIST_WINDOW })
      const lines = rows.map((row) =>
        [row.uid, `/${row.username}/${row.vanity_name}`, listingState(row), row.name].join('  '),
      )
      return listLines(lines, total, 'no listings')
    },
  },
  {
    name: 'reports list',
    summary: 'list what was reported and nobody decided yet',
    help: `Prints type and id of the target, how many reports, their kinds, and its name, the newest
report first.

Next: "reports decide", or /operator/moderation in the console, which shows the evidence.`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const { items, total } = await readQueue(core.sql, LIST_WINDOW)
      const lines = items.map(
        ({ target_type, target_id, reports, kinds, target_name }) =>
          `${target_type}  ${target_id}  ${reports} reports  ${kinds.join(',')}  ${target_name}`,
      )
      return listLines(lines, total, 'no open reports')
    },
  },
  {
    name: 'reports decide',
    takes: '<operator> <type> <id> <action> <ground> <facts…>',
    summary: 'decide on a reported target, as an operator',
    help: `The actions are ${actions.join(', ')}.
The grounds are ${grounds.slice(0, 5).join(', ')},
${grounds.slice(5).join(', ')}.
The person concerned gets the facts as the statement of reasons, and reporters are mailed. suspend is
for good and from everything. restore undoes a decision.

Next: "reports list".`,
    run: decideReport,
  },
  {
    name: 'mail list',
    takes: `[${mailStates.join('|')}]`,
    summary: 'list the mails of the last 30 days, the newest hundred first',
    help: `Prints time, state, job, the shortened recipient and the answer of the mail server.

Next: "jobs replay" for those that failed, or /operator/mail in the console.`,
    async run({ core, args }) {
      const [state] = args
      if (args.length > 1 || (state && !isOneOf(mailStates, state))) throw new UsageError()
      const { rows, total } = await readOutbox(core.sql, state as undefined, LIST_WINDOW)
      const lines = rows.map(({ created_at, state: current, kind, recipient, error }) =>
        [created_at.toISOString(), current, kind, recipient ?? '', error].join('  ').trim(),
      )
      return listLines(lines, total, 'no mails')
    },
  },
]
