import type { WebLimits, WebReport } from '../../listings/fields/web-build.ts'
import { type Directory, ZipError } from '../zip/directory.ts'
import { unpack } from '../zip/entry.ts'
import type { ZipSource } from '../zip/zip-source.ts'
import { checkWebBuild } from './check.ts'

/** Checks a build for browsers in a zip that was inspected. */
export async function checkWebZip(
  { entries, start }: Directory,
  source: Omit<ZipSource, 'size'>,
  limits: WebLimits,
): Promise<WebReport> {
  const files = entries.filter(({ path, is_symlink }) => !path.endsWith('/') && !is_symlink)
  const offsets = Float64Array.from(entries, ({ offset }) => offset).sort()
  const byPath = new Map(files.map((entry) => [entry.path, entry]))
  return checkWebBuild(files, limits, async (path) => {
    const entry = byPath.get(path)!
    const end = offsets[offsets.indexOf(entry.offset) + 1] ?? start
    const chunks: Buffer[] = []
    try {
      for await (const chunk of unpack(entry, end, source)) chunks.push(chunk)
    } catch (error) {
      if (error instanceof ZipError) return undefined
      throw error
    }
    return Buffer.concat(chunks).toString('utf8')
  })
}
