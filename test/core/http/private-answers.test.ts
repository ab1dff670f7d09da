import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { MIB } from '../../../src/core/runtime/units.ts'
import type { Answer, Call } from '../../support/app.ts'
import { newAddress } from '../../support/builders.ts'
import { accountAnswers } from './answers/account-answers.ts'
import { agentAnswers } from './answers/agent-answers.ts'
import { buildAnswers } from './answers/build-answers.ts'
import { deltaAnswers } from './answers/delta-answers.ts'
import { gameAnswers } from './answers/game-answers.ts'
import { giftAnswers } from './answers/gift-answers.ts'
import { listingAnswers } from './answers/listing-answers.ts'
import { moderationAnswers } from './answers/moderation-answers.ts'
import { operatorAnswers } from './answers/operator-answers.ts'
import { patchFileAnswers } from './answers/patch-answers.ts'
import { paymentAnswers } from './answers/payment-answers.ts'
import { priceAnswers } from './answers/price-answers.ts'
import { createWorld, type Producer, type Request, type World } from './answers/private-world.ts'
import { ownSaveAnswers } from './answers/save-answers.ts'
import { signInAnswers } from './answers/sign-in-answers.ts'
import {
  answerProblem,
  apiDescriptionOf,
  type Described,
  exhaustLimit,
  missingMediaTypes,
  operationsOf,
  recordAnswers,
  routeOf,
  type Schemas,
  sampleOf,
  undocumentedAnswers,
  unexposedHeaders,
} from './described-api.ts'

/** The credentials that an operation takes. */
function credentialsOf(world: World, { operation, path }: Described): Call {
  const { owner, deploy, player_token, keys } = world
  const schemes = operation.security.flatMap(Object.keys)
  if (path === '/mcp' || path === '/player') return { token: keys[path] }
  if (schemes.includes('deploy_access')) return { headers: deploy }
  if (schemes.includes('game_player')) return { token: player_token }
  return schemes.includes('bearer') ? { token: owner.token } : {}
}

const isRead = ({ method }: Described) => method === 'GET'
const jsonBody = ({ operation }: Described) => operation.requestBody?.content['application/json']

/** A body as the description says, or none. */
const bodyOf = (described: Described, schemas: Schemas): Call =>
  jsonBody(described) ? { body: sampleOf(jsonBody(described)!.schema, schemas) } : {}

/** More than any route takes of a body that it does not stream. */
const TOO_LONG = Buffer.alloc(1.25 * MIB, 'a')
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const withHeaders = (call: Call, headers: Record<string, string>, body: Call): Request => ({
  ...call,
  ...body,
  headers: { ...headers, ...call.headers },
})

type GeneralProducer = (world: World, described: Described, schemas: Schemas) => Request

/** Requests for the statuses that are produced alike on every route. */
const generalProducers: Record<number, GeneralProducer> = {
  200: (world, described) => credentialsOf(world, described),
  302: (world, described) => credentialsOf(world, described),
  400: (world, described, schemas) => ({
    ...credentialsOf(world, described),
    ...bodyOf(described, schemas),
    path: `${described.path}?nul=%00`,
  }),
  401: (_, { operation }) =>
    operation.security.some(({ deploy_access }) => deploy_access)
      ? { headers: { 'x-access-token': 'x', 'x-secret-key': 'y' } }
      : { token: 'svc_play_ended' },
  403: ({ suspended }, described, schemas) =>
    described.operation.security.some(({ deploy_access }) => deploy_access)
      ? { headers: suspended.headers, ...bodyOf(described, schemas) }
      : { token: suspended.token, ...bodyOf(described, schemas) },
  404: (world, described, schemas) => ({
    ...credentialsOf(world, described),
    ...bodyOf(described, schemas),
    path: described.path.replaceAll(/\{(?!channel)\w+\}/g, () => randomUUID()),
  }),
  413: (world, described) =>
    withHeaders(credentialsOf(world, described), jsonBody(described) ? JSON_TYPE : FORM, {
      raw: TOO_LONG,
    }),
  415: (world, described) =>
    withHeaders(
      credentialsOf(world, described),
      {
        'content-type': jsonBody(described) ? 'text/csv' : 'multipart/form-data; boundary=x',
        'content-encoding': 'br',
      },
      { raw: 'a' },
    ),
  429: (world, described, schemas) => ({
    ...credentialsOf(world, described),
    ...bodyOf(described, schemas),
  }),
}

