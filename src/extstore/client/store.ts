import { setTimeout as pause } from 'node:timers/promises'
import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { sha256 } from '../../core/security/crypto.ts'
import {
  allowsRequest,
  type Circuit,
  closedCircuit,
  requestFailed,
  requestStarted,
} from './circuit-breaker.ts'
import {
  createStoreApi,
  type Ownership,
  type OwnershipRequest,
  type StoreApi,
  type StoreApp,
  StoreFailure,
  type Ticket,
  type TicketRequest,
  ticketMayBeSpent,
} from './steam.ts'
import type { StorePage, StoreTag } from './store-page.ts'

/** The timeout of each attempt. With pauses, they stay below the five seconds a caller waits. */
const ATTEMPTS_MS = [1800, 1100, 800]
const RETRY_PAUSE_MS = 50
const BUDGET_MS = 4000
const MAX_CIRCUITS = 10_000

/** A stored key and the game it belongs to. */
export type StoredKey = { game_uid: string; web_api_key: string }

/** How long a caller waits, over all calls made for it, and the timeout of each attempt. */
export type TimeBudget = { remaining: () => number; attempts_ms: readonly number[] }

export function timeBudget(
  budget_ms = BUDGET_MS,
  attempts_ms: readonly number[] = ATTEMPTS_MS,
): TimeBudget {
  const end = performance.now() + budget_ms
  return { remaining: () => Math.round(end - performance.now()), attempts_ms }
}

/** An import waits much longer for screenshots anyway. */
const importBudget = () => timeBudget(15_000, [8000, 4000, 2500])

const storeOf = perCore((core) => ({
  api: createStoreApi(core.config),
  circuits: createCache<Circuit>({ max_entries: MAX_CIRCUITS }),
}))

/**
 * Refuses with 4246 unless the store accepts the ticket for this app and identity. A ticket works
 * once, so none is sent while the request that follows, for ownership, could not be sent.
 */
export async function authenticate(
  core: Core,
  key: StoredKey,
  request: TicketRequest,
  budget: TimeBudget,
): Promise<Ticket> {
  if (!allowsRequest(circuitOf(core, key, 'ownership'), Date.now())) refuse('EXTSTORE_UNAVAILABLE')
  let attempts = 0
  const call = async (api: StoreApi, timeout_ms: number) => {
    const is_retry = attempts++ > 0
    const ticket = await api.authenticate(key.web_api_key, request, timeout_ms)
    return ticket ?? (is_retry ? ticketMayBeSpent() : undefined)
  }
  const ticket = await callThroughCircuit(core, { key, endpoint: 'ticket', budget }, call)
  return ticket ?? refuse('TICKET_REFUSED')
}

export function checkOwnership(
  core: Core,
  key: StoredKey,
  request: OwnershipRequest,
  budget: TimeBudget = timeBudget(),
): Promise<Ownership> {
  return callThroughCircuit(core, { key, endpoint: 'ownership', budget }, (api, timeout_ms) =>
    api.ownership(key.web_api_key, request, timeout_ms),
  )
}

/** Reads an app with a key that is not stored yet. Refuses unless the key covers it, as a game. */
export async function findCoveredApp(
  core: Core,
  web_api_key: string,
  app_id: number,
): Promise<StoreApp> {
  const apps = await refuseIfUnavailable(core, () =>
    withRetries(timeBudget(), (timeout_ms) => storeOf(core).api.apps(web_api_key, timeout_ms)),
  )
  const app = apps?.find((covered) => covered.app_id === app_id) ?? refuse('NOT_A_PUBLISHER_KEY')
  if (app.app_type.toLowerCase() !== 'game')
    refuse(
      'EXTSTORE_APP_REFUSED',
      undefined,
      explain('app_not_game', 'The external store does not list this app as a game'),
    )
  return app
}

