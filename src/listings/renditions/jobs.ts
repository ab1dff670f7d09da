import { job } from '../../core/jobs/index.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { makeRenditions, type RenditionWork } from './store.ts'

/**
 * One at a time in each worker process, because encoding an image takes up to 150 MB of memory. The
 * pixels are processed in threads of the image library.
 */
export const makeRenditionsJob = job<RenditionWork>({
  name: 'listings.make-renditions',
  expire_seconds: 30 * MINUTE,
  concurrency: 1,
  retries: 6,
  async handle({ core, data: { sha256s, sizes }, signal }) {
    for (const sha256 of sha256s) await makeRenditions(core, sha256, sizes, signal)
  },
})
