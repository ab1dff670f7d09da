import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { agentScopes, operatorScopes, playerScopes } from '../../src/accounts/keys/scopes.ts'
import { issuePlayerToken } from '../../src/accounts/sessions/player-tokens.ts'
import { readyTools } from '../../src/agents/mcp/server.ts'
import {
  developerServer,
  playerServer,
  type ToolServer,
} from '../../src/agents/mcp/tool-servers.ts'
import type { ReadyTool, Schema } from '../../src/agents/tools/tool.ts'
import { routes } from '../../src/routes.ts'
import { eventually, startApp } from '../support/app.ts'
import { sharedInFile } from '../support/shared.ts'
import { grantedTokens } from './oauth-flow.ts'

/**
 * The scopes that satisfy each required scope, listed here independently of the rule in the code.
 */
const enough: Record<string, string[]> = {
  'mcp:read': ['mcp:read', 'mcp:write'],
  'mcp:write': ['mcp:write'],
  'mcp:catalog.write': ['mcp:catalog.write', 'mcp:write'],
  'mcp:build.write': ['mcp:build.write', 'mcp:write'],
  'mcp:keys.manage': ['mcp:keys.manage', 'mcp:write'],
  'mcp:money': ['mcp:money', 'mcp:write'],
  'mcp:crash.read': ['mcp:crash.read', 'mcp:read', 'mcp:write'],
  'mcp:analytics.read': ['mcp:analytics.read', 'mcp:read', 'mcp:write'],
  'mcp:bugs.read': ['mcp:bugs.read'],
  'mcp:bugs.write': ['mcp:bugs.write'],
  'operator:read': ['operator:read', 'operator:write'],
  'operator:write': ['operator:write'],
  'player:read': ['player:read'],
  'player:write': ['player:write'],
  'player:buy': ['player:buy'],
}
/**
 * Exactly the tools that each narrow scope opens, by the table of the reference; the wide scopes
 * are in `enough`.
 */
const opens: Record<string, string> = {
  'mcp:catalog.write': `
    get_setup list_games get_game create_game update_game validate_listing update_game_taxonomy
    set_similar_games set_mod_settings list_media order_media delete_media get_press_kit
    set_press_kit list_community_tags hide_community_tag get_store_links set_store_links
    set_dependencies declare_dependency list_dependents declare_engine_compat declare_license
    mod_compat list_reviews reply_to_review`,
  'mcp:build.write': `
    get_deploy_info list_game_builds get_game_build delete_build list_channels promote_build
    rollback_channel get_build_provenance scan_status get_build_health list_health_warnings
    list_build_symbols delete_build_symbols upload_symbols_info bundle_check mod_compat
    withdraw_build restore_build`,
  'mcp:crash.read': 'list_game_crashes get_crash request_crash_download list_crash_groups',
  'mcp:analytics.read': 'get_game_analytics get_download_analytics',
  'mcp:bugs.read': 'list_bug_tickets get_bug_ticket get_bug_reporter list_bug_deliveries',
  'mcp:bugs.write': 'update_bug_ticket set_bug_reporter replay_bug_delivery',
  'mcp:keys.manage': 'list_mcp_keys get_security_status list_admins grant_copy',
  'mcp:money': 'set_game_price list_skus upsert_sku delete_sku get_sales',
  'operator:read': `
    get_store_overview list_people get_person list_all_listings list_failed_jobs list_reports
    get_reported_target list_decisions list_held_releases get_held_release get_store_settings
    list_audit_entries list_mails list_stored_files get_listing_history get_quotas
    list_policy_versions list_person_sessions list_security_events list_invitations
    list_publishing_requests list_appeals list_sweeps get_sweep`,
  'player:read': `
    get_security_status search_catalog get_shelf get_game_details list_game_addons list_reviews
    get_press_kit why_should_i_trust_this get_file_provenance get_library get_download_link
    install_build`,
  'player:write': `
    request_email_code verify_email claim_free_game set_channel write_review suggest_tags
    suggest_tag report_bug`,
  'player:buy': '',
}
/** The tools that operator:write opens besides those of operator:read. */
const operatorChanges = `
  decide_report suspend_person replay_jobs change_store_setting decide_release decide_appeal
  decide_publishing_request set_quota remove_quota publish_policy create_invitation
  revoke_invitation end_person_sessions`
