import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type {
  CallToolResult,
  McpHttpHandler,
  Server,
  Tool as WireTool,
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOperatorScope } from '../../accounts/keys/scopes.ts'
import { isOperator } from '../../accounts/people/operator-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { hasBody } from '../../core/http/body-arrival.ts'
import type { CallResult } from '../../core/http/call.ts'
import { NOT_JSON } from '../../core/http/text-input.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { once } from '../../core/runtime/once.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { version } from '../../core/runtime/version.ts'
import { type ReadyTool, readyTool, type Schema } from '../tools/tool.ts'
import { type Caller, callTool, mayCall } from './call-tool.ts'
import type { AgentPrompt } from './prompts.ts'
import { type AgentResource, findResource, isTemplate } from './resources.ts'
import { serverNames, type ToolServer } from './tool-servers.ts'

type Library = typeof import('@modelcontextprotocol/server')
type Tools = Map<string, ReadyTool>

const MAX_NAME_SHOWN = 100
const RESOURCE_TYPE = 'application/json'
const handlers = perCore(() => new Map<ToolServer, () => Promise<McpHttpHandler>>())

type McpRequest = { core: Core; who: Identity; request: FastifyRequest; reply: FastifyReply }

/** Answers one message. There are no sessions, so any process can answer any message. */
export async function serveMcp(server: ToolServer, { core, who, request, reply }: McpRequest) {
  // The library would run a whole batch, which the rate limits count as one request.
  if (Array.isArray(request.body)) refuse('MALFORMED', undefined, 'Send one message at a time')
  if (!hasBody(request.headers)) refuse('MALFORMED', undefined, NOT_JSON)
  const handler = await handlerOf(core, server)
  const token = tokenOf(request)
  const closed = new AbortController()
  reply.raw.once('close', () => closed.abort())
  const caller: Caller = { core, request, who, token }
  const web_request = new Request(`${core.addresses.base_url}${server.path}`, {
    method: 'POST',
    headers: headersOf(request),
    signal: closed.signal,
  })
  const authInfo = { token, clientId: who.credential_uid, scopes: who.scopes, extra: { caller } }
  const response = await handler.fetch(web_request, { parsedBody: request.body, authInfo })
  reply
    .code(response.status)
    .headers(Object.fromEntries(response.headers))
    .header('access-control-allow-origin', '*')
  const { body } = response
  return reply.send(body ? Readable.fromWeb(body as ReadableStream) : undefined)
}

const tokenOf = ({ headers }: FastifyRequest) =>
  (headers.authorization?.replace(/^Bearer +/i, '') ?? String(headers.svc_games ?? '')).trim()

const headersOf = ({ headers }: FastifyRequest) =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    ),
  )

/** The library is loaded with the first message, so that an idle service uses little memory. */
function handlerOf(core: Core, server: ToolServer): Promise<McpHttpHandler> {
  const cached = handlers(core)
  const handler = cached.get(server) ?? once(() => createHandler(core, server))
  cached.set(server, handler)
  return handler()
}

async function createHandler(core: Core, server: ToolServer): Promise<McpHttpHandler> {
  const library = await import('@modelcontextprotocol/server')
  const tools: Tools = new Map(readyTools(server).map((tool) => [tool.name, tool]))
  const { instructions, prompts, resources } = server
  const capabilities = {
    tools: {},
    ...(prompts.length && { prompts: {} }),
    ...(resources.length && { resources: {} }),
  }
  return library.createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo!.extra!.caller as Caller
      const mcp = new library.Server(
        { ...serverNames(core, server), version },
        { capabilities, instructions },
      )
      handleTools(mcp, library, { tools, caller })
      if (prompts.length) handlePrompts(mcp, library, prompts)
      if (resources.length) handleResources(mcp, library, { resources, tools, caller })
      return mcp
    },
    // Tools change only with a release, so clients have nothing to subscribe to.
    {
      maxSubscriptions: 0,
      onerror: ({ message }) => core.log.debug({ error: message }, 'invalid MCP message'),
    },
  )
}

export const readyTools = ({ kind, tools, operator_tools }: ToolServer): ReadyTool[] =>
  [...tools, ...operator_tools].map((tool) => readyTool(tool, kind))

const isOperatorTool = ({ scopes }: ReadyTool) => scopes.flat().some(isOperatorScope)

const invalidParams = ({ ProtocolError, ProtocolErrorCode }: Library, message: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)

