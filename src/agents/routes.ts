import { Type } from 'typebox'
import { listCalls } from '../accounts/keys/call-log-queries.ts'
import { website } from '../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../core/http/paging.ts'
import {
  anyone,
  Checked,
  FreeForm,
  Nullable,
  nameSchemas,
  OneOf,
  type Route,
  route,
  Timestamp,
  Uid,
} from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { retention } from '../core/runtime/retention.ts'
import { perAccount, perIp } from '../core/security/limits.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { protocolFailure } from './mcp/protocol-errors.ts'
import { toolReference } from './mcp/reference.ts'
import { serveMcp } from './mcp/server.ts'
import { type ToolServer, toolServers, toolUser } from './mcp/tool-servers.ts'

const Text = Type.String()

const MessageId = Type.Union([Type.String(), Type.Integer()], {
  description: 'The id of the request; a notification has none',
})
const JsonRpcMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(MessageId),
    method: Type.String({ description: 'A method of the Model Context Protocol' }),
    params: Type.Optional(FreeForm('As the protocol says for the method')),
  },
  { title: 'JsonRpcMessage' },
)
const JsonRpcAnswer = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Nullable(MessageId),
    result: Type.Optional(FreeForm('As the protocol says for the method')),
    error: Type.Optional(
      Type.Object({
        code: Type.Integer(),
        message: Type.String(),
        data: Type.Optional(FreeForm('Code and details of the refusal')),
      }),
    ),
  },
  { title: 'JsonRpcAnswer' },
)

const toolRoute = (server: ToolServer): Route =>
  route({
    method: 'POST',
    url: server.path,
    summary: `${server.title}: tools over the Model Context Protocol`,
    description:
      'Send `Accept: application/json, text/event-stream`. Answers are an event stream whose ' +
      'data is a JsonRpcAnswer, and JSON for protocol version 2026-07-28.',
    auth: toolUser(server),
    limits: [perIp(600, { bucket: 'tools' }), perAccount(600, { bucket: 'tools' })],
    // The MCP library validates messages.
    body: Checked(JsonRpcMessage),
    envelope: false,
    produces: 'text/event-stream',
    described: {
      headers: {
        'MCP-Protocol-Version': Type.String({
          description: 'The version of the protocol, such as 2025-11-25',
        }),
      },
      data: JsonRpcAnswer,
      failure: JsonRpcAnswer,
      answers: {
        202: { description: 'The notification or response was received' },
        406: { description: 'The header Accept lacks a media type', data: JsonRpcAnswer },
      },
    },
    cors: true,
    cache: 'no-store',
    errors: ['UNAVAILABLE'],
    failure_body: protocolFailure,
    handle: (input) => serveMcp(server, input),
  })

/** Clients may try to open a stream or end a session, and expect a 405 from a server without. */
const closedRoute = (server: ToolServer, method: 'GET' | 'DELETE'): Route =>
  route({
    method,
    url: server.path,
    summary: 'Messages are sent by POST',
    hidden: true,
    method_not_allowed: true,
    auth: anyone,
    cors: true,
    cache: 'no-store',
    limits: [perIp(600, { bucket: 'tools' })],
    errors: ['METHOD_NOT_ALLOWED'],
    failure_body: protocolFailure,
    handle: () =>
      refuse(
        'METHOD_NOT_ALLOWED',
        undefined,
        'Send messages by POST. This server has no streams and no sessions',
        { allow: 'POST, OPTIONS' },
      ),
  })

export const toolRoutes = toolServers.flatMap((server) => [
  toolRoute(server),
  closedRoute(server, 'GET'),
  closedRoute(server, 'DELETE'),
])

const toolReferenceRoute = route({
  method: 'GET',
  url: '/docs/agents/tools.md',
  summary: 'The reference of all agent tools, in Markdown',
  auth: anyone,
  limits: [perIp(120, { bucket: 'discovery' })],
  cache: 'public, max-age=600',
  envelope: false,
  produces: 'text/markdown',
  handle: ({ reply }) => reply.type('text/markdown; charset=utf-8').send(toolReference()),
})

const agentDocsRoute = route({
  method: 'GET',
  url: '/docs/agents',
  summary: 'Redirects to the tool reference',
  auth: anyone,
  limits: [perIp(120, { bucket: 'discovery' })],
  envelope: false,
  redirect: 302,
  handle: ({ reply }) => reply.redirect('/docs/agents/tools.md', 302),
})

const CallData = Type.Object({
  uid: Uid,
  at: Timestamp,
  username: Text,
  kind: OneOf(['player', 'agent']),
  credential_uid: Uid,
  credential_name: Text,
  tool: Nullable(Text),
  game_uid: Nullable(Uid),
  method: Text,
  path: Text,
  status: Type.Integer(),
  code: Nullable(Type.Integer()),
})
nameSchemas({ AgentCall: CallData })
const CallsData = Type.Object({ calls: Type.Array(CallData), ...pageData })

export const listMyCalls = route({
  method: 'GET',
  url: '/api/v1/private/account/agent-calls',
  summary:
    `Calls by your keys and connected apps in the last ${retention.call_log_days} days, ` +
    'newest first',
  auth: website,
  query: Type.Object(pageQuery),
  data: CallsData,
  async handle({ sql, who, query }) {
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await listCalls(sql, { user_uid: who.user_uid }, window)
    return {
      calls: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
      total,
      page,
      page_size,
    }
  },
})

const listGameCalls = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/agent-calls',
  summary: `Calls by agents to a listing in the last ${retention.call_log_days} days, newest first`,
  auth: website,
  params: Type.Object({ uid: Text }),
  query: Type.Object(pageQuery),
  data: CallsData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid: game_uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await listCalls(sql, { game_uid }, window)
    return {
      calls: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
      total,
      page,
      page_size,
    }
  },
})

export const toolCallRoutes = [toolReferenceRoute, agentDocsRoute, listMyCalls, listGameCalls]
