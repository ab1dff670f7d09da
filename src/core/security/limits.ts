import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { refuse } from '../runtime/errors.ts'
import type { Log } from '../runtime/log.ts'
import type { MaybePromise } from '../runtime/maybe-promise.ts'

export const MINUTE = 60
export const HOUR = 3600
export const DAY = 86_400
const SWEEP_MS = 60_000
const PING_MS = 400

/** One rule of section 8. Routes that name the same bucket share its count; without one a route counts alone. */
export type Limit = {
  by: 'ip' | 'overall' | 'account' | 'game'
  points: number
  seconds: number
  bucket?: string
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
export const perGame = limit('game')

export type Limiter = {
  /** Counts one use of a bucket by a key and refuses past the limit. */
  take: (bucket: string, key: string, limit: Allowance) => MaybePromise<void>
  /** Gives a use back: for limits that count failures, taken before the try so that parallel tries cannot slip past. */
  give: (bucket: string, key: string) => MaybePromise<void>
  /** Whether processes count together, where they are meant to. */
  shared: () => boolean
  close: () => Promise<void>
}

type Allowance = { points: number; seconds: number }

export async function createLimiter(redis_url: string | undefined, log: Log): Promise<Limiter> {
  const local = countHere()
  const limiter = redis_url ? await countTogether(redis_url, log, local) : local
  return {
    ...limiter,
    close: async () => void (await Promise.all([local.close(), limiter.close()])),
  }
}

type Window = { used: number; until: number }

/** In this process alone, and at once: on every request's way, a promise and a timer per count would be most of the cost. */
function countHere(): Limiter {
  const buckets = new Map<string, Map<string, Window>>()
  const sweep = setInterval(() => {
    const now = Date.now()
    for (const windows of buckets.values())
      for (const [key, { until }] of windows) if (until <= now) windows.delete(key)
  }, SWEEP_MS).unref()

  function open(bucket: string, key: string, until: number): Window {
    const windows = buckets.get(bucket) ?? new Map<string, Window>()
    buckets.set(bucket, windows)
    const window = { used: 0, until }
    windows.set(key, window)
    return window
  }

  return {
    take(bucket, key, { points, seconds }) {
      const now = Date.now()
      const known = buckets.get(bucket)?.get(key)
      const window = known && known.until > now ? known : open(bucket, key, now + seconds * 1000)
      if (++window.used > points) tooMany(window.until - now)
    },
    give(bucket, key) {
      const window = buckets.get(bucket)?.get(key)
      if (window && window.used > 0) window.used--
    },
    shared: () => true,
    close: async () => clearInterval(sweep),
  }
}

/** Across processes. While Redis is away each counts for itself rather than refusing everyone. */
async function countTogether(redis_url: string, log: Log, local: Limiter): Promise<Limiter> {
  const redis = await connectRedis(redis_url, log)
  const counters = new Map<string, RateLimiterRedis>()

  function counter(bucket: string, { points, seconds }: Allowance): RateLimiterRedis {
    const known = counters.get(bucket)
    if (known) return known
    const made = new RateLimiterRedis({
      storeClient: redis,
      useRedisPackage: true,
      keyPrefix: `limit:${bucket}`,
      points,
      duration: seconds,
    })
    counters.set(bucket, made)
    return made
  }

  return {
    async take(bucket, key, limit) {
      try {
        await counter(bucket, limit).consume(key)
      } catch (refused) {
        if (refused instanceof Error) return local.take(bucket, key, limit)
        tooMany((refused as RateLimiterRes).msBeforeNext)
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

function tooMany(wait_ms: number): never {
  const seconds = Math.max(1, Math.ceil(wait_ms / 1000))
  refuse('TOO_MANY_REQUESTS', { retry_after: seconds }, undefined, {
    'retry-after': String(seconds),
  })
}

async function connectRedis(url: string, log: Log) {
  // Loaded only where it is used: it is a large part of an idle process.
  const { createClient } = await import('redis')
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // One that is frozen, or behind a cut cable, takes commands and answers none: it counts as gone when it leaves two pings alone.
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
      log.warn({ error: error.message }, 'Redis is away: limits count in this process alone')
    lost = true
  })
  client.on('ready', () => {
    if (lost) log.info('Redis is back: limits count across processes again')
    lost = false
  })
  await Promise.race([client.connect(), new Promise((go) => client.once('error', go))])
  return client
}
