import { isUuid } from '../core/security/crypto.ts'
import { counted } from '../core/text/counted.ts'
import { type Command, noArguments, UsageError } from './command.ts'

export const queueCommands: Command[] = [
  {
    name: 'jobs dead',
    summary: 'list jobs that used all their attempts, newest first',
    help: `Lists the newest hundred with id, time, name, attempts and the last error.

Next: fix the cause, then run "jobs replay".`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const dead = await core.jobs.dead()
      if (!dead.length) return 'no dead jobs'
      return dead
        .map(
          ({ id, name, error, failed_at, attempts }) =>
            `${id}  ${failed_at.toISOString()}  ${name}  ${counted(attempts, 'attempt')}  ${error}`,
        )
        .join('\n')
    },
  },
  {
    name: 'jobs replay',
    takes: '<id…|all>',
    summary: 'retry dead jobs',
    help: `Puts dead jobs back into their queues, where any process with the role worker runs them.
Jobs are safe to run twice.

Next: "jobs dead" shows whether they failed again.`,
    async run({ core, args }) {
      if (!args.length || !args.every((id) => id === 'all' || isUuid(id))) throw new UsageError()
      return `replayed ${await core.jobs.replay(args.includes('all') ? 'all' : args)}`
    },
  },
]
