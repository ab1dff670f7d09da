import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { MIB } from '../../core/runtime/units.ts'
import { version } from '../../core/runtime/version.ts'
import { readCertificateEnd } from '../../core/security/outbound.ts'
import { saveStoreCheck } from './check-queries.ts'
import { newerVersions } from './newer-versions.ts'

const MAX_CHANGELOG_BYTES = 4 * MIB

async function checkCertificate({ config, sql }: Core): Promise<void> {
  if (!config.base_url?.startsWith('https:')) return
  const expires_at = await readCertificateEnd(config.base_url)
  await saveStoreCheck(sql, 'certificate', { expires_at: expires_at.toISOString() })
}

async function checkUpdate({ config, sql, outbound }: Core): Promise<void> {
  if (!config.update_url) return
  const { status, body } = await outbound.request({
    url: config.update_url,
    max_bytes: MAX_CHANGELOG_BYTES,
    max_redirects: 3,
  })
  if (status !== 200) throw new Error(`UPDATE_URL answered ${status}`)
  await saveStoreCheck(sql, 'update', { headings: newerVersions(body.toString(), version) })
}

/** What the store can only learn from outside. A failure leaves the last result. */
export const checkStore = job({
  name: 'operator.check-store',
  schedule: '13 5 * * *',
  async handle({ core }) {
    for (const check of [checkCertificate, checkUpdate])
      await check(core).catch((error) =>
        core.log.warn({ error: error.message }, 'a daily check of the store failed'),
      )
  },
})
