import { counted } from '../core/text/counted.ts'
import { decideAppeal } from '../moderation/appeals/appeal.ts'
import { listOpenAppeals, outcomes } from '../moderation/appeals/queries.ts'
import { decide } from '../moderation/decide.ts'
import {
  type Action,
  actions,
  grounds,
  type TargetType,
  targetTypes,
} from '../moderation/decisions.ts'
import { readQueue } from '../moderation/queue/queries.ts'
import { listMatches, listSweeps, readSweep, type SweepRow } from '../moderation/sweeps/queries.ts'
import { quarantineSweep, sweepByHash } from '../moderation/sweeps/sweep.ts'
import { sweepState } from '../moderation/sweeps/sweep-input.ts'
import {
  AdminError,
  type Command,
  isOneOf,
  LIST_WINDOW,
  listLines,
  noArguments,
  oneArgument,
  type Run,
  refusalText,
  UsageError,
  uidArgument,
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

const reports: Command[] = [
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
          `${target_type}  ${target_id}  ${counted(reports, 'report')}  ${kinds.join(',')}  ${target_name}`,
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
]

async function decideOnAppeal({ core, args }: Run): Promise<string> {
  const [login, id, outcome, ...words] = args
  if (!login || !id || !outcome || !words.length) throw new UsageError()
  if (!isOneOf(outcomes, outcome)) throw new AdminError(`The outcome is ${outcomes.join(' or ')}`)
  const uid = uidArgument(id)
  const { uid: user_uid } = await findOperator(core, login)
  await refusalText(decideAppeal(core, { user_uid }, { uid, outcome, reasons: words.join(' ') }))
  return `${uid}: ${outcome}`
}

const appeals: Command[] = [
  {
    name: 'appeals list',
    summary: 'list appeals that nobody decided yet, the oldest first',
    help: `Prints uid, time, the decision, its target, and what the person wrote.

Next: "appeals decide", or /operator/moderation/appeals in the console.`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const open = await listOpenAppeals(core.sql)
      const lines = open.map(({ uid, created_at, action, target_type, target_name, text }) =>
        [
          uid,
          created_at.toISOString(),
          action,
          target_type,
          target_name,
          text.replace(/\s+/g, ' '),
        ].join('  '),
      )
      return listLines(lines, lines.length, 'no open appeals')
    },
  },
  {
    name: 'appeals decide',
    takes: '<operator> <uid> upheld|reversed <reasons…>',
    summary: 'decide an appeal, as an operator',
    help: `upheld: the decision stays. reversed: it is undone. The person is mailed the reasons. Whoever made
the decision cannot decide the appeal while somebody else can.

Next: "appeals list".`,
    run: decideOnAppeal,
  },
]

const sweepLine = (sweep: SweepRow): string =>
  [
    sweep.uid,
    sweep.created_at.toISOString(),
    sweepState(sweep),
    sweep.rule === null ? counted(sweep.sha256?.length ?? 0, 'hash', 'hashes') : 'a rule',
    counted(sweep.matching_files, 'file matches', 'files match'),
    ...(sweep.quarantined_at ? ['quarantined'] : []),
  ].join('  ')

async function showSweep({ core, ...rest }: Run): Promise<string> {
  const uid = uidArgument(oneArgument(rest))
  const sweep = await readSweep(core.sql, uid)
  if (!sweep) throw new AdminError(`There is no sweep ${uid}`)
  const { items, total } = await listMatches(core.sql, uid, LIST_WINDOW)
  const lines = items.map(({ file_uid, scan, filename, path, game_name, sha256 }) =>
    [file_uid, scan, path === null ? filename : `${filename}: ${path}`, game_name, sha256].join(
      '  ',
    ),
  )
  return `${sweepLine(sweep)}\n${listLines(lines, total, 'nothing matches')}`
}

async function quarantine({ core, args }: Run): Promise<string> {
  const [login, id, ground, ...words] = args
  if (!login || !id || !ground || !words.length) throw new UsageError()
  const uid = uidArgument(id)
  const { uid: user_uid } = await findOperator(core, login)
  const { quarantined, blocked } = await refusalText(
    quarantineSweep(core, { user_uid }, uid, { ground, facts: words.join(' ') }),
  )
  return `quarantined ${counted(quarantined, 'file')}, blocked ${counted(blocked, 'hash', 'hashes')}`
}

const sweeps: Command[] = [
  {
    name: 'sweeps list',
    summary: 'list the searches of stored files by hash or rule, the newest hundred first',
    help: `Prints uid, time, state, what is searched for, and how many files match.

Next: "sweeps show".`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const { items, total } = await listSweeps(core.sql, LIST_WINDOW)
      return listLines(items.map(sweepLine), total, 'no sweeps')
    },
  },
  {
    name: 'sweeps show',
    takes: '<uid>',
    summary: 'show a sweep and the files that match',
    help: `Prints uid, state, name, listing and hash of the first hundred matches.

Next: "sweeps quarantine", or /operator/moderation/sweeps in the console.`,
    run: showSweep,
  },
  {
    name: 'sweeps start',
    takes: '<operator> <sha256…>',
    summary: 'find stored files by the SHA-256 of their content, as an operator',
    help: `Finds whole files and files within them. Changes nothing. Searches by rule are started in the
console.

Next: "sweeps show".`,
    async run({ core, args }) {
      const [login, ...hashes] = args
      if (!login || !hashes.length) throw new UsageError()
      const { uid: user_uid } = await findOperator(core, login)
      return refusalText(sweepByHash(core, { user_uid }, hashes))
    },
  },
  {
    name: 'sweeps quarantine',
    takes: '<operator> <uid> <ground> <facts…>',
    summary: 'quarantine all matches of a sweep and block their hashes, as an operator',
    help: `Each file is a decision of its own, with a statement of reasons for its publisher, and can be
restored. The grounds are those of "reports decide".

Next: "sweeps show".`,
    run: quarantine,
  },
]

/** What moderators do, for the command line. */
export const moderationCommands: Command[] = [...reports, ...appeals, ...sweeps]
