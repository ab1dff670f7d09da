import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { uploadLimits } from '../../builds/limits.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { isUuid, uuidTime } from '../../core/security/crypto.ts'
import { stillUploading, sweepSessions } from './queries.ts'

/** Longer than any request may take: what was not written to since belongs to nobody. */
const IDLE_MS = 4 * 3600 * 1000

/** A part is named by the file it becomes, and where several tried, by whose it is. */
const uploadOf = (name: string) => name.split('.')[0]!

/** Sessions whose time is over, and bytes that interrupted uploads and scans left behind. */
export const sweepUploads = job({
  name: 'uploads.sweep',
  schedule: '*/10 * * * *',
  async handle({ core, finish }) {
    const folder = join(core.config.data_dir, 'uploads')
    const names = await readdir(folder).catch(() => [])
    const idle: string[] = []
    for (const name of names) {
      const found = await stat(join(folder, name)).catch(() => null)
      if (found && Date.now() - found.mtimeMs > IDLE_MS) idle.push(name)
    }
    const open = await stillUploading(
      core.sql,
      idle.filter((name) => name.endsWith('.part')).map(uploadOf),
    )
    for (const name of idle)
      if (!open.has(uploadOf(name))) await rm(join(folder, name), { force: true })
    await sweepStore(core)
    await finish(sweepSessions)
  },
})

/** The same in an object store: uploads that nobody completed, and ends of chunks that nobody went on from. */
async function sweepStore({ storage, sql }: Core): Promise<void> {
  if (!storage.parts) return
  const before = Date.now() - uploadLimits.session_seconds * 1000 - IDLE_MS
  for (const { key, upload } of await storage.parts.abandoned(new Date(before)))
    await storage.parts.abort(key, upload)
  const tails: { key: string; file_uid: string }[] = []
  for await (const { key } of storage.list('uploads/')) {
    const file_uid = key.split('/')[1]!
    if (isUuid(file_uid) && uuidTime(file_uid) < before) tails.push({ key, file_uid })
  }
  const open = await stillUploading(
    sql,
    tails.map(({ file_uid }) => file_uid),
  )
  for (const { key, file_uid } of tails) if (!open.has(file_uid)) await storage.remove(key)
}
