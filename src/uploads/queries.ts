import type { Platform } from '../builds/builds/fields.ts'
import type { Tx } from '../core/database/sql.ts'

/** Who brought a file, as its provenance will tell. */
export type Uploader = {
  game_uid: string
  method: 'deploy_key' | 'website'
  key_ref: string | null
  uploaded_by: string | null
}

export type NewFile = Platform &
  Uploader & { uid: string; build_uid: string; filename: string; size: number; checksum: string }

/** False when it is there already: finishing an upload twice is finishing it once. */
export async function insertFile(tx: Tx, file: NewFile): Promise<boolean> {
  const made = await tx`insert into files ${tx(file)} on conflict (uid) do nothing`
  if (made.count === 1)
    await tx`insert into scan_history (file_uid, state, engine) values (${file.uid}, 'scanning', 'upload')`
  return made.count === 1
}