const openToAll = [
  'list_popular_tags',
  'get_profile',
  'get_account',
  'get_approval',
  'confirm_approval',
]
const words = (text: string) => text.split(/\s+/).filter(Boolean)

type Token = {
  /** `game` is the token of a player in a game. */
  kind: 'none' | 'agent' | 'player' | 'game'
  scope: string
  token: string | undefined
  granted?: boolean
  /** A key with the scope of operators whose holder is no operator any more. */
  former?: boolean
}
type Verdict = 'in' | 401 | 4030 | 4031 | 4033

/** The response of each scheme to a token. The test fails for a scheme without a rule here. */
const schemes: Record<string, (token: Token) => Verdict | 'other'> = {
  anyone: () => 'other',
  visitor: () => 'other',
  member: () => 'other',
  'console operator': () => 'other',
  game: () => 'other',
  'deploy key': () => 401,
  'game auth key': () => 'other',
  // The token is of another game.
  'player of this game': ({ kind }) => (kind === 'none' || kind === 'game' ? 401 : 4033),
  website: ({ kind }) => (kind === 'none' ? 401 : 4033),
  'console moderator': () => 'other',
  'any agent': ({ kind }) => (kind === 'none' ? 401 : kind === 'agent' ? 'in' : 4033),
  holder: ({ kind }) => (kind === 'none' ? 401 : kind === 'game' ? 4033 : 'in'),
  viewer: ({ kind, scope }) =>
    kind === 'none' ? 'in' : kind !== 'player' ? 4033 : scope === 'player:read' ? 'in' : 4031,
  'optional token': () => 'in',
  'agent tools': ({ kind }) => (kind === 'none' ? 401 : kind === 'agent' ? 'in' : 4033),
  'player tools': ({ kind }) => (kind === 'none' ? 401 : kind === 'player' ? 'in' : 4033),
}

/** Schemes that also look at the role of the person. */
const ROLE = /^(operator|moderator), /

function ruleOf(name: string): (token: Token) => Verdict | 'other' {
  if (schemes[name]) return schemes[name]
  if (ROLE.test(name)) {
    const scopeRule = ruleOf(name.replace(ROLE, ''))
    return (token) => {
      const verdict = scopeRule(token)
      return verdict === 'in' && token.former ? 4030 : verdict
    }
  }
  // In `agent mcp:read or mcp:money, player player:read`, any one scope of a kind of key is enough.
  const needs = new Map(
    name.split(', ').map((part) => {
      const [, kind, scopes] =
        part.match(/^(agent|player) (\S+:\S+(?: or \S+:\S+)*)$/) ??
        assert.fail(`${name} has no rule in this test`)
      return [kind, scopes!.split(' or ')]
    }),
  )
  return ({ kind, scope }) => {
    if (kind === 'none') return 401
    const scopes = needs.get(kind)
    return !scopes ? 4033 : scopes.some((needed) => enough[needed]!.includes(scope)) ? 'in' : 4031
  }
}

/** Where scopes do not matter, one token of each kind is enough. */
const mattersTo = (scheme: string) => (token: Token, i: number, all: Token[]) =>
  /:|viewer/.test(scheme) ||
  all.findIndex(
    ({ kind, granted, former }) =>
      kind === token.kind && granted === token.granted && former === token.former,
  ) === i

