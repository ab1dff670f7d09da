import { readdirSync, readlinkSync } from 'node:fs'

/** What this process has open below a folder, as Linux tells it; elsewhere nothing is told. */
export const openFiles = (folder: string): string[] =>
  (process.platform === 'linux' ? readdirSync('/proc/self/fd') : []).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