/** Whether the request for a status needs nothing that only this operation has. */
function isGeneral(described: Described, status: number, values: Record<string, string>): boolean {
  const { path, operation } = described
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  switch (status) {
    case 200:
    case 302:
      return isRead(described) && names.every((name) => values[name])
    case 401:
    case 403:
      return operation.security.some(({ bearer, deploy_access }) => bearer ?? deploy_access)
    case 404:
      return (
        names.length > 0 && (isRead(described) || !operation.requestBody || !!jsonBody(described))
      )
    case 413:
      return !!jsonBody(described) || !!operation.requestBody?.content[FORM['content-type']]
    case 415:
      return !!operation.requestBody
    case 429:
      return routeOf(described).limits !== undefined
    default:
      return generalProducers[status] !== undefined
  }
}

const DATABASE_STOPS = 'test/system/failures.test.ts stops the database'
const SET_UP = 'test/accounts/setup.test.ts, where the store has no operator'
const FIXED_MAIL = 'test/operator/mail-server.test.ts, with SMTP_URL in the environment'
const CARDS = 'test/payments/orders.test.ts, with a payment provider'
const CONCURRENT = 'only a concurrent change of the same row leads to it'

/** test/uploads/upload-slots.test.ts produces these: a full disk, and too many uploads at once. */
const isUploadRefusal = (described: Described, status: number) => {
  const { stores_files, limits } = routeOf(described)
  return stores_files !== undefined && (status === 503 || (status === 429 && !limits))
}

/** Answers that need a part of the service to fail or a race, and what produces them. */
const producedElsewhere: Record<string, string> = {
  'get_feeds_search_atom 503': 'test/catalog/search: the index is loading',
  'patch_private_games_uid 503': DATABASE_STOPS,
  'post_mcp 503': DATABASE_STOPS,
  'post_player 503': DATABASE_STOPS,
  'post_private_steam_import 503': 'test/extstore/import/image-faults.test.ts: a full disk',
  'post_private_games_game_id_steam_resync 503': 'test/extstore/import: a full disk',
  'post_private_account_setup 200': SET_UP,
  'post_private_account_setup 401': CONCURRENT,
  'post_private_account_setup 403': SET_UP,
  'post_private_account_setup 409': SET_UP,
  'post_private_operations_test_mail 503': SET_UP,
  'put_private_operations_mail_server 409': FIXED_MAIL,
  'delete_private_operations_mail_server 409': FIXED_MAIL,
  'post_private_account_store_terms 404': 'test/accounts/policies: a store without terms',
  'post_private_account_register 401': CONCURRENT,
  'post_private_account_totp_confirm 409': CONCURRENT,
  'post_private_account_register 403': 'test/operator/registration.test.ts',
  'post_private_account_publishing 201': 'test/operator/publishers.test.ts',
  'patch_private_games_uid 202': 'test/operator/releases.test.ts',
  'post_private_games_uid_library 409': CONCURRENT,
  'put_private_games_game_id_steam_web_api_key 409': CONCURRENT,
  'post_private_games_game_id_steam_resync 409': CONCURRENT,
  'get_private_account_payouts 503':
    'test/payments/reports/payouts.test.ts, with a payment provider',
  'post_private_orders 503': CARDS,
  'post_private_account_payments_setup 200': CARDS,
  'post_private_account_payments_setup 503': CARDS,
  'post_tool_media 404': CONCURRENT,
  'put_tool_media_order 404': CONCURRENT,
}

const producers: Record<string, Producer> = {
  ...accountAnswers,
  ...agentAnswers,
  ...signInAnswers,
  ...listingAnswers,
  ...operatorAnswers,
  ...buildAnswers,
  ...patchFileAnswers,
  ...gameAnswers,
  ...moderationAnswers,
  ...ownSaveAnswers,
  ...deltaAnswers,
  ...paymentAnswers,
  ...giftAnswers,
  ...priceAnswers,
}

