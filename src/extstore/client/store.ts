import { setTimeout as pause } from 'node:timers/promises'
import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { admits, type Circuit, closed, failed, started } from './circuit-breaker.ts'
import {
  createWire,
  type Ownership,
  type StoreApp,
  StoreFailure,
  spentOrNot,
  type Ticket,
  type Wire,
} from './steam.ts'
import type { StorePage, StoreTag } from './store-page.ts'

/** What each try may take. Together, pauses included, they stay under the five seconds a caller waits at most. */
const TRIES_MS = [1800, 1100, 800]
const PAUSE_MS = 50
const BUDGET_MS = 4000
const MAX_CIRCUITS = 10_000

/** A stored key and whose it is. */
export type StoredKey = { game_uid: string; web_api_key: string }

/** One caller's patience, over all the calls made for them. */
export type Budget = { left: () => number; tries_ms: readonly number[] }

export function budget(budget_ms = BUDGET_MS, tries_ms: readonly number[] = TRIES_MS): Budget {
  const end = performance.now() + budget_ms
  return { left: () => Math.round(end - performance.now()), tries_ms }
}

/** Somebody who imports waits for screenshots anyway. */
const patient = () => budget(15_000, [8000, 4000, 2500])

const storeOf = perCore((core) => ({
  wire: createWire(core.config),
  circuits: createCache<Circuit>({ max_entries: MAX_CIRCUITS }),
}))

/** Refuses with 4246 unless the store accepts the ticket for this app and identity. A ticket works once: none is spent while the next question must wait. */
export async function authenticate(
  core: Core,
  key: StoredKey,
  asked: { app_id: number; ticket: string; identity: string },
  patience: Budget,
): Promise<Ticket> {
  if (!admits(circuitOf(core, key, 'ownership'), Date.now())) refuse('EXTSTORE_UNAVAILABLE')
  let tries = 0
  const ticket = await guarded(core, key, 'ticket', patience, async (wire, timeout_ms) => {
    const is_retry = tries++ > 0
    return (
      (await wire.authenticate(key.web_api_key, asked, timeout_ms)) ??
      (is_retry ? spentOrNot() : undefined)
    )
  })
  return ticket ?? refuse('TICKET_REFUSED')
}

export function askOwnership(
  core: Core,
  key: StoredKey,
  asked: { app_id: number; extstore_id: string },
  patience: Budget = budget(),
): Promise<Ownership> {
  return guarded(core, key, 'ownership', patience, (wire, timeout_ms) =>
    wire.ownership(key.web_api_key, asked, timeout_ms),
  )
}

/** The app as the store knows it, for a key that is not stored yet. */
export async function findCoveredApp(
  core: Core,
  web_api_key: string,
  app_id: number,
): Promise<StoreApp> {
  const apps = await orUnavailable(core, () =>
    retried(budget(), (timeout_ms) => storeOf(core).wire.apps(web_api_key, timeout_ms)),
  )
  const app = apps?.find((one) => one.app_id === app_id) ?? refuse('NOT_A_PUBLISHER_KEY')
  if (app.app_type.toLowerCase() !== 'game')
    refuse('EXTSTORE_APP_REFUSED', undefined, 'The external store does not list this app as a game')
  return app
}

/** Refuses unless the store has a page for the app, as a game. */
export async function readGamePage(core: Core, app_id: number): Promise<StorePage> {
  const page = await orUnavailable(core, () =>
    retried(patient(), (timeout_ms) => storeOf(core).wire.page(app_id, timeout_ms)),
  )
  if (!page)
    refuse('EXTSTORE_APP_REFUSED', undefined, 'The external store has no page for this app')
  if (page.type.toLowerCase() !== 'game')
    refuse('EXTSTORE_APP_REFUSED', undefined, 'The page of this app is not that of a game')
  return page
}

/** Nothing when they could not be had: an import is worth having without them. */
export async function readTags(core: Core, app_id: number): Promise<StoreTag[] | undefined> {
  try {
    return await retried(patient(), (timeout_ms) => storeOf(core).wire.tags(app_id, timeout_ms))
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    core.log.warn(
      { kind: error.kind, reason: error.message },
      'the external store did not tell its tags',
    )
    return undefined
  }
}

export function confirmAssertion(core: Core, form: URLSearchParams): Promise<boolean> {
  return orUnavailable(core, () =>
    retried(budget(), (timeout_ms) => storeOf(core).wire.confirm(form, timeout_ms)),
  )
}

/** A changed key starts with a circuit of its own, so that replacing a bad one helps at once. The key itself is not kept for it. */
const circuitName = ({ game_uid, web_api_key }: StoredKey, question: Question) =>
  `${game_uid} ${sha256(web_api_key).toString('base64url')} ${question}`

/** Each wears out alone: tickets that are accepted say nothing of a key that may not ask who owns the game. */
type Question = 'ticket' | 'ownership'

const circuitOf = (core: Core, key: StoredKey, question: Question) =>
  storeOf(core).circuits.get(circuitName(key, question)) ?? closed()

async function guarded<T>(
  core: Core,
  key: StoredKey,
  question: Question,
  patience: Budget,
  call: (wire: Wire, timeout_ms: number) => Promise<T>,
): Promise<T> {
  const { wire, circuits } = storeOf(core)
  const name = circuitName(key, question)
  const known = circuits.get(name) ?? closed()
  if (!admits(known, Date.now())) refuse('EXTSTORE_UNAVAILABLE')
  if (known.open_until) circuits.set(name, started(known))
  return orUnavailable(core, async () => {
    try {
      const answer = await retried(patience, (timeout_ms) => call(wire, timeout_ms))
      circuits.delete(name)
      return answer
    } catch (error) {
      const { kind, retry_after_ms } =
        error instanceof StoreFailure
          ? error
          : { kind: 'strange' as const, retry_after_ms: undefined }
      circuits.set(name, failed(circuits.get(name) ?? closed(), kind, Date.now(), retry_after_ms))
      throw error
    }
  })
}

async function retried<T>(patience: Budget, call: (timeout_ms: number) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const timeout_ms = Math.min(patience.tries_ms[tries]!, patience.left())
    if (timeout_ms <= 0) throw new StoreFailure('away', 'The external store took too long')
    try {
      return await call(timeout_ms)
    } catch (error) {
      if (
        !(error instanceof StoreFailure) ||
        !error.can_retry ||
        tries + 1 === patience.tries_ms.length
      )
        throw error
      await pause(PAUSE_MS * 2 ** tries)
    }
  }
}

export async function orUnavailable<T>(core: Core, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    core.log.warn({ kind: error.kind, reason: error.message }, 'the external store failed')
    return refuse('EXTSTORE_UNAVAILABLE')
  }
}