function handleTools(
  mcp: Server,
  library: Library,
  { tools, caller }: { tools: Tools; caller: Caller },
) {
  mcp.setRequestHandler('tools/list', async () => {
    const { core, who } = caller
    const operates = who.scopes.some(isOperatorScope) && (await isOperator(core.sql, who.user_uid))
    const offered = [...tools.values()].filter(
      (tool) => mayCall(tool, who) && (operates || !isOperatorTool(tool)),
    )
    return { tools: offered.map(wireTool) }
  })
  mcp.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool)
      throw invalidParams(library, `There is no tool ${params.name.slice(0, MAX_NAME_SHOWN)}`)
    return wireResult(await callTool(caller, tool, params.arguments ?? {}))
  })
}

function handlePrompts(mcp: Server, library: Library, prompts: AgentPrompt[]) {
  mcp.setRequestHandler('prompts/list', async () => ({
    prompts: prompts.map(({ text: _, ...prompt }) => prompt),
  }))
  mcp.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name)
    if (!prompt)
      throw invalidParams(library, `There is no prompt ${params.name.slice(0, MAX_NAME_SHOWN)}`)
    const args = params.arguments ?? {}
    const missing = prompt.arguments.find(({ name, required }) => required && !args[name]?.trim())
    if (missing) throw invalidParams(library, `${missing.name}: ${missing.description}`)
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(args) } }],
    }
  })
}

type ResourceParts = { resources: AgentResource[]; tools: Tools; caller: Caller }

/** Resources are read with their tools, so scopes, rules and the call log are the same. */
function handleResources(mcp: Server, library: Library, parts: ResourceParts) {
  const { resources, tools, caller } = parts
  const offered = resources.filter(({ tool }) => mayCall(tools.get(tool)!, caller.who))
  mcp.setRequestHandler('resources/list', async () => ({
    resources: offered
      .filter((resource) => !isTemplate(resource))
      .map(({ tool: _, ...resource }) => ({ ...resource, mimeType: RESOURCE_TYPE })),
  }))
  mcp.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: offered.filter(isTemplate).map(({ tool: _, uri, ...resource }) => ({
      ...resource,
      uriTemplate: uri,
      mimeType: RESOURCE_TYPE,
    })),
  }))
  mcp.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const match = findResource(resources, uri)
    if (!match) throw new library.ResourceNotFoundError(uri)
    const answer = await callTool(caller, tools.get(match.tool)!, match.args)
    if (answer.ok)
      return { contents: [{ uri, mimeType: RESOURCE_TYPE, text: JSON.stringify(answer.data) }] }
    if (answer.status === 404) throw new library.ResourceNotFoundError(uri)
    throw new library.ProtocolError(library.ProtocolErrorCode.InvalidRequest, refusalText(answer))
  })
}

/** A list of no required arguments says nothing. */
function withoutEmpty({ required, ...schema }: Schema): Schema {
  return required?.length ? { ...schema, required } : schema
}

function wireTool(tool: ReadyTool): WireTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: withoutEmpty(tool.input_schema) as WireTool['inputSchema'],
    outputSchema: outline(tool) as WireTool['outputSchema'],
    annotations: {
      // The protocol ignores the other two hints of tools that only read.
      ...(tool.reads_only
        ? { readOnlyHint: true }
        : {
            destructiveHint: tool.destructive === true,
            idempotentHint: tool.calls.every(
              ({ method }) => method !== 'POST' && method !== 'PATCH',
            ),
          }),
      openWorldHint: false,
    },
  }
}

/**
 * The names and types of what a tool reads, without their inner parts; a tool that writes answers
 * an object. Hosts send the whole list of tools to the model, and the full schemas are several
 * times as long as everything else.
 */
function outline({ output_schema: { properties = {} }, reads_only }: ReadyTool): Schema {
  if (!reads_only) return { type: 'object' }
  const types = Object.entries(properties).map(([name, { type }]) => [name, type ? { type } : {}])
  return { type: 'object', properties: Object.fromEntries(types) }
}

/** A refusal has the form of the API, so that programs find its code, message and details. */
function wireResult(answer: CallResult): CallToolResult {
  if (answer.ok)
    return {
      content: [{ type: 'text', text: JSON.stringify(answer.data) }],
      structuredContent: answer.data,
    }
  return { isError: true, content: [{ type: 'text', text: refusalText(answer) }] }
}

function refusalText({ status, code, message, details }: CallResult & { ok: false }): string {
  const body = {
    success: false,
    error: { code, message },
    ...(Object.keys(details).length ? { data: details } : {}),
  }
  return `API ${status}: ${JSON.stringify(body)}`
}