/** Refuses unless the store has a page for the app, as a game. */
export async function readGamePage(core: Core, app_id: number): Promise<StorePage> {
  const page = await refuseIfUnavailable(core, () =>
    withRetries(importBudget(), (timeout_ms) => storeOf(core).api.page(app_id, timeout_ms)),
  )
  if (!page)
    refuse(
      'EXTSTORE_APP_REFUSED',
      undefined,
      explain('app_no_page', 'The external store has no page for this app'),
    )
  if (page.type.toLowerCase() !== 'game')
    refuse(
      'EXTSTORE_APP_REFUSED',
      undefined,
      explain('app_not_game', 'The external store does not list this app as a game'),
    )
  return page
}

/** Undefined if the tags cannot be read: an import is useful without them. */
export async function readTags(core: Core, app_id: number): Promise<StoreTag[] | undefined> {
  try {
    return await withRetries(importBudget(), (timeout_ms) =>
      storeOf(core).api.tags(app_id, timeout_ms),
    )
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    core.log.warn(
      { kind: error.kind, reason: error.message },
      'could not read the tags of an app from the external store',
    )
    return undefined
  }
}

export function confirmAssertion(core: Core, form: URLSearchParams): Promise<boolean> {
  return refuseIfUnavailable(core, () =>
    withRetries(timeBudget(), (timeout_ms) => storeOf(core).api.confirm(form, timeout_ms)),
  )
}

/**
 * Contains a hash of the key, so that a replaced key starts with a closed circuit and the key
 * itself does not stay in memory.
 */
const circuitName = ({ game_uid, web_api_key }: StoredKey, endpoint: Endpoint) =>
  `${game_uid} ${sha256(web_api_key).toString('base64url')} ${endpoint}`

/** Each has its own circuit, because a key may be allowed to use one and not the other. */
type Endpoint = 'ticket' | 'ownership'

const circuitOf = (core: Core, key: StoredKey, endpoint: Endpoint) =>
  storeOf(core).circuits.get(circuitName(key, endpoint)) ?? closedCircuit()

async function callThroughCircuit<T>(
  core: Core,
  { key, endpoint, budget }: { key: StoredKey; endpoint: Endpoint; budget: TimeBudget },
  call: (api: StoreApi, timeout_ms: number) => Promise<T>,
): Promise<T> {
  const { api, circuits } = storeOf(core)
  const name = circuitName(key, endpoint)
  const circuit = circuits.get(name) ?? closedCircuit()
  if (!allowsRequest(circuit, Date.now())) refuse('EXTSTORE_UNAVAILABLE')
  if (circuit.open_until) circuits.set(name, requestStarted(circuit))
  return refuseIfUnavailable(core, async () => {
    try {
      const result = await withRetries(budget, (timeout_ms) => call(api, timeout_ms))
      circuits.delete(name)
      return result
    } catch (error) {
      const failure = error instanceof StoreFailure ? error : undefined
      const latest = circuits.get(name) ?? closedCircuit()
      const kind = failure?.kind ?? 'invalid_response'
      circuits.set(name, requestFailed(latest, kind, Date.now(), failure?.retry_after_ms))
      throw error
    }
  })
}

async function withRetries<T>(
  { attempts_ms, remaining }: TimeBudget,
  call: (timeout_ms: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const timeout_ms = Math.min(attempts_ms[attempt]!, remaining())
    if (timeout_ms <= 0) throw new StoreFailure('unreachable', 'The external store took too long')
    try {
      return await call(timeout_ms)
    } catch (error) {
      const is_last = attempt + 1 === attempts_ms.length
      if (!(error instanceof StoreFailure) || !error.can_retry || is_last) throw error
      await pause(RETRY_PAUSE_MS * 2 ** attempt)
    }
  }
}

export async function refuseIfUnavailable<T>(core: Core, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    core.log.warn(
      { kind: error.kind, reason: error.message },
      'a request to the external store failed',
    )
    return refuse('EXTSTORE_UNAVAILABLE')
  }
}
