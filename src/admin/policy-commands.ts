import { readFileSync } from 'node:fs'
import { currentPolicy, isPolicyKind, policyKinds } from '../accounts/policies/policies.ts'
import { publishPolicy } from '../accounts/policies/publish.ts'
import { listPolicyVersions, readPolicyText } from '../accounts/policies/queries.ts'
import { AdminError, type Command, noArguments, refusalText, UsageError } from './command.ts'
import { findOperator } from './people.ts'

const KINDS = policyKinds.join('|')

function readMarkdown(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new AdminError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

export const policyCommands: Command[] = [
  {
    name: 'policies list',
    summary: 'list the versions of the terms and the other policies, newest first',
    help: `Prints kind, version, the day from which it applies, when it was published, and what changed.

Next: "policies show" or "policies publish".`,
    async run({ core, ...rest }) {
      noArguments(rest)
      const versions = await listPolicyVersions(core.sql, null)
      if (!versions.length) return 'no policies'
      return versions
        .map(({ kind, version, effective_from, published_at, summary }) =>
          [kind, version, `from ${effective_from}`, published_at.toISOString(), summary]
            .join('  ')
            .trim(),
        )
        .join('\n')
    },
  },
  {
    name: 'policies show',
    takes: `<${KINDS}> [version]`,
    summary: 'print a policy as Markdown; the current version unless another is named',
    help: `The current version is the one in effect, or the newest if none is in effect yet.

Next: save it to a file, edit it, and run "policies publish".`,
    async run({ core, args }) {
      const [kind, number, ...rest] = args
      if (!kind || !isPolicyKind(kind) || rest.length) throw new UsageError()
      if (number && !/^\d{1,6}$/.test(number)) throw new UsageError()
      const versions = [...(await listPolicyVersions(core.sql, kind))].reverse()
      const version = number ? Number(number) : currentPolicy(versions, kind, new Date())?.version
      const text = version && (await readPolicyText(core.sql, kind, version))
      if (!text)
        throw new AdminError(number ? `There is no version ${number} of ${kind}` : `No ${kind} yet`)
      return text
    },
  },
  {
    name: 'policies publish',
    takes: `<operator> <${KINDS}> <file.md> [day]`,
    summary: 'publish a Markdown file as the next version of a policy, as an operator',
    help: `It applies from today, or from the day you name, as 2027-01-31, up to a year ahead. Versions are
never changed or removed. People accept a new version of the terms on their next visit. A text with
a placeholder of a template ([[…]]) is refused.

Next: "policies list".`,
    async run({ core, args }) {
      const [login, kind, path, effective_from, ...rest] = args
      if (!login || !kind || !isPolicyKind(kind) || !path || rest.length) throw new UsageError()
      const text = readMarkdown(path)
      const { uid } = await findOperator(core, login)
      const { version, effective_from: day } = await refusalText(
        publishPolicy(core, uid, { kind, text, effective_from }),
      )
      return `published version ${version} of ${kind}, from ${day}`
    },
  },
]