type Address = ReturnType<typeof newAddress>

async function send(
  world: World,
  described: Described,
  call: Request,
  address: Address,
): Promise<Answer> {
  const { path = described.path, values, token, body, headers, raw } = call
  const known = { ...world.values, ...values }
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(known[name] ?? randomUUID()),
  )
  const required = (described.operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${sampleOf(schema, {})}`)
  const query = required.length && !target.includes('?') ? `?${required.join('&')}` : ''
  return world.call(described.method, `${target}${query}`, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
    ...(raw !== undefined && { raw }),
    headers: { ...headers, ...address },
  })
}

const exhaust = ({ core, owner, listing }: World, described: Described, address: Address) =>
  exhaustLimit(core, routeOf(described), {
    ip: address['x-forwarded-for'],
    account: owner.uid,
    visitor: owner.uid,
    game: listing.uid,
  })

/** Undoes what producers change for all. */
async function restore({ core, storage, store, sql, listing, values }: World) {
  Object.assign(core.storage, { link: undefined, ...storage })
  store.control.clearFaults()
  await sql`update files set scan = 'clean' where uid = ${values.file_uid!}`
  await sql`update listings set price_cents = 0 where uid = ${listing.uid}`
}

const independentRefusals = new Set([400, 401, 403, 413, 415])

/** What is wrong with an answer that the description promises, if anything. */
async function problemOf(
  world: World,
  described: Described,
  status: number,
  schemas: Schemas,
): Promise<string | undefined> {
  const producer = producers[`${described.operation.operationId} ${status}`]
  if (!producer && !isGeneral(described, status, world.values)) return 'is not produced'
  try {
    const call = producer
      ? await producer(world, described)
      : generalProducers[status]!(world, described, schemas)
    const address = newAddress()
    const replenish = !producer && status === 429 && exhaust(world, described, address)
    const answer = await send(world, described, call, address)
    if (replenish) replenish()
    if (producer) await restore(world)
    return answerProblem(described, status, answer)
  } catch (error) {
    return (error as Error).message
  }
}

/** Requests whose answers have another media type than those of the producers. */
const secondMediaTypes = ({ values }: World) =>
  ['/oauth/authorize', `/oauth/authorize/${values.uid}`].map((path) => ({
    path,
    headers: { accept: 'text/html', ...newAddress() },
  }))

/** test/agents/transport.test.ts has the version of the protocol with these. */
const typesProducedElsewhere = ['post_mcp 200 application/json', 'post_player 200 application/json']

test('every documented answer of the private API is produced', async (t) => {
  const world = await createWorld(t)
  const answers = recordAnswers(t, world)
  const description = await apiDescriptionOf(world, 'private')
  const { schemas } = description.components
  const wrong: string[] = []
  const names = new Set<string>()
  for (const described of operationsOf(description)) {
    const check = async (status: number) => {
      const name = `${described.operation.operationId} ${status}`
      names.add(name)
      if (producedElsewhere[name] || isUploadRefusal(described, status)) return
      const problem = await problemOf(world, described, status, schemas)
      if (problem) wrong.push(`${name}: ${problem}`)
    }
    const statuses = Object.keys(described.operation.responses).map(Number)
    const { operationId } = described.operation
    // Refusals of the request itself change nothing that other answers need.
    const isIndependent = (status: number) =>
      independentRefusals.has(status) && !producers[`${operationId} ${status}`]
    await Promise.all(statuses.filter(isIndependent).map(check))
    for (const status of statuses) if (!isIndependent(status)) await check(status)
  }
  for (const request of secondMediaTypes(world)) await world.call('GET', request.path, request)
  assert.deepEqual(missingMediaTypes(description, answers), typesProducedElsewhere)
  const unknown = [producers, producedElsewhere].flatMap(Object.keys)
  wrong.push(...unknown.filter((name) => !names.has(name)).map((name) => `${name}: no such answer`))
  t.diagnostic(`${names.size} answers`)
  assert.deepEqual(wrong, [])
  const descriptions = [description, await apiDescriptionOf(world, 'public')]
  assert.deepEqual(undocumentedAnswers(descriptions, answers), [])
  assert.deepEqual(unexposedHeaders(answers), [])
})