async function startTokenApp(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  // Use one account per token, so that they share no rate limit.
  const key = async (kind: 'agent' | 'player', scope: string): Promise<Token> => ({
    kind,
    scope,
    token: (await app.a.key(kind, await app.a.developer(), [scope])).key,
  })
  const operatorKey = async (scope: string): Promise<Token & { uid: string }> => {
    const person = await app.a.verified()
    const { uid } = person
    await app.sql`insert into operators (user_uid) values (${uid})`
    const { key } = await app.a.key('agent', person, [scope])
    return { uid, kind: 'agent', scope, token: key }
  }
  const granted = async (kind: 'agent' | 'player', scope: string): Promise<Token> => ({
    kind,
    scope,
    granted: true,
    token: (await grantedTokens(app.url, await app.a.developer(), { parameters: { scope } }))
      .access_token,
  })
  const tokens: Token[] = [{ kind: 'none', scope: '', token: undefined }]
  for (const scope of agentScopes) tokens.push(await key('agent', scope))
  for (const scope of operatorScopes) {
    tokens.push(await operatorKey(scope))
    const former = await operatorKey(scope)
    await app.sql`delete from operators where user_uid = ${former.uid}`
    tokens.push({ ...former, former: true })
  }
  for (const scope of playerScopes) tokens.push(await key('player', scope))
  for (const scope of ['mcp:read', 'mcp:bugs.write'] as const)
    tokens.push(await granted('agent', scope))
  tokens.push(await granted('player', 'player:read'))
  const person = await app.a.verified()
  await app.sql`insert into operators (user_uid) values (${person.uid})`
  const { access_token } = await grantedTokens(app.url, person, {
    parameters: { scope: 'operator:read' },
  })
  tokens.push({ kind: 'agent', scope: 'operator:read', granted: true, token: access_token })
  const { token } = issuePlayerToken(app.core, randomUUID(), randomUUID(), new Date())
  tokens.push({ kind: 'game', scope: '', token })
  return { ...app, tokens }
}

const sharedTokenApp = sharedInFile(startTokenApp)

let callers = 0
const newAddress = () => ({
  'x-forwarded-for': `10.${(++callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`,
})

test('every route accepts exactly the tokens that its rule allows', async (t) => {
  const { call, tokens } = await sharedTokenApp(t)
  const failures: string[] = []
  for (const route of routes) {
    const rule = ruleOf(route.auth.name)
    const path = route.url.replace(/:\w+/g, () => randomUUID())
    const relevant = tokens.filter(mattersTo(route.auth.name))
    await Promise.all(
      relevant.map(async (token) => {
        const expected = rule(token)
        const body = route.method === 'GET' ? {} : { body: {} }
        const answer = await call(route.method, path, {
          token: token.token,
          headers: newAddress(),
          ...body,
        })
        const code = answer.body?.error?.code
        const refusals = [4031, 4033, ...(ROLE.test(route.auth.name) ? [4030] : [])]
        const verdict = answer.status === 401 ? 401 : refusals.includes(code) ? code : 'in'
        // A component that is not ready yet on a busy machine is not a failure.
        const broken = answer.status >= 500 && code !== 5031
        if (broken || (expected !== 'other' && verdict !== expected))
          failures.push(
            `${route.method} ${route.url} (${route.auth.name}) ${token.kind} ${token.scope}: ` +
              `${answer.status} ${code}, not ${expected}`,
          )
      }),
    )
  }
  assert.deepEqual(failures, [])
})

/** Schemes that read no token. */
const tokenlessSchemes = [
  'anyone',
  'visitor',
  'member',
  'console operator',
  'console moderator',
  'game',
  'deploy key',
]

/** The API routes that the interface lists without a token, or with a credential of another kind. */
const tokenlessRoutes = `
  GET /api/v1/public/openapi.json
  GET /api/v1/public/openapi.yaml
  GET /api/v1/private/openapi.json
  POST /api/v1/public/events
  POST /api/v1/public/events/v1/events
  POST /api/v1/public/crashes
  GET /api/v1/public/crashes/:report_id
  GET /api/v1/public/crashes/:report_id/stack
  PUT /api/v1/public/crash-uploads/:token
  POST /api/v1/extstore/:game_uid/auth
  POST /api/v1/extstore/:game_uid/refresh
  POST /api/v1/payments/webhook
  POST /api/v1/private/account/register
  POST /api/v1/private/account/login
  POST /api/v1/private/account/login/second-step
  POST /api/v1/private/account/login/passkey-options
  POST /api/v1/private/account/login/passkey
  POST /api/v1/private/account/email-change/undo
  POST /api/v1/private/account/second-factor-reset/stop
  POST /api/v1/private/account/forgot-password
  POST /api/v1/private/account/reset-password`

const invalidTokens: Record<string, string>[] = [
  { authorization: 'Bearer svc_play_ended' },
  { authorization: 'Basic c3ZjOnBsYXk=' },
  { svc_games: 'svc_play_ended' },
]

