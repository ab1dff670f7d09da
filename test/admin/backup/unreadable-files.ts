import { readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** While `work` runs, reading files whose path contains `name` fails as from a bad sector. */
export async function whileUnreadable<T>(name: string, work: () => Promise<T>): Promise<T> {
  const handle = await open(import.meta.filename)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { read } = prototype
  prototype.read = async function (this: { fd: number }, ...args: unknown[]) {
    if (readlinkSync(`/proc/self/fd/${this.fd}`).includes(name))
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
    return read.apply(this, args)
  }
  try {
    return await work()
  } finally {
    prototype.read = read
  }
}
