import { lstat } from 'node:fs/promises'
import { join, parse, posix } from 'node:path'
import { exits, Failure } from '../errors.ts'
import { t } from '../messages.ts'
import type { Entry } from './manifest.ts'

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const UNSAFE = /[\u0000-\u001f\u007f\\]/

/** What names have in common that are the same on a disk. */
export const keyFor = (folds_case: boolean) => (path: string) =>
  folds_case ? path.normalize('NFC').toLowerCase() : path

/**
 * Whether a disk finds what is at a path under other letters, too. That depends on the disk and even
 * on the folder, not on the system.
 */
export async function foldsCase(path: string): Promise<boolean> {
  const { dir, base } = parse(path)
  const idOf = async (name: string) => {
    const stats = await lstat(join(dir, name), { bigint: true }).catch(() => undefined)
    return stats && `${stats.dev} ${stats.ino}`
  }
  const own = await idOf(base)
  return own !== undefined && own === (await idOf(base.toUpperCase()))
}

/** Refuses entries that would be written outside the folder, or not at all on this disk. */
export function checkPaths(
  entries: readonly Entry[],
  folds_case: boolean,
  platform = process.platform,
): void {
  const keyOf = keyFor(folds_case)
  const seen = new Map<string, string>()
  const links = new Set(
    entries.flatMap(({ path, link }) => (link === undefined ? [] : [keyOf(path)])),
  )
  for (const { path, link } of entries) {
    const steps = path.replace(/\/$/, '').split('/')
    const is_safe =
      !UNSAFE.test(path) &&
      !/^([a-z]:|\/)/i.test(path) &&
      steps.every((step) => step !== '' && step !== '.' && step !== '..') &&
      !steps.some((_, n) => n > 0 && links.has(keyOf(steps.slice(0, n).join('/'))))
    const is_writable =
      platform !== 'win32' || !steps.some((step) => RESERVED.test(step) || /[<>:"|?*]/.test(step))
    if (!is_safe || !is_writable) throw unsafePath(path)
    if (link !== undefined && !staysInside(path, link)) throw unsafePath(path)
    const folded = keyOf(steps.join('/'))
    const other = seen.get(folded)
    if (other !== undefined)
      throw new Failure(exits.damaged, t('client-same-name', { path, other }))
    seen.set(folded, path)
  }
}

/** Whether a relative link leads to somewhere in the folder. */
function staysInside(path: string, link: string): boolean {
  if (link === '' || UNSAFE.test(link) || /^([a-z]:|\/)/i.test(link)) return false
  const target = posix.normalize(posix.join(posix.dirname(path), link))
  return target !== '..' && !target.startsWith('../')
}

export const unsafePath = (path: string) =>
  new Failure(exits.damaged, t('client-unsafe-path', { path }))
