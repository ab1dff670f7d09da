import { fileKey } from '../builds/files/key.ts'
import { createCache } from '../core/runtime/cache.ts'
import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { HOUR_MS } from '../core/runtime/units.ts'
import { DamagedObject } from '../core/storage/verified.ts'
import type { StoredBuild } from './entries.ts'

/** A game is started many times before somebody repairs it; each process reports it once. */
const reportedBuilds = perCore(() => createCache<true>({ max_entries: 10_000, ttl_ms: HOUR_MS }))

/** Whether the bytes of a build are not what was stored. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof DamagedObject ||
  ((error as NodeJS.ErrnoException).code?.startsWith('Z_') ?? false)

/**
 * Lets a worker read the whole object, which records the damage for the operators and repairs it
 * where there is a copy. A request never waits for this, nor fails because of it.
 */
export function reportDamage(core: Core, build: StoredBuild): void {
  const key = fileKey(build)
  const reported = reportedBuilds(core)
  if (reported.get(key)) return
  reported.set(key, true)
  const object = { key, size: build.size, of: `file ${build.uid}` }
  core.jobs.send(core.sql, 'operator.scrub-object', object, { key }).catch((error: Error) => {
    reported.delete(key)
    core.log.warn({ object: key, error: error.message }, 'a damaged object could not be reported')
  })
}
