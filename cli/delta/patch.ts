import { spawn, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_PATCHED_BYTES } from '../../src/uploads/deltas/format.ts'
import { hashFile } from './hash-items.ts'
import type { MakePatch } from './make-delta.ts'

const LEVEL = '-9'
/** A patch that saves less than this is not worth the memory that applying it takes. */
const MAX_RATIO = 0.9

export const hasZstd = () => spawnSync('zstd', ['--version'], { stdio: 'ignore' }).status === 0

type Options = {
  /** The folder with the old version. */
  base_folder: string
  /** The folder that everything is put into, with --wrap. */
  wrap: string | undefined
  temp_folder: string
  signal: AbortSignal
}

/** Patches files with the zstd program, against old files that are what the store has. */
export const patchWithZstd =
  ({ base_folder, wrap, temp_folder, signal }: Options): MakePatch =>
  async (item, base) => {
    const path =
      wrap && base.path.startsWith(`${wrap}/`) ? base.path.slice(wrap.length + 1) : base.path
    const old_path = join(base_folder, path)
    const stats = statSync(old_path, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size !== base.size) return undefined
    if (Math.max(base.size, item.size) > MAX_PATCHED_BYTES) return undefined
    if ((await hashFile(old_path, signal)) !== base.sha256) return undefined
    const patch_path = join(temp_folder, 'patch')
    const args = ['-q', '-f', LEVEL, `--patch-from=${old_path}`, item.source, '-o', patch_path]
    if (!(await succeeds('zstd', args, signal))) return undefined
    const { size } = statSync(patch_path)
    return size < item.size * MAX_RATIO ? { path: patch_path, size } : undefined
  }

const succeeds = (command: string, args: string[], signal: AbortSignal) =>
  new Promise<boolean>((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', signal })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
