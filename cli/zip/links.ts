import { posix } from 'node:path'
import type { Item } from './tree.ts'

const MAX_LINKS = 40

/** The links whose target is not among the items, so that it is missing after unpacking. */
export function danglingLinks(items: readonly Item[]): Item[] {
  const places = new Set(items.flatMap(({ path }) => [plainPath(path), ...foldersOf(path)]))
  const targets = new Map(
    items.flatMap(({ path, target }) => (target === undefined ? [] : [[path, target] as const])),
  )
  return items.filter(({ path, kind }) => kind === 'link' && !places.has(follow(path, targets)))
}

const plainPath = (path: string) => path.replace(/\/$/, '')

/** The folders above a path, up to the root, which is the empty path. */
function foldersOf(path: string): string[] {
  const names = plainPath(path).split('/')
  return names.map((_name, i) => names.slice(0, i).join('/'))
}

/** Where a path leads when each of its parts may be a link; `..` when it leads nowhere. */
function follow(path: string, targets: ReadonlyMap<string, string>): string {
  let place = ''
  let rest = path.split('/')
  for (let links = 0; rest.length && links <= MAX_LINKS; ) {
    const [name, ...after] = rest
    const next = name === '.' || name === '' ? place : posix.join(place, name!)
    const target = targets.get(next)
    if (target === undefined) place = next === '.' ? '' : next
    else links++
    rest = target === undefined ? after : [...target.split('/'), ...after]
  }
  return rest.length ? '..' : place
}
