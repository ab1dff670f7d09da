import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { MINUTE_MS } from '../../core/runtime/units.ts'
import { hashInUrl } from '../media/url.ts'
import { type ImageContent, readContents } from './queries.ts'

/** Looks up the content of an image by its address; undefined if nothing shows it any more. */
export type Pictures = (url: string) => ImageContent | undefined

/** Content never changes, and an image that is removed is on no page. */
const known = perCore(() => createCache<ImageContent>({ max_entries: 20_000 }))
/** Images that have no preview yet, which is read again after a while. */
const unfinished = perCore(() =>
  createCache<ImageContent>({ max_entries: 5_000, ttl_ms: MINUTE_MS / 2 }),
)

/** Reads what pages need to show these images, with at most one query. */
export async function readPictures(core: Core, urls: readonly string[]): Promise<Pictures> {
  const cached = (sha256: string) => known(core).get(sha256) ?? unfinished(core).get(sha256)
  const sha256s = new Set(urls.flatMap((url) => hashInUrl(url) ?? []))
  const pictures = new Map<string, ImageContent>()
  const missing: string[] = []
  for (const sha256 of sha256s) {
    const content = cached(sha256)
    if (content) pictures.set(sha256, content)
    else missing.push(sha256)
  }
  for (const content of missing.length ? await readContents(core.sql, missing) : []) {
    pictures.set(content.sha256, content)
    const cache = content.preview ? known(core) : unfinished(core)
    cache.set(content.sha256, content)
  }
  return (url) => pictures.get(hashInUrl(url) ?? '')
}
