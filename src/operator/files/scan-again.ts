import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { readFileState } from './queries.ts'

const QUARANTINED = explain('file_quarantined', 'This file is in quarantine; restore it first')

/** Queues a scan of a stored file, which stays available meanwhile. */
export async function scanAgain({ sql, jobs }: Core, uid: string): Promise<void> {
  const file = (await readFileState(sql, uid)) ?? refuse('NOT_FOUND')
  if (file.scan === 'quarantined') refuse('CONFLICT', undefined, QUARANTINED)
  const is_rejected = file.scan === 'infected' || file.scan === 'error'
  if (!file.bytes_stored || is_rejected)
    refuse(
      'CONFLICT',
      undefined,
      explain('file_bytes_removed', 'The bytes of this file were removed after its scan'),
    )
  const job = file.scan === 'scanning' ? 'scan.file' : 'scan.rescan-file'
  await jobs.send(sql, job, { file_uid: uid }, { key: uid })
}
