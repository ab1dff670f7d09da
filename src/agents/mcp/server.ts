import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type {
  CallToolResult,
  McpHttpHandler,
  Server,
  Tool as WireTool,
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { scopesCover } from '../../accounts/keys/scopes.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { CallResult } from '../../core/http/call.ts'
import { version } from '../../core/http/openapi.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { type ReadyTool, readyTool } from '../tools/tool.ts'
import { type Caller, callTool } from './call-tool.ts'
import type { AgentPrompt } from './prompts.ts'
import { type AgentResource, findResource, isTemplate } from './resources.ts'
import type { ToolServer } from './tool-servers.ts'

type Ready = { handler: McpHttpHandler; tools: Map<string, ReadyTool> }
const readyServers = perCore(() => new Map<ToolServer, Promise<Ready>>())

/** Serves one message. No session, nothing kept: any process answers any of them. */
export async function serveMcp(
  core: Core,
  server: ToolServer,
  who: Identity,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  // The library would run all of a list, which the limits count as one.
  if (Array.isArray(request.body)) refuse('MALFORMED', undefined, 'Send one message at a time')
  const { handler } = await readyServer(core, server)
  const token = tokenOf(request)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const caller: Caller = { core, request, who, token }
  const web = new Request(`${core.addresses.base_url}${server.path}`, {
    method: 'POST',
    headers: headersOf(request),
    signal: gone.signal,
  })
  const authInfo = { token, clientId: who.credential_uid, scopes: who.scopes, extra: { caller } }
  const response = await handler.fetch(web, { parsedBody: request.body, authInfo })
  reply
    .code(response.status)
    .headers(Object.fromEntries(response.headers))
    .header('access-control-allow-origin', '*')
  return reply.send(response.body ? Readable.fromWeb(response.body as ReadableStream) : '')
}

const tokenOf = ({ headers }: FastifyRequest) =>
  (headers.authorization?.replace(/^Bearer +/i, '') ?? String(headers.svc_games ?? '')).trim()

const headersOf = ({ headers }: FastifyRequest) =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    ),
  )

/** The library is loaded with the first message: an idle service is meant to stay small. */
function readyServer(core: Core, server: ToolServer): Promise<Ready> {
  const known = readyServers(core)
  const made = known.get(server) ?? makeServer(core, server)
  known.set(server, made)
  return made
}

async function makeServer(core: Core, server: ToolServer): Promise<Ready> {
  const library = await import('@modelcontextprotocol/server')
  const tools = new Map(readyTools(core, server).map((tool) => [tool.name, tool]))
  const { name, title, instructions, prompts, resources } = server
  const handler = library.createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo!.extra!.caller as Caller
      const more = {
        ...(prompts.length && { prompts: {} }),
        ...(resources.length && { resources: {} }),
      }
      const made = new library.Server(
        { name, title, version },
        { capabilities: { tools: {}, ...more }, instructions },
      )
      answerTools(made, tools, caller, (tool) => {
        throw new library.ProtocolError(
          library.ProtocolErrorCode.InvalidParams,
          `There is no tool ${tool.slice(0, 100)}`,
        )
      })
      if (prompts.length) answerPrompts(made, prompts, library)
      if (resources.length) answerResources(made, resources, tools, caller, library)
      return made
    },
    // Tools change with a release, not while somebody listens.
    {
      maxSubscriptions: 0,
      onerror: ({ message }) =>
        core.log.debug({ error: message }, 'a message to the tools was not understood'),
    },
  )
  return { handler, tools }
}

export const readyTools = (core: Core, { kind, tools }: ToolServer): ReadyTool[] =>
  tools.map((tool) => readyTool(tool, core.routes, kind))

function answerTools(
  made: Server,
  tools: Map<string, ReadyTool>,
  caller: Caller,
  unknown: (name: string) => never,
) {
  made.setRequestHandler('tools/list', async () => ({
    tools: [...tools.values()].filter((tool) => mayCall(tool, caller.who)).map(wireTool),
  }))
  made.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name) ?? unknown(params.name)
    return wireResult(await callTool(caller, tool, params.arguments ?? {}))
  })
}

type Library = typeof import('@modelcontextprotocol/server')

function answerPrompts(
  made: Server,
  prompts: AgentPrompt[],
  { ProtocolError, ProtocolErrorCode }: Library,
) {
  const wrong = (message: string): never => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  }
  made.setRequestHandler('prompts/list', async () => ({
    prompts: prompts.map(({ text: _, ...shown }) => shown),
  }))
  made.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt =
      prompts.find(({ name }) => name === params.name) ??
      wrong(`There is no prompt ${params.name.slice(0, 100)}`)
    const given = params.arguments ?? {}
    const missing = prompt.arguments.find(({ name, required }) => required && !given[name]?.trim())
    if (missing) wrong(`${missing.name}: ${missing.description}`)
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
    }
  })
}

/** Read through the tools: same scopes, same rules, same line in the log. */
function answerResources(
  made: Server,
  resources: AgentResource[],
  tools: Map<string, ReadyTool>,
  caller: Caller,
  library: Library,
) {
  const offered = resources.filter(({ tool }) => mayCall(tools.get(tool)!, caller.who))
  const mimeType = 'application/json'
  made.setRequestHandler('resources/list', async () => ({
    resources: offered
      .filter((one) => !isTemplate(one))
      .map(({ tool: _, ...one }) => ({ ...one, mimeType })),
  }))
  made.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: offered
      .filter(isTemplate)
      .map(({ tool: _, uri: uriTemplate, ...one }) => ({ ...one, uriTemplate, mimeType })),
  }))
  made.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = findResource(resources, uri)
    if (!found) throw new library.ResourceNotFoundError(uri)
    const answer = await callTool(caller, tools.get(found.tool)!, found.args)
    if (answer.ok) return { contents: [{ uri, mimeType, text: JSON.stringify(answer.data) }] }
    if (answer.status === 404) throw new library.ResourceNotFoundError(uri)
    throw new library.ProtocolError(library.ProtocolErrorCode.InvalidRequest, refusalText(answer))
  })
}

/** What a token cannot use it is not offered; called all the same, the route refuses it. */
const mayCall = ({ scopes }: ReadyTool, who: Identity) =>
  scopes.every((any) => any.some((scope) => scopesCover(who.scopes, scope)))

function wireTool(tool: ReadyTool): WireTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.input_schema as WireTool['inputSchema'],
    outputSchema: tool.output_schema as WireTool['outputSchema'],
    annotations: {
      title: tool.title,
      readOnlyHint: tool.reads_only,
      destructiveHint: tool.destructive === true,
      idempotentHint: tool.routes.every(({ method }) => method !== 'POST' && method !== 'PATCH'),
      openWorldHint: false,
    },
  }
}

/** A refusal is told as the API tells it, so that code, sentence and details are where programs look for them. */
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
