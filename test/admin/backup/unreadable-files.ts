import { readlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Loaded before a program (`node --import`): reading files whose path contains one of
 * UNREADABLE_FILES fails as from a bad sector of a disk.
 */
const names = (process.env['UNREADABLE_FILES'] ?? '').split(',').filter(Boolean)

const handle = await open(import.meta.filename)
const prototype = Object.getPrototypeOf(handle) as FileHandle
await handle.close()
const read = prototype.read as (...args: unknown[]) => Promise<unknown>

prototype.read = async function (this: FileHandle, ...args: unknown[]) {
  const path = readlinkSync(`/proc/self/fd/${this.fd}`)
  if (names.some((name) => path.includes(name)))
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
  return read.apply(this, args)
} as FileHandle['read']

/** The settings of a program that cannot read these files. */
export const unreadable = (...paths: string[]) => ({
  UNREADABLE_FILES: paths.join(','),
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${import.meta.filename}`,
})
