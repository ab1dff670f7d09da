import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { managesListing } from '../../accounts/people/queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { whileSignedIn } from '../../accounts/sessions/sessions.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid, sha256 } from '../../core/security/crypto.ts'
import { resourceOf, type ToolServer, toolServers } from '../mcp/tool-servers.ts'
import { authorityOf, seenByLibrary } from './provider.ts'
import { describeGrant, endGrant } from './queries.ts'

/** What a client asks a person for. */
export type Request = {
  uid: string
  client_id: string
  client_name: string
  /** Where its document stands, which proves who it is as far as anything does; null for one that registered itself. */
  document_host: string | null
  /** Where its answers go. */
  answers_to: string
  /** To a program on the person's own device, which any program there could be. */
  on_device: boolean
  redirect_uri: string
  server: ToolServer
  resource: string
  scopes: string[]
}

/** The question of this browser; whoever was only sent its address has the wrong cookie. */
export async function readRequest(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Request> {
  const { provider } = await authorityOf(core)
  const found = await provider
    .interactionDetails(seenByLibrary(core, request, request.url), reply.raw)
    .catch(() => undefined)
  if (!found) refuse('NOT_FOUND', undefined, 'This request is over; start again from the app')
  const { client_id, redirect_uri, resource, scope } = found.params as Record<string, string>
  const client = await provider.Client.find(client_id!)
  const server = toolServers.find((one) => resourceOf(core.addresses, one) === resource)
  if (!client || !server)
    refuse('NOT_FOUND', undefined, 'This request is over; start again from the app')
  const document_host = URL.canParse(client_id!) ? new URL(client_id!).host : null
  const asked = (scope ?? '').split(' ').filter((one) => server.scopes.includes(one))
  const place = placeOf(redirect_uri!)
  const client_name = client.clientName || document_host || place.answers_to
  return {
    uid: found.uid,
    client_id: client_id!,
    client_name,
    document_host,
    ...place,
    redirect_uri: redirect_uri!,
    server,
    resource: resource!,
    scopes: asked,
  }
}

const placeOf = (address: string) => {
  const { protocol, host } = new URL(address)
  // Plain http is for this device alone (redirectProblem), and so are schemes of apps.
  if (protocol === 'https:')
    return {
      answers_to: host,
      on_device: /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host),
    }
  return { answers_to: protocol === 'http:' ? host : protocol, on_device: true }
}

export type Answer = { allow: boolean; scopes: string[]; game_uid: string | null }

/** Where the browser goes on to. Never more than was asked for, and for developers only with developer mode. */
export async function answerRequest(
  core: Core,
  who: Identity,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<string> {
  const asked = await readRequest(core, request, reply)
  const { provider } = await authorityOf(core)
  const given = asked.scopes.filter((scope) => answer.scopes.includes(scope))
  const seen = seenByLibrary(core, request, request.url)
  if (!answer.allow || !given.length)
    return provider.interactionResult(seen, reply.raw, {
      error: 'access_denied',
      error_description: 'the person said no',
    })
  if (asked.server.kind === 'agent' && !who.developer)
    refuse('DEVELOPER_MODE_REQUIRED', { error: 'developer_mode_required' })
  const game_uid = asked.server.kind === 'agent' ? answer.game_uid : null
  if (game_uid && !(isUuid(game_uid) && (await managesListing(core.sql, who.user_uid, game_uid))))
    refuse('NOT_FOUND')
  const grant = new provider.Grant({ accountId: who.user_uid, clientId: asked.client_id })
  grant.addResourceScope(asked.resource, given.join(' '))
  const rest = asked.scopes.filter((scope) => !given.includes(scope))
  if (rest.length) grant.rejectResourceScope(asked.resource, rest.join(' '))
  const grantId = await grant.save()
  const id_hash = sha256(grantId)
  await whileSignedIn(core.sql, who, (tx) =>
    describeGrant(tx, id_hash, { client_name: asked.client_name, game_uid }),
  ).catch(async (error) => {
    // What stays of it opens nothing: no code was given.
    await endGrant(core.sql, id_hash).catch(() => {})
    throw error
  })
  return provider.interactionResult(seen, reply.raw, {
    login: { accountId: who.user_uid, remember: false },
    consent: { grantId },
  })
}

/** So that a page can say which request it showed, and answer no other. */
export const requestMark = ({ uid, client_id, redirect_uri }: Request) =>
  createHash('sha256').update(`${uid}\n${client_id}\n${redirect_uri}`).digest('base64url')