test('every route refuses an invalid token with 401, unless it reads no token', async (t) => {
  const { call, get } = await sharedTokenApp(t)
  await eventually('the service to be ready', async () => (await get('/ready')).status === 200)
  const wrong: string[] = []
  // An auth key is compared with that of its game, so an unknown game is refused first.
  for (const { method, url, auth } of routes.filter(({ auth }) => auth.name !== 'game auth key')) {
    const path = url.replace(/:\w+/g, () => randomUUID())
    const body = method === 'GET' ? {} : { body: {} }
    const send = (headers: Record<string, string>) =>
      call(method, path, { headers: { ...headers, ...newAddress() }, ...body })
    const { status: anonymous } = await send({})
    const expected = tokenlessSchemes.includes(auth.name) ? anonymous : 401
    for (const token of invalidTokens) {
      const { status } = await send(token)
      // A component that is not ready yet on a busy machine is not a failure.
      if (status !== expected && status !== 503)
        wrong.push(`${method} ${url} (${auth.name}) ${Object.keys(token)}: ${status}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('only the API routes of the list read no token', () => {
  const tokenless = routes
    .filter(({ url }) => url.startsWith('/api/'))
    .filter(({ auth }) => auth.name === 'anyone' || auth.name === 'game')
    .map(({ method, url }) => `${method} ${url}`)
  const listed = tokenlessRoutes.trim().split(/\s*\n\s*/)
  assert.deepEqual(tokenless.sort(), listed.sort())
})

test('a public route that shows everyone the same takes every valid token', async (t) => {
  const { get, tokens } = await sharedTokenApp(t)
  for (const { token, kind, scope } of tokens) {
    const { status, headers } = await get('/api/v1/public/store-rules', { token })
    assert.deepEqual([status, headers.vary], [200, 'Authorization, SVC_GAMES'], `${kind} ${scope}`)
  }
})

test('website-only routes stay so, and no private route is public', () => {
  const by_name = new Map(routes.map((route) => [`${route.method} ${route.url}`, route.auth.name]))
  for (const name of [
    'PUT /api/v1/private/games/:uid/anonymous-downloads',
    'GET /api/v1/private/games/:game_id/steam',
    'DELETE /api/v1/private/games/:game_id/steam',
    'POST /api/v1/private/games/:game_id/steam/auth',
    'GET /api/v1/private/games/:game_id/steam/auth-key',
    'PUT /api/v1/private/games/:game_id/steam/web-api-key',
    'POST /api/v1/private/games/:uid/bug-reporter/signing-key',
    'POST /api/v1/private/games/:uid/files',
    'POST /api/v1/private/games/:uid/files/sessions',
    'POST /api/v1/private/games/:uid/media',
    'POST /api/v1/private/games/:uid/media/trailers',
    'POST /api/v1/private/games/:uid/media/trailers/:trailer',
    'POST /api/v1/private/games/:uid/deploy-keys',
    'PUT /api/v1/private/games/:uid/agent-access',
    'POST /api/v1/private/account/agent-keys',
    'POST /api/v1/private/approvals/:uid/approve',
    'DELETE /api/v1/private/games/:uid',
  ])
    assert.equal(by_name.get(name), 'website', name)
  assert.equal(by_name.get('GET /api/v1/private/games/:uid/bug-reporter'), 'agent mcp:bugs.read')
  assert.equal(by_name.get('PUT /api/v1/private/games/:uid/bug-reporter'), 'agent mcp:bugs.write')
  assert.equal(
    by_name.get('PATCH /api/v1/private/games/:uid/bugs/:bug_uid'),
    'agent mcp:bugs.write',
  )
  const open = routes
    .filter(({ url, auth }) => url.startsWith('/api/v1/private/') && auth.name === 'anyone')
    .map(({ url }) => url)
  const names = [
    'email-change/undo',
    'forgot-password',
    'login',
    'login/passkey',
    'login/passkey-options',
    'login/second-step',
    'register',
    'reset-password',
    'second-factor-reset/stop',
  ]
  const account = names.map((name) => `/api/v1/private/account/${name}`)
  assert.deepEqual(open.sort(), [...account, '/api/v1/private/openapi.json'])
  // Agents never upload, so every route that accepts files refuses them.
  const uploads = routes.filter(({ raw_body, auth }) => raw_body && auth.name.startsWith('agent'))
  assert.deepEqual(uploads, [])
})

/** Arguments that match a schema but name nothing that exists. */
function invented(schema: Schema): unknown {
  const {
    type,
    enum: values,
    anyOf,
    pattern,
  } = schema as { type?: string; enum?: unknown[]; anyOf?: Schema[]; pattern?: string }
  if (values) return values[0]
  if (anyOf) return invented(anyOf[0]!)
  if (type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, invented(schema.properties![name]!)]),
    )
  if (type === 'array') return []
  if (type === 'integer' || type === 'number') return (schema.minimum as number) ?? 1
  if (type === 'boolean') return true
  return pattern ? '123456' : randomUUID().slice(0, (schema.maxLength as number | undefined) ?? 36)
}

/** Calls a tool as older clients do: one message without initialization. */
const message = (tool: ReadyTool) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: tool.name, arguments: invented(tool.input_schema) },
})

test('a tool accepts the tokens of its routes and is listed only for those', async (t) => {
  const { post, tokens } = await startTokenApp(t)
  const headers = { accept: 'application/json, text/event-stream' }
  const send = async (server: ToolServer, token: Token, body: object) => {
    const answer = await post(server.path, body, {
      token: token.token,
      headers: { ...headers, ...newAddress() },
    })
    const text =
      typeof answer.body === 'string' ? answer.body.match(/^data: (.*)$/m)?.[1] : undefined
    return { status: answer.status, body: text ? JSON.parse(text) : answer.body }
  }
  const failures: string[] = []
  for (const server of [developerServer, playerServer]) {
    const tools = readyTools(server)
    for (const token of tokens.filter(({ kind }) => kind === server.kind)) {
      const isForOperators = (tool: ReadyTool) =>
        tool.scopes.flat().some((scope) => scope.startsWith('operator:'))
      const may = (tool: ReadyTool) =>
        tool.scopes.every((any) => any.some((scope) => enough[scope]!.includes(token.scope)))
      const isOffered = (tool: ReadyTool) => may(tool) && !(token.former && isForOperators(tool))
      const { body } = await send(server, token, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {},
      })
      const listed = body.result.tools.map(({ name }: any) => name)
      assert.deepEqual(
        listed,
        tools.filter(isOffered).map(({ name }) => name),
        `${server.path} ${token.scope}`,
      )
      const narrow = token.former ? '' : opens[token.scope]
      if (narrow !== undefined)
        assert.deepEqual(
          listed.filter((name: string) => !openToAll.includes(name)).sort(),
          words(narrow).sort(),
          token.scope,
        )
      if (token.scope === 'mcp:write')
        assert.deepEqual(
          tools
            .map(({ name }) => name)
            .filter((name) => !listed.includes(name))
            .sort(),
          words(
            `${opens['mcp:bugs.read']} ${opens['mcp:bugs.write']} ${opens['operator:read']}
            ${operatorChanges}`,
          ).sort(),
          'mcp:write opens all tools except those of bugs and operators',
        )
      await Promise.all(
        tools.map(async (tool) => {
          const { body } = await send(server, token, message(tool))
          const text = body.result?.content?.[0]?.text ?? JSON.stringify(body)
          const code = Number(
            text.match(/^API \d+: \{"success":false,"error":\{"code":(\d+)/)?.[1] ?? 0,
          )
          const some = tool.scopes.flat().some((scope) => enough[scope]!.includes(token.scope))
          // A composed tool with access to its first step gets 404 there and never reaches the
          // refused step.
          const expected =
            isForOperators(tool) && may(tool) && token.former
              ? [4030]
              : may(tool)
                ? [0, 4000, 4040, 4006, 4039, 4214, 4216, 4226]
                : some
                  ? [4031, 4040]
                  : [4031]
          if (code === 4000 && tool.calls.length && /arguments/.test(text))
            failures.push(`${tool.name}: ${text}`)
          if (!expected.includes(code))
            failures.push(`${tool.name} ${token.scope}: ${text.slice(0, 200)}`)
        }),
      )
    }
    const stranger = await send(
      server,
      tokens.find(({ kind }) => kind !== 'none' && kind !== server.kind)!,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
      },
    )
    assert.equal(stranger.status, 403)
  }
  assert.deepEqual(failures, [])
})
