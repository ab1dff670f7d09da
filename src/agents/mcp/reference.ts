import type { Core } from '../../core/runtime/core.ts'
import type { ReadyTool, Schema } from '../tools/tool.ts'
import { readyTools } from './server.ts'
import { type ToolServer, toolServers } from './tool-servers.ts'

const kinds = ({
  type,
  enum: values,
  anyOf,
  items,
}: Schema & { enum?: unknown[]; anyOf?: Schema[]; items?: Schema }): string => {
  if (values) return values.map((value) => `\`${value}\``).join(', ')
  if (anyOf) return anyOf.map(kinds).join(' or ')
  if (type === 'array') return `list of ${items ? kinds(items) : 'anything'}`
  return [type ?? 'anything'].flat().join(' or ')
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function argument(name: string, schema: Schema, needed: boolean): string {
  return `| \`${name}\`${needed ? '' : ' (optional)'} | ${cell(kinds(schema))} | ${cell(String(schema.description ?? ''))} |`
}

function tool({
  name,
  description,
  scopes,
  calls,
  input_schema,
  reads_only,
  destructive,
  approval,
}: ReadyTool): string {
  const args = Object.entries(input_schema.properties ?? {})
  const notes = [
    scopes.length
      ? `scope ${scopes.map((any) => any.map((scope) => `\`${scope}\``).join(' or ')).join(', and ')}`
      : 'any scope',
    reads_only ? 'reads only' : destructive ? 'cannot be taken back' : 'changes things',
    ...(approval ? ['may wait for approval'] : []),
  ]
  const table = args.map(([arg, schema]) =>
    argument(arg, schema, input_schema.required?.includes(arg) === true),
  )
  return [
    `### ${name}`,
    '',
    `${description} (${notes.join('; ')})`,
    '',
    `Calls ${calls.map((route) => `\`${route}\``).join(', ')}.`,
    ...(table.length ? ['', '| Argument | Type | |', '|---|---|---|', ...table] : []),
    '',
  ].join('\n')
}

const server = (core: Core, one: ToolServer) =>
  [`## ${one.title}: \`${one.path}\``, '', ...readyTools(core, one).map(tool)].join('\n')

/** The reference of all tools, in Markdown, from the tools themselves. */
export const toolReference = (core: Core) =>
  [
    '# Tools',
    '',
    'Made from the code by `test/agents/docs.test.ts`; do not edit. What a tool answers is what its route answers, see the API reference.',
    'A refusal is a tool error whose text is `API <status>: {"success":false,"error":{"code","message"},"data"}`.',
    '',
    ...toolServers.map((one) => server(core, one)),
  ].join('\n')
