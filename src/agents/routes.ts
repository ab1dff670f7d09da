import { Type } from 'typebox'
import { listCalls } from '../accounts/keys/call-log-queries.ts'
import { holder, website, wholeAccount } from '../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../core/http/paging.ts'
import { anyone, Nullable, OneOf, type Route, route, Timestamp, Uid } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { perAccount, perIp } from '../core/security/limits.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { toolReference } from './mcp/reference.ts'
import { serveMcp } from './mcp/server.ts'
import { type ToolServer, toolServers, toolUser } from './mcp/tool-servers.ts'
import { countWaysIn } from './oauth/queries.ts'

const Text = Type.String()

const toolRoute = (server: ToolServer): Route =>
  route({
    method: 'POST',
    url: server.path,
    summary: `${server.title}: tools over the Model Context Protocol`,
    auth: toolUser(server),
    limits: [perIp(600, { bucket: 'tools' }), perAccount(600, { bucket: 'tools' })],
    // What it may hold is for the protocol to say.
    body: Type.Unknown(),
    envelope: false,
    produces: 'application/json',
    cors: true,
    cache: 'no-store',
    errors: ['UNAVAILABLE'],
    handle: ({ core, who, request, reply }) => serveMcp(core, server, who, request, reply),
  })

/** Servers without sessions have no stream to open and nothing to end; clients that try are told what they expect to hear. */
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
    handle: () =>
      refuse(
        'METHOD_NOT_ALLOWED',
        undefined,
        'Send messages by POST; there are no streams and no sessions',
        { allow: 'POST, OPTIONS' },
      ),
  })

export const toolRoutes = toolServers.flatMap((server) => [
  toolRoute(server),
  closedRoute(server, 'GET'),
  closedRoute(server, 'DELETE'),
])

/** The reference is made once: tools change with a release. */
export const toolReferenceRoute = route({
  method: 'GET',
  url: '/docs/agents/tools.md',
  summary: 'Every tool of the two servers, in Markdown',
  auth: anyone,
  limits: [perIp(120, { bucket: 'discovery' })],
  cache: 'public, max-age=600',
  envelope: false,
  produces: 'text/markdown',
  handle: ({ core, reply }) => reply.type('text/markdown; charset=utf-8').send(toolReference(core)),
})

export const agentDocsRoute = route({
  method: 'GET',
  url: '/docs/agents',
  summary: 'Where the reference of tools is',
  auth: anyone,
  limits: [perIp(120, { bucket: 'discovery' })],
  envelope: false,
  handle: ({ reply }) => reply.redirect('/docs/agents/tools.md', 302),
})

export const readToken = route({
  method: 'GET',
  url: '/api/v1/private/token',
  summary: 'Whom the token of this request acts for, and what it may do',
  auth: holder,
  data: Type.Object({
    kind: OneOf(['session', 'player', 'agent']),
    name: Text,
    scopes: Type.Array(Text),
    game_uid: Nullable(Uid),
    expires_at: Nullable(Timestamp),
    user: Type.Object({
      uid: Uid,
      username: Text,
      email_verified: Type.Boolean(),
      developer: Type.Boolean(),
      show_adult: Type.Boolean(),
    }),
  }),
  handle: ({
    who: { kind, credential_name: name, scopes, game_uid, expires_at, user_uid: uid, ...account },
  }) => ({
    ...{ kind, name, scopes, game_uid, expires_at: expires_at?.toISOString() ?? null },
    user: { uid, ...account },
  }),
})

export const readSecurity = route({
  method: 'GET',
  url: '/api/v1/private/account/security',
  summary:
    'What opens your account: whether the address is proven, and how many sessions, keys and apps there are',
  auth: wholeAccount({ agent: ['mcp:read', 'mcp:keys.manage'], player: ['player:read'] }),
  data: Type.Object({
    email_verified: Type.Boolean(),
    ...{
      sessions: Type.Integer(),
      player_keys: Type.Integer(),
      agent_keys: Type.Integer(),
      apps: Type.Integer(),
    },
  }),
  handle: ({ sql, who }) => countWaysIn(sql, who.user_uid),
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
const CallsData = Type.Object({ calls: Type.Array(CallData), ...pageData })

export const listMyCalls = route({
  method: 'GET',
  url: '/api/v1/private/account/agent-calls',
  summary: 'Everything your keys and the agents you let in have done in 90 days, newest first',
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

export const listGameCalls = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/agent-calls',
  summary: 'Everything agents have done to a listing in 90 days, for whomever, newest first',
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
