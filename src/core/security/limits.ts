import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { refuse } from '../runtime/errors.ts'
import type { Log } from '../runtime/log.ts'
import type { MaybePromise } from '../runtime/maybe-promise.ts'
import { MINUTE, MINUTE_MS } from '../runtime/units.ts'

const SWEEP_MS = MINUTE_MS
const PING_MS = 400

/** A rate limit. Routes with the same bucket share its count; without one a route has its own. */
export type Limit = {
  by: 'ip' | 'overall' | 'account' | 'visitor' | 'game'
  points: number
  seconds: number
  bucket?: string
  /** The setting that replaces `points`, which is its default. */
  setting?: 'account_requests_per_minute'
}
type Options = { seconds?: number; bucket?: string }

const limit =
  (by: Limit['by']) =>
  (points: number, { seconds = MINUTE, bucket }: Options = {}): Limit => ({
    by,
    points,
    seconds,
    bucket,
  })

export const perIp = limit('ip')
export const overall = limit('overall')
export const perAccount = limit('account')
/** By account for those who are signed in, by address for others. */
export const perVisitor = limit('visitor')
export const perGame = limit('game')

export const ACCOUNT_REQUESTS_PER_MINUTE = 3000

/** What an account can do on all private routes together that have no limit by account. */
export const privateDefault: Limit = {
  ...perAccount(ACCOUNT_REQUESTS_PER_MINUTE, { bucket: 'private' }),
  setting: 'account_requests_per_minute',
}

/** The part of a limit over all callers that one address can use up. */
const ADDRESS_SHARE = 1 / 10

/**
 * A limit over all callers that no single address can use up. The address is counted first, so what
 * is refused for its sake does not count for all.
 */
export const overallShared = (points: number, options: Options = {}): Limit[] => [
  perIp(points * ADDRESS_SHARE, options),
  overall(points, options),
]

export type Limiter = {
  /** Counts one use of a bucket by a key and refuses past the limit. */
  take: (bucket: string, key: string, limit: Allowance) => MaybePromise<void>
  /** Counts one use of a bucket by a key without a limit, and returns how many there are. */
  count: (bucket: string, key: string, seconds: number) => MaybePromise<number>
  /**
   * Returns a use. Limits that count failures take a use before the attempt and return it after a
   * success, so that parallel attempts cannot exceed the limit.
   */
  give: (bucket: string, key: string) => MaybePromise<void>
  /** Whether processes count together, where Redis is configured. */
  shared: () => boolean
  close: () => Promise<void>
}

type Allowance = { points: number; seconds: number }

export async function createLimiter(redis_url: string | undefined, log: Log): Promise<Limiter> {
  const local = createLocalLimiter()
  const limiter = redis_url ? await createRedisLimiter(redis_url, log, local) : local
  return {
    ...limiter,
    close: async () => void (await Promise.all([local.close(), limiter.close()])),
  }
}

type Window = { used: number; until: number }

/** Counts in this process, synchronously: it is on the path of every request. */
function createLocalLimiter(): Limiter {
  const buckets = new Map<string, Map<string, Window>>()
  const sweep = setInterval(() => {
    const now = Date.now()
    for (const windows of buckets.values())
      for (const [key, { until }] of windows) if (until <= now) windows.delete(key)
  }, SWEEP_MS).unref()

  function openWindow(bucket: string, key: string, until: number): Window {
    const windows = buckets.get(bucket) ?? new Map<string, Window>()
    buckets.set(bucket, windows)
    const window = { used: 0, until }
    windows.set(key, window)
    return window
  }

  function currentWindow(bucket: string, key: string, seconds: number): Window {
    const now = Date.now()
    const current = buckets.get(bucket)?.get(key)
    return current && current.until > now ? current : openWindow(bucket, key, now + seconds * 1000)
  }

  return {
    take(bucket, key, { points, seconds }) {
      const window = currentWindow(bucket, key, seconds)
      if (++window.used > points) refuseTooMany(window.until - Date.now())
    },
    count: (bucket, key, seconds) => ++currentWindow(bucket, key, seconds).used,
    give(bucket, key) {
      const window = buckets.get(bucket)?.get(key)
      if (window && window.used > 0) window.used--
    },
    shared: () => true,
    close: async () => clearInterval(sweep),
  }
}

/**
 * Counts across processes. Without Redis each process counts alone instead of refusing everyone.
 */
async function createRedisLimiter(redis_url: string, log: Log, local: Limiter): Promise<Limiter> {
  const redis = await connectRedis(redis_url, log)
  const counters = new Map<string, RateLimiterRedis>()

  function counter(bucket: string, { points, seconds }: Allowance): RateLimiterRedis {
    const existing = counters.get(bucket)
    if (existing) {
      // A setting may have changed it.
      if (existing.points !== points) existing.points = points
      return existing
    }
    const created = new RateLimiterRedis({
      storeClient: redis,
      useRedisPackage: true,
      keyPrefix: `limit:${bucket}`,
      points,
      duration: seconds,
    })
    counters.set(bucket, created)
    return created
  }

  return {
    async take(bucket, key, limit) {
      try {
        // The seconds of a bucket may differ by key, as those of a growing delay do.
        await counter(bucket, limit).consume(key, 1, { customDuration: limit.seconds })
      } catch (refused) {
        if (refused instanceof Error) return local.take(bucket, key, limit)
        refuseTooMany((refused as RateLimiterRes).msBeforeNext)
      }
    },
    async count(bucket, key, seconds) {
      const limit = { points: Number.MAX_SAFE_INTEGER, seconds }
      try {
        return (await counter(bucket, limit).consume(key)).consumedPoints
      } catch {
        return local.count(bucket, key, seconds)
      }
    },
    async give(bucket, key) {
      try {
        await counters.get(bucket)?.reward(key)
      } catch {
        local.give(bucket, key)
      }
    },
    shared: () => redis.isReady,
    close: async () => redis.destroy(),
  }
}

function refuseTooMany(wait_ms: number): never {
  const seconds = Math.max(1, Math.ceil(wait_ms / 1000))
  refuse('TOO_MANY_REQUESTS', { retry_after: seconds }, undefined, {
    'retry-after': String(seconds),
  })
}

async function connectRedis(url: string, log: Log) {
  // Loaded only where it is used, because it takes much of the memory of an idle process.
  const { createClient } = await import('redis')
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // A server that hangs or is cut off accepts commands without answering: two missed pings end
    // it.
    pingInterval: PING_MS,
    socket: {
      connectTimeout: 1000,
      socketTimeout: 3 * PING_MS,
      reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2000),
    },
  })
  let lost = false
  client.on('error', (error) => {
    if (!lost)
      log.warn({ error: error.message }, 'Redis unavailable: limits are counted per process')
    lost = true
  })
  client.on('ready', () => {
    if (lost) log.info('Redis available again: limits are counted across processes')
    lost = false
  })
  await Promise.race([client.connect(), new Promise((go) => client.once('error', go))])
  return client
}
