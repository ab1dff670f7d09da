import type { Platform } from '../builds/builds/fields.ts'
import type { Tx } from '../core/database/sql.ts'

/** Who uploads a file, as recorded in its provenance. */
export type Uploader = {
  game_uid: string
  method: 'deploy_key' | 'website'
  key_ref: string | null
  uploaded_by: string | null
}

export type NewFile = Platform &
  Uploader & { uid: string; build_uid: string; filename: string; size: number; checksum: string }

/** Returns false if the file exists already, because the upload was finished twice. */
export async function insertFile(tx: Tx, file: NewFile): Promise<boolean> {
  const inserted = await tx`insert into files ${tx(file)} on conflict (uid) do nothing`
  if (inserted.count !== 1) return false
  await tx`
    insert into scan_history (file_uid, state, engine)
    values (${file.uid}, 'scanning', 'upload')`
  return true
}
