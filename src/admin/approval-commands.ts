import { invitationLimits, makeInvitation } from '../accounts/invitations/invitations.ts'
import { endInvitation, listInvitations } from '../accounts/invitations/queries.ts'
import { type ApprovalState, approvalStates } from '../accounts/publishing/publishing.ts'
import { listApprovals } from '../accounts/publishing/queries.ts'
import { isUuid } from '../core/security/crypto.ts'
import { listReleases } from '../listings/publishing/release-queries.ts'
import { type ReleaseState, releaseStates } from '../listings/publishing/releases.ts'
import { decidePublisher, publisherDecisions } from '../operator/publishers/decide.ts'
import { decideHeldRelease, releaseDecisions } from '../operator/releases/decide.ts'
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
} from './command.ts'
import { findOperator } from './people.ts'

/** The operator, what is decided about, the decision and the reason. */
function decisionArguments<Decision extends string>(
  { args }: Pick<Run, 'args'>,
  decisions: readonly Decision[],
) {
  const [login, subject, decision, ...words] = args
  if (!login || !subject || !decision || !isOneOf(decisions, decision)) throw new UsageError()
  return { login, subject, decision, reason: words.join(' ') }
}

const publishers: Command[] = [
  {
    name: 'publishers list',
    takes: `[${approvalStates.join('|')}]`,
    summary: 'list who asked for the right to publish, has it, or was declined',
    help: `Prints username, address, state and what the person wrote; without a state, those who wait.

Next: "publishers decide", or /operator/approvals in the console.`,
    async run({ core, args }) {
      const [state = 'requested'] = args
      if (args.length > 1 || !isOneOf(approvalStates, state)) throw new UsageError()
      const { rows, total } = await listApprovals(core.sql, state as ApprovalState, LIST_WINDOW)
      const lines = rows.map(({ username, email, request, reason }) =>
        [username, email, state, (request || reason).replace(/\s+/g, ' ')].join('  ').trim(),
      )
      return listLines(lines, total, 'nobody')
    },
  },
  {
    name: 'publishers decide',
    takes: '<operator> <person> approve|decline [reason…]',
    summary: 'give a person the right to publish, or decline it, as an operator',
    help: `Also without a request, and to take the right back; public listings stay. To decline needs a
reason. The person is mailed.

Next: "publishers list".`,
    async run(run) {
      const { login, subject, decision, reason } = decisionArguments(run, publisherDecisions)
      const { uid: decided_by } = await findOperator(run.core, login)
      const change = { decision, reason, decided_by }
      const { username, state } = await refusalText(decidePublisher(run.core, subject, change))
      return `${username}: ${state}`
    },
  },
]

const releases: Command[] = [
  {
    name: 'releases list',
    takes: `[${releaseStates.join('|')}]`,
    summary: 'list first releases that wait for a review, or were decided',
    help: `Prints uid, address, state, when it was requested, and name; without a state, those that wait.

Next: "releases decide", or /operator/approvals in the console, which shows the page.`,
    async run({ core, args }) {
      const [state = 'waiting'] = args
      if (args.length > 1 || !isOneOf(releaseStates, state)) throw new UsageError()
      const { rows, total } = await listReleases(core.sql, state as ReleaseState, LIST_WINDOW)
      const lines = rows.map(({ game_uid, username, vanity_name, requested_at, name }) =>
        [game_uid, `/${username}/${vanity_name}`, state, requested_at.toISOString(), name].join(
          '  ',
        ),
      )
      return listLines(lines, total, 'no releases')
    },
  },
  {
    name: 'releases decide',
    takes: '<operator> <listing> approve|decline [reason…]',
    summary: 'publish a first release, or decline it with a reason, as an operator',
    help: `The listing is named by its uid or its vanity name. It is published only if it passes the
listing check. To decline needs a reason. The owner is mailed.

Next: "releases list".`,
    async run(run) {
      const { login, subject, decision, reason } = decisionArguments(run, releaseDecisions)
      const { uid: user_uid } = await findOperator(run.core, login)
      const decided = decideHeldRelease(run.core, { user_uid }, subject, { decision, reason })
      const { name, state } = await refusalText(decided)
      return `${name}: ${state}`
    },
  },
]

/** A whole number from 1 to the maximum. */
function countOf(text: string, max: number): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > max)
    throw new AdminError(`${text} is not a number from 1 to ${max}`)
  return Number(text)
}

const invitations: Command[] = [
  {
    name: 'invitations list',
    summary: 'list the invitations to sign up, the newest hundred first',
    help: `Prints uid, uses, when it ends, whether people with it may publish, and the note.

Next: "invitations create" or "invitations end".`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const { rows, total } = await listInvitations(core.sql, LIST_WINDOW)
      const lines = rows.map(({ uid, uses, max_uses, expires_at, may_publish, note }) =>
        [
          `${uid}  ${uses} of ${max_uses} used  until ${expires_at.toISOString()}`,
          ...(may_publish ? ['may publish'] : []),
          ...(note ? [note] : []),
        ].join('  '),
      )
      return listLines(lines, total, 'no invitations')
    },
  },
  {
    name: 'invitations create',
    takes: '<operator> [uses] [days]',
    flags: ['--may-publish'],
    summary: 'make an invitation to sign up, as an operator',
    help: `Prints the link, which is shown only once. It works for one person and 14 days, unless you say
otherwise. With --may-publish, people who sign up with it may publish without an approval.

Next: send the link to the people you invite.`,
    async run({ core, args, flags }) {
      const [login, uses = '1', days = '14', ...rest] = args
      if (!login || rest.length) throw new UsageError()
      const request = {
        note: '',
        max_uses: countOf(uses, invitationLimits.uses),
        expires_in_days: countOf(days, invitationLimits.days),
        may_publish: flags.has('--may-publish'),
      }
      const { uid } = await findOperator(core, login)
      const { url } = await makeInvitation(core, uid, request)
      return url
    },
  },
  {
    name: 'invitations end',
    takes: '<uid>',
    summary: 'end an invitation; accounts that were made with it stay',
    help: `The link stops to work at once.

Next: "invitations list".`,
    async run({ core, ...rest }) {
      const uid = oneArgument(rest)
      const ended = isUuid(uid) && (await endInvitation(core.sql, uid))
      if (!ended) throw new AdminError(`There is no invitation ${uid}`)
      return `ended ${uid}`
    },
  },
]

export const approvalCommands: Command[] = [...publishers, ...releases, ...invitations]
