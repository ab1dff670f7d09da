import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { uploadLimits } from '../../builds/upload-limits.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { retention } from '../../core/runtime/retention.ts'
import { HOUR_MS, SECOND_MS } from '../../core/runtime/units.ts'
import { isUuid, uuidTime } from '../../core/security/crypto.ts'
import { deleteExpiredSessions, findOpenUploads } from './queries.ts'

/** Longer than any request may take: no request still writes to a file idle for this long. */
const IDLE_MS = retention.idle_upload_hours * HOUR_MS

/** Part files are named after the file they become, see part-files.ts. */
const fileUidOf = (name: string) => name.split('.')[0]!

/** Deletes expired sessions, and bytes that interrupted uploads and scans left behind. */
export const sweepUploads = job({
  name: 'uploads.sweep',
  schedule: '*/10 * * * *',
  async handle({ core, finish }) {
    // Sessions of the live store are not in the database of a restored copy.
    if (!(await core.owner.refusal())) {
      await sweepFolder(core)
      await sweepObjectStore(core)
    }
    crashPoint('parts-swept')
    await finish(deleteExpiredSessions)
  },
})

async function sweepFolder({ config, sql }: Core): Promise<void> {
  const folder = join(config.data_dir, 'uploads')
  const names = await readdir(folder).catch(() => [])
  const idle: string[] = []
  for (const name of names) {
    const stats = await stat(join(folder, name)).catch(() => null)
    if (stats && Date.now() - stats.mtimeMs > IDLE_MS) idle.push(name)
  }
  const part_files = idle.filter((name) => name.endsWith('.part'))
  const open = await findOpenUploads(sql, part_files.map(fileUidOf))
  for (const name of idle)
    if (!open.has(fileUidOf(name))) await rm(join(folder, name), { force: true })
}

/** Aborts multipart uploads that were never completed, and removes tails of abandoned sessions. */
async function sweepObjectStore({ storage, sql }: Core): Promise<void> {
  if (!storage.parts) return
  const before = Date.now() - uploadLimits.session_seconds * SECOND_MS - IDLE_MS
  for (const { key, upload } of await storage.parts.abandoned(new Date(before)))
    await storage.parts.abort(key, upload)
  const tails: { key: string; file_uid: string }[] = []
  for await (const { key } of storage.list('uploads/')) {
    const file_uid = key.split('/')[1]!
    if (isUuid(file_uid) && uuidTime(file_uid) < before) tails.push({ key, file_uid })
  }
  const open = await findOpenUploads(
    sql,
    tails.map(({ file_uid }) => file_uid),
  )
  for (const { key, file_uid } of tails) if (!open.has(file_uid)) await storage.discard(key)
}
