import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { refuse } from './errors.ts'
import type { Log } from './log.ts'

export const MINUTE = 60
export const HOUR = 3600
export const DAY = 86_400

/** One rule of section 8. Routes that name the same bucket share its count; without one a route counts alone. */
export type Limit = { by: 'ip' | 'overall' | 'account' | 'game'; points: number; seconds: number; bucket?: string }
type Options = { seconds?: number; bucket?: string }

const limit =
  (by: Limit['by']) =>
  (points: number, { seconds = MINUTE, bucket }: Options = {}): Limit => ({ by, points, seconds, bucket })

export const perIp = limit('ip')
export const overall = limit('overall')
export const perAccount = limit('account')
export const perGame = limit('game')

export type Limiter = {
  /** Counts one use of a bucket by a key and refuses past the limit. */
  take: (bucket: string, key: string, limit: { points: number; seconds: number }) => Promise<void>
  /** Gives a use back: for limits that count failures, taken before the try so that parallel tries cannot slip past. */
  give: (bucket: string, key: string) => Promise<void>
  close: () => Promise<void>
}

type Counter = RateLimiterMemory | RateLimiterRedis

export async function createLimiter(redis_url: string | undefined, log: Log): Promise<Limiter> {
  const redis = redis_url ? await connectRedis(redis_url, log) : undefined
  const counters = new Map<string, Counter>()

  function counter(bucket: string, points: number, duration: number): Counter {
    const known = counters.get(bucket)
    if (known) return known
    const local = new RateLimiterMemory({ keyPrefix: bucket, points, duration })
    const made = redis
      ? new RateLimiterRedis({
          storeClient: redis,
          useRedisPackage: true,
          keyPrefix: `limit:${bucket}`,
          points,
          duration,
          insuranceLimiter: local,
        })
      : local
    counters.set(bucket, made)
    return made
  }

  return {
    async take(bucket, key, { points, seconds }) {
      try {
        await counter(bucket, points, seconds).consume(key)
      } catch (refused) {
        tooMany(refused as RateLimiterRes | Error)
      }
    },
    async give(bucket, key) {
      await counters.get(bucket)?.reward(key)
    },
    async close() {
      redis?.destroy()
    },
  }
}

function tooMany(refused: RateLimiterRes | Error): never {
  if (refused instanceof Error) throw refused
  const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
  refuse('TOO_MANY_REQUESTS', { retry_after: seconds }, undefined, { 'retry-after': String(seconds) })
}

/** Without Redis each process counts for itself, which is said in the log, rather than refusing everyone. */
async function connectRedis(url: string, log: Log) {
  // Loaded only where it is used: it is a large part of an idle process.
  const { createClient } = await import('redis')
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2000) },
  })
  let lost = false
  client.on('error', (error) => {
    if (!lost) log.warn({ error: error.message }, 'Redis is away: limits count in this process alone')
    lost = true
  })
  client.on('ready', () => {
    if (lost) log.info('Redis is back: limits count across processes again')
    lost = false
  })
  await Promise.race([client.connect(), new Promise((go) => client.once('error', go))])
  return client
}
