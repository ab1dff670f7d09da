import { counted } from '../core/text/counted.ts'
import { readBalances } from '../payments/ledger/queries.ts'
import { verifyLedger } from '../payments/ledger/verify.ts'
import { AdminError, type Command, EXIT, noArguments } from './command.ts'

const sinceOption = (text: string | undefined): Date => {
  const since = new Date(text ?? 0)
  if (Number.isNaN(since.getTime())) throw new AdminError('--since takes a day, such as 2027-01-31')
  return since
}

export const ledgerCommands: Command[] = [
  {
    name: 'ledger verify',
    options: ['--since'],
    flags: ['--json'],
    summary: 'compare the ledger of payments with itself, the orders and the payment provider',
    help: `Checks that every transaction adds up to zero, that orders and ledger say the same, and asks the
provider about every order that was paid since --since <day>; without it, about all of them. It
changes nothing. Exit code 3 if something differs.

Next: an order that differs is listed at /operator/orders with what is wrong.`,
    async run({ core, options, flags, progress, signal, ...rest }) {
      noArguments(rest)
      const since = sinceOption(options['--since'])
      const { problems, checked } = await verifyLedger(core, {
        since,
        signal,
        progress: (count) => progress(`${count} orders compared`),
      })
      const balances = await readBalances(core.sql)
      const code = problems.length ? EXIT.problems : EXIT.done
      if (flags.has('--json'))
        return { text: JSON.stringify({ checked, problems, balances }), code }
      const text = [
        ...balances.map(
          ({ account, currency, amount_minor }) => `${account}  ${amount_minor} ${currency}`,
        ),
        ...problems.map(({ order_uid, problem }) => `${order_uid}  ${problem}`),
        problems.length
          ? `${counted(problems.length, 'problem')} in ${counted(checked, 'order')}`
          : `${counted(checked, 'order agrees', 'orders agree')} with the provider`,
      ].join('\n')
      return { text, code }
    },
  },
]
