import { formatBytes } from '../core/runtime/format-bytes.ts'
import { counted } from '../core/text/counted.ts'
import { findAuditEntries } from '../operator/console/audit-queries.ts'
import {
  findListings,
  findPeople,
  listingState,
  listingStates,
} from '../operator/console/queries.ts'
import { type FileState, fileStates, findFiles } from '../operator/files/queries.ts'
import { scanAgain } from '../operator/files/scan-again.ts'
import { mailStates, readOutbox } from '../operator/mail/queries.ts'
import { resendMail } from '../operator/mail/resend.ts'
import {
  type Command,
  isOneOf,
  LIST_WINDOW,
  listLines,
  oneArgument,
  refusalText,
  UsageError,
  uidArgument,
} from './command.ts'

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
      const lines = rows.map((person) =>
        [
          `${person.uid}  ${person.username}  ${person.email}  ${counted(person.listings, 'listing')}`,
          ...(person.email_verified ? [] : ['not verified']),
          ...(person.suspension ? [`suspended from ${person.suspension.scope}`] : []),
          ...(person.moderator ? ['moderator'] : []),
          ...(person.operator ? ['operator'] : []),
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
    name: 'mail list',
    takes: `[${mailStates.join('|')}]`,
    summary: 'list the mails of the last 30 days, the newest hundred first',
    help: `Prints uid, time, state, job, the shortened recipient and the answer of the mail server.

Next: "mail resend", or /operator/mail in the console.`,
    async run({ core, args }) {
      const [state] = args
      if (args.length > 1 || (state && !isOneOf(mailStates, state))) throw new UsageError()
      const { rows, total } = await readOutbox(core.sql, state as undefined, LIST_WINDOW)
      const lines = rows.map(({ uid, created_at, state: current, kind, recipient, error }) =>
        [uid, created_at.toISOString(), current, kind, recipient ?? '', error].join('  ').trim(),
      )
      return listLines(lines, total, 'no mails')
    },
  },
  {
    name: 'mail resend',
    takes: '<uid>',
    summary: 'retry a mail that failed, or send one again',
    help: `A mail that was sent is sent again if it contains no code and no link that works once; the person
can request those again. It is recorded in the audit entries.

Next: "mail list".`,
    async run({ core, ...rest }) {
      const uid = uidArgument(oneArgument(rest))
      await refusalText(resendMail(core, null, uid))
      return `queued ${uid}`
    },
  },
  {
    name: 'files list',
    takes: `[${fileStates.join('|')}]`,
    summary: 'list the files of builds and their scans, the newest hundred first',
    help: `Prints uid, time, state, size, name, listing and what the scan found.

Next: "files scan", or /operator/files in the console, which also searches.`,
    async run({ core, args }) {
      const [state] = args
      if (args.length > 1 || (state && !isOneOf(fileStates, state))) throw new UsageError()
      const filter = { q: '', state: state as FileState | undefined, ...LIST_WINDOW }
      const { rows, total } = await findFiles(core.sql, filter)
      const lines = rows.map(({ uid, uploaded_at, size, filename, finding, ...file }) =>
        [
          uid,
          uploaded_at.toISOString(),
          file.state,
          formatBytes(size),
          filename,
          `/${file.username}/${file.vanity_name}`,
          finding ?? '',
        ]
          .join('  ')
          .trim(),
      )
      return listLines(lines, total, 'no files')
    },
  },
  {
    name: 'files scan',
    takes: '<uid>',
    summary: 'scan a stored file again',
    help: `The file stays available meanwhile. If the scan finds a threat, the file is rejected, its bytes are
removed and its owner is mailed.

Next: "files list".`,
    async run({ core, ...rest }) {
      const uid = uidArgument(oneArgument(rest))
      await refusalText(scanAgain(core, uid))
      return `queued a scan of ${uid}`
    },
  },
  {
    name: 'audit list',
    takes: '[beginning]',
    summary: 'list actions that concern security, the newest hundred first',
    help: `Prints time, who did it, the action and what it was done to. "audit list operator." shows only
actions whose name begins so. Nobody is named for what was done on the command line.

Next: /operator/security-events in the console shows what happened to accounts.`,
    async run({ core, args }) {
      const [action = ''] = args
      if (args.length > 1) throw new UsageError()
      const filter = { action, user_uid: undefined }
      const { rows, total } = await findAuditEntries(core.sql, filter, LIST_WINDOW)
      const lines = rows.map(({ at, username, action: name, detail }) =>
        [at.toISOString(), username ?? '-', name, JSON.stringify(detail)].join('  '),
      )
      return listLines(lines, total, 'no entries')
    },
  },
]
