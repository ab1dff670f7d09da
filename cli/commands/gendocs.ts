import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, globalFlags } from '../command.ts'
import { UsageError } from '../errors.ts'
import { environment, exitCodes, flagRow, usage } from '../terminal/help.ts'

export const REFERENCE = 'uploader-commands.md'

export const gendocs = (all: () => readonly Command[]): Command => ({
  name: 'gendocs',
  summary: 'Write the command reference as Markdown',
  is_local: true,
  flags: [{ name: 'dir', value: '<folder>', summary: 'Where to write it', required: true }],
  async run({ text }) {
    const folder = text('dir')!
    const path = join(folder, REFERENCE)
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, reference(all()))
    } catch (error) {
      throw new UsageError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`)
    }
    return { json: { ok: true, file: path }, lines: [`wrote ${path}`] }
  },
})

function reference(commands: readonly Command[]): string {
  const lines = [
    '# The commands of slipway',
    '',
    'Written by `slipway gendocs`. How to use them: [uploader.md](uploader.md).',
    '',
    '## Flags of every command',
    '',
    ...flagTable(globalFlags.map(flagRow)),
    '',
    '## Environment',
    '',
    ...listing('Name', environment),
    '',
    '## Exit codes',
    '',
    ...listing('Code', exitCodes),
    '',
    ...commands.flatMap(section),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

function section(command: Command): string[] {
  const { name, summary, details = [], args = [], flags = [], examples = [] } = command
  return [
    `## slipway ${name}`,
    '',
    `${summary}.`,
    '',
    ...details.flatMap((paragraph) => [escaped(paragraph), '']),
    '```',
    usage(command),
    '```',
    '',
    ...(args.length ? [...args.map((one) => `- \`${one.name}\`: ${one.summary}`), ''] : []),
    ...(flags.length ? [...flagTable(flags.map(flagRow)), ''] : []),
    ...(examples.length ? ['```', ...examples, '```', ''] : []),
  ]
}

const flagTable = (rows: [string, string][]) => listing('Flag', rows)

function listing(head: string, rows: [string, string][]): string[] {
  return [
    `| ${head} | |`,
    '|---|---|',
    ...rows.map(([name, text]) => `| \`${name}\` | ${escaped(text).replaceAll('|', '\\|')} |`),
  ]
}

const escaped = (text: string) => text.replace(/[<>]/g, '\\$&')
