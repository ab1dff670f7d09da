import type { Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal, refuse } from '../core/runtime/errors.ts'
import { insertFile, type Uploader } from './queries.ts'
import type { Staged } from './receive/staging.ts'
import type { Target } from './target.ts'

export type Finished = {
  file_uid: string
  status: string
  message: string
  build_id: string
  app_id: string
  filename: string
  checksum: string
  channel: string
  os: string
  arch: string
  size: number
}

const BUILD_GONE = '23503'

/** A checked upload becomes a file: bytes first, then its record and its scan together. A crash in between leaves nothing that was promised. */
export async function finishUpload(
  core: Core,
  staged: Staged,
  uploader: Uploader,
  { build, ...target }: Target,
  { uid, size }: { uid: string; size: number },
  also: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<Finished> {
  await staged.settle()
  try {
    await transact(core.sql, async (tx) => {
      const is_new = await insertFile(tx, {
        uid,
        build_uid: build.uid,
        ...target,
        ...uploader,
        size,
      })
      if (is_new) await core.jobs.send(tx, 'scan.file', { file_uid: uid })
      await also(tx)
    })
  } catch (error) {
    if (error instanceof Refusal) throw error
    if ((error as { code?: string }).code === BUILD_GONE) refuse('BUILD_NOT_REGISTERED')
    core.log.error({ error: (error as Error).message }, 'an upload could not be recorded')
    refuse('FILE_NOT_RECORDED')
  }
  return answer({ uid, size }, build, target)
}

export function answer(
  { uid, size }: { uid: string; size: number },
  build: Target['build'],
  target: Omit<Target, 'build'>,
): Finished {
  const { filename, checksum, channel, os, arch } = target
  return {
    file_uid: uid,
    status: 'scanning',
    message: 'Received; it can be downloaded once it is scanned',
    build_id: build.uid,
    app_id: build.game_uid,
    ...{ filename, checksum, channel, os, arch, size },
  }
}
