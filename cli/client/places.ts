import { posix } from 'node:path'
import { keptName } from './kept-names.ts'
import type { Entry } from './manifest.ts'

export type Kind = 'file' | 'folder'

/** `a` and `a/b` for `a/b/c`. */
export const foldersOf = (path: string): string[] =>
  path.split('/').flatMap((_, n, steps) => (n > 0 ? [steps.slice(0, n).join('/')] : []))

/**
 * Which paths of a version are taken, so that files of the player get others. A link counts as a
 * file: nothing is ever put behind one.
 */
export type Places = {
  kindAt: (path: string) => Kind | undefined
  /** Whether something can have a path without replacing or moving anything. */
  fits: (path: string, kind: Kind) => boolean
  take: (path: string, kind: Kind) => void
  /** The path without the folders in it that are files here: those get other names. */
  withFreeFolders: (path: string, version: string, renamed: Map<string, string>) => string
}

export function createPlaces(entries: readonly Entry[], keyOf: (path: string) => string): Places {
  const taken = new Map<string, Kind>()
  const kindAt = (path: string) => taken.get(keyOf(path))
  const take = (path: string, kind: Kind) => {
    for (const folder of foldersOf(path)) taken.set(keyOf(folder), 'folder')
    taken.set(keyOf(path), kind)
  }
  for (const { path } of entries)
    if (path.endsWith('/')) take(path.slice(0, -1), 'folder')
    else take(path, 'file')
  return {
    kindAt,
    take,
    fits(path, kind) {
      const there = kindAt(path)
      const is_free = there === undefined || (kind === 'folder' && there === 'folder')
      return is_free && foldersOf(path).every((folder) => kindAt(folder) !== 'file')
    },
    withFreeFolders(path, version, renamed) {
      const steps = path.split('/')
      const name = steps.pop()!
      let folder = ''
      for (const step of steps) {
        const next = posix.join(folder, step)
        if (kindAt(next) !== 'file') folder = next
        else {
          const free = renamed.get(next) ?? freeName(next, version, kindAt)
          renamed.set(next, free)
          folder = free
        }
      }
      return posix.join(folder, name)
    },
  }
}

function freeName(path: string, version: string, kindAt: Places['kindAt']): string {
  for (let number = 1; ; number++) {
    const name = keptName(path, version, number)
    if (kindAt(name) === undefined) return name
  }
}
