import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireAgentAccess } from '../../accounts/keys/project-access.ts'
import { requireDeveloperMode } from '../../accounts/people/developer-terms.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { whileSignedIn } from '../../accounts/sessions/sessions.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { resourceOf, type ToolServer, toolServers } from '../mcp/tool-servers.ts'
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
  const scopes = (scope ?? '').split(' ').filter((name) => server.scopes.includes(name))
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

type ConsentAnswer = { allow: boolean; scopes: string[]; game_uid: string | null }
type ConsentInput = { core: Core; who: Identity; request: FastifyRequest; reply: FastifyReply }

/**
 * Stores the consent and returns the address of the next page. Grants at most the requested
 * scopes; developer scopes need developer mode.
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
  if (consent.server.kind === 'agent') requireDeveloperMode(who.developer)
  const game_uid = consent.server.kind === 'agent' ? answer.game_uid : null
  if (game_uid) await requireAgentAccess(core.sql, who.user_uid, game_uid)
  const grant = new provider.Grant({ accountId: who.user_uid, clientId: consent.client_id })
  grant.addResourceScope(consent.resource, granted.join(' '))
  const rejected = consent.scopes.filter((scope) => !granted.includes(scope))
  if (rejected.length) grant.rejectResourceScope(consent.resource, rejected.join(' '))
  const grantId = await grant.save()
  const id_hash = sha256(grantId)
  await whileSignedIn(core.sql, who, (tx) =>
    describeGrant(tx, id_hash, { client_name: consent.client_name, game_uid }),
  ).catch(async (error) => {
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
