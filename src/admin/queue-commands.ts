import { isUuid } from '../core/security/crypto.ts'
import { type Command, noArguments, UsageError } from './command.ts'

export const queueCommands: Command[] = [
  {
    name: 'jobs dead',
    summary: 'jobs that used up their attempts, newest first',
    help: `Lists the newest hundred with id, time, name, attempts and the last error.

Next: mend what the error names, then "jobs replay".`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const dead = await core.jobs.dead()
      if (!dead.length) return 'no dead jobs'
      return dead
        .map(
          ({ id, name, error, failed_at, attempts }) =>
            `${id}  ${failed_at.toISOString()}  ${name}  ${attempts} attempts  ${error}`,
        )
        .join('\n')
    },
  },
  {
    name: 'jobs replay',
    takes: '<id…|all>',
    summary: 'give them all their attempts again',
    help: `Puts dead jobs back into their queues; any process with the role worker takes them up. Jobs are safe to run twice.

Next: "jobs dead" says whether they failed again.`,
    async run({ core, args }) {
      if (!args.length || !args.every((id) => id === 'all' || isUuid(id))) throw new UsageError()
      return `replayed ${await core.jobs.replay(args.includes('all') ? 'all' : args)}`
    },
  },
]
