import { job } from '../../core/jobs/index.ts'
import { HOUR, MINUTE_MS } from '../../core/runtime/units.ts'
import { webLimits } from '../../listings/fields/web-build.ts'
import { checkStoredWebBuild, namedLimits } from './check-stored.ts'
import { findUncheckedWebBuilds, saveWebCheck } from './queries.ts'

const PAGE = 100
/** Shorter than the time between two runs. */
const RUN_MS = 9 * MINUTE_MS
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

/** Checks builds that were uploaded before the check or before the operator changed its limits. */
export const checkWebBuilds = job({
  name: 'scan.check-web-builds',
  schedule: '*/10 * * * *',
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const limits = namedLimits(webLimits(core.config))
    const until = Date.now() + RUN_MS
    let after = FIRST_UID
    for (;;) {
      const files = await findUncheckedWebBuilds(core.sql, limits, { after, count: PAGE })
      for (const file of files) {
        signal.throwIfAborted()
        if (Date.now() >= until) return
        after = file.uid
        try {
          await saveWebCheck(core.sql, file.uid, await checkStoredWebBuild(core, file))
        } catch (error) {
          // An object that is missing or damaged is the concern of the scrub.
          const details = { file_uid: file.uid, error: (error as Error).message }
          core.log.warn(details, 'a build for browsers could not be checked')
        }
      }
      if (files.length < PAGE) return
    }
  },
})
