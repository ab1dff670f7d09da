import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, globalFlags } from '../command.ts'
import { UsageError } from '../errors.ts'
import { later, t } from '../messages.ts'
import { environment, exitCodes, flagRow, usage } from '../terminal/help.ts'

export const REFERENCE = 'uploader-commands.md'

export const gendocs = (all: () => readonly Command[]): Command => ({
  name: 'gendocs',
  summary: later('gendocs'),
  is_local: true,
  flags: [{ name: 'dir', value: '<folder>', summary: later('gendocs-dir'), required: true }],
  async run({ text }) {
    const folder = text('dir')!
    const path = join(folder, REFERENCE)
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, reference(all()))
    } catch (error) {
      throw new UsageError(
        t('file-unwritable', { path, code: String((error as NodeJS.ErrnoException).code) }),
      )
    }
    return { json: { ok: true, file: path }, lines: [t('file-written', { path })] }
  },
})

function reference(commands: readonly Command[]): string {
  const lines = [
    `# ${t('gendocs-title')}`,
    '',
    t('gendocs-about'),
    '',
    `## ${t('gendocs-global-flags')}`,
    '',
    ...flagTable(globalFlags.map(flagRow)),
    '',
    `## ${t('gendocs-environment')}`,
    '',
    ...listing(t('gendocs-name'), environment()),
    '',
    `## ${t('gendocs-exit-codes')}`,
    '',
    ...listing(t('gendocs-code'), exitCodes()),
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
    `${summary()}.`,
    '',
    ...details.flatMap((paragraph) => [escaped(paragraph()), '']),
    '```text',
    usage(command),
    '```',
    '',
    ...(args.length ? [...args.map(({ name, summary }) => `- \`${name}\`: ${summary()}`), ''] : []),
    ...(flags.length ? [...flagTable(flags.map(flagRow)), ''] : []),
    ...(examples.length ? ['```sh', ...examples, '```', ''] : []),
  ]
}

const flagTable = (rows: [string, string][]) => listing(t('gendocs-flag'), rows)

function listing(head: string, rows: [string, string][]): string[] {
  return [
    `| ${head} | |`,
    '|---|---|',
    ...rows.map(([name, text]) => `| \`${name}\` | ${escaped(text).replaceAll('|', '\\|')} |`),
  ]
}

const escaped = (text: string) => text.replace(/[<>]/g, '\\$&')
