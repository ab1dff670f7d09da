import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { holdAgentAccess, requireAgentAccess } from '../../accounts/keys/project-access.ts'
import { isOperatorScope } from '../../accounts/keys/scopes.ts'
import { requireDeveloperMode } from '../../accounts/people/developer-terms.ts'
import { isOperator } from '../../accounts/people/operator-queries.ts'
import { isDeveloper } from '../../accounts/people/queries.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { whileSignedIn } from '../../accounts/sessions/sessions.ts'
import { hasRecentSignIn } from '../../accounts/sessions/step-up.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { grantableScopes, resourceOf, type ToolServer, toolServers } from '../mcp/tool-servers.ts'
import { authorizationServerOf, libraryRequest } from './provider.ts'
import { describeGrant, endGrant } from './queries.ts'

const REQUEST_EXPIRED = explain(
  'app_request_expired',
  'This request has expired. Start again from the app',
)

/** The access that a client requests from a person. */
export type ConsentRequest = {
  uid: string
  client_id: string
  client_name: string
  /** The host of its metadata document, which vouches for it; null if it registered itself. */
  document_host: string | null
  /** The host or scheme that gets the authorization code. */
  answers_to: string
  /** The code goes to a program on the device of the person, and that could be any program. */
  on_device: boolean
  redirect_uri: string
  server: ToolServer
  resource: string
  scopes: string[]
}

/** The pending request of this browser. Its cookie is needed, so a forwarded address fails. */
export async function readRequest(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ConsentRequest> {
  const { provider } = await authorizationServerOf(core)
  const interaction = await provider
    .interactionDetails(libraryRequest(core, request, request.url), reply.raw)
    .catch(() => undefined)
  if (!interaction) refuse('NOT_FOUND', undefined, REQUEST_EXPIRED)
  const { client_id, redirect_uri, resource, scope } = interaction.params as Record<string, string>
  const client = await provider.Client.find(client_id!)
  const server = toolServers.find((candidate) => resourceOf(core.addresses, candidate) === resource)
  if (!client || !server) refuse('NOT_FOUND', undefined, REQUEST_EXPIRED)
  const document_host = URL.canParse(client_id!) ? new URL(client_id!).host : null
  const grantable = grantableScopes(server)
  const scopes = (scope ?? '').split(' ').filter((name) => grantable.includes(name))
  const target = targetOf(redirect_uri!)
  const client_name = client.clientName || document_host || target.answers_to
  return {
    uid: interaction.uid,
    client_id: client_id!,
    client_name,
    document_host,
    ...target,
    redirect_uri: redirect_uri!,
    server,
    resource: resource!,
    scopes,
  }
}

const targetOf = (address: string) => {
  const { protocol, host } = new URL(address)
  // redirectProblem allows http only for the loopback address; app schemes stay on the device.
  if (protocol === 'https:')
    return {
      answers_to: host,
      on_device: /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host),
    }
  return { answers_to: protocol === 'http:' ? host : protocol, on_device: true }
}

/** The requested scopes that a person can grant: those of their role, and with developer mode. */
export async function offeredScopes(
  { sql }: Core,
  who: Identity,
  { server, scopes }: ConsentRequest,
): Promise<string[]> {
  const operates = scopes.some(isOperatorScope) && (await isOperator(sql, who.user_uid))
  const develops = server.kind !== 'agent' || (await isDeveloper(sql, who))
  return scopes.filter((scope) => (isOperatorScope(scope) ? operates : develops))
}

/**
 * Scopes of operators are for operators who proved lately that it is them, and for the whole store.
 * The other scopes of agents need developer mode.
 */
async function checkGrant(
  core: Core,
  who: Identity,
  { granted, game_uid }: { granted: string[]; game_uid: string | null },
): Promise<void> {
  if (!granted.every(isOperatorScope)) requireDeveloperMode(await isDeveloper(core.sql, who))
  if (granted.some(isOperatorScope)) {
    if (!(await isOperator(core.sql, who.user_uid))) refuse('FORBIDDEN', undefined, OPERATORS_ONLY)
    if (game_uid) refuse('MALFORMED', { field: 'game_uid' }, WHOLE_STORE)
    if (!(await hasRecentSignIn(core.sql, who, new Date())))
      refuse('STEP_UP_REQUIRED', { step_up: true })
  }
  if (game_uid) await requireAgentAccess(core.sql, who.user_uid, game_uid)
}

const OPERATORS_ONLY = explain(
  'operator_scopes',
  'Only operators of the service can grant these scopes',
)
const WHOLE_STORE = explain(
  'operator_key_project',
  'game_uid: access with the scopes of operators is for the whole store',
)

type ConsentAnswer = { allow: boolean; scopes: string[]; game_uid: string | null }
type ConsentInput = { core: Core; who: Identity; request: FastifyRequest; reply: FastifyReply }

/**
 * Stores the consent and returns the address of the next page. Grants at most the requested
 * scopes.
 */
export async function answerRequest(
  { core, who, request, reply }: ConsentInput,
  answer: ConsentAnswer,
): Promise<string> {
  const consent = await readRequest(core, request, reply)
  const { provider } = await authorizationServerOf(core)
  const granted = consent.scopes.filter((scope) => answer.scopes.includes(scope))
  const library_request = libraryRequest(core, request, request.url)
  if (!answer.allow || !granted.length)
    return provider.interactionResult(library_request, reply.raw, {
      error: 'access_denied',
      error_description: 'The person denied access',
    })
  const game_uid = consent.server.kind === 'agent' ? answer.game_uid : null
  if (consent.server.kind === 'agent') await checkGrant(core, who, { granted, game_uid })
  const grant = new provider.Grant({ accountId: who.user_uid, clientId: consent.client_id })
  grant.addResourceScope(consent.resource, granted.join(' '))
  const rejected = consent.scopes.filter((scope) => !granted.includes(scope))
  if (rejected.length) grant.rejectResourceScope(consent.resource, rejected.join(' '))
  const grantId = await grant.save()
  const id_hash = sha256(grantId)
  await whileSignedIn(core.sql, who, async (tx) => {
    if (game_uid) await holdAgentAccess(tx, who.user_uid, game_uid)
    await describeGrant(tx, id_hash, { client_name: consent.client_name, game_uid })
    await recordSecurityEvent(tx, { core, request }, { kind: 'grant_created', game_uid })
  }).catch(async (error) => {
    // A grant that could not be deleted is harmless, because no code was issued.
    await endGrant(core.sql, id_hash).catch(() => {})
    throw error
  })
  return provider.interactionResult(library_request, reply.raw, {
    login: { accountId: who.user_uid, remember: false },
    consent: { grantId },
  })
}

/** Identifies a request in its form, so that the form cannot answer another request. */
export const requestMark = ({ uid, client_id, redirect_uri }: ConsentRequest) =>
  createHash('sha256').update(`${uid}\n${client_id}\n${redirect_uri}`).digest('base64url')
