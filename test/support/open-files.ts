import { readdirSync, readlinkSync } from 'node:fs'

/**
 * Returns the files below a folder that this process has open. Only Linux reports them; elsewhere
 * the list is empty.
 */
export const openFiles = (folder: string): string[] =>
  (process.platform === 'linux' ? readdirSync('/proc/self/fd') : []).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
