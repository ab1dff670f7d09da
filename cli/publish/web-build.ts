import { readFile } from 'node:fs/promises'
import type { WebLimits, WebReport, WebWarning } from '../../src/listings/fields/web-build.ts'
import { checkWebBuild } from '../../src/uploads/web-check/check.ts'
import { checkWebZip } from '../../src/uploads/web-check/zip.ts'
import { ZipError } from '../../src/uploads/zip/directory.ts'
import { formatSize, t } from '../messages.ts'
import type { Ui } from '../terminal/ui.ts'
import type { Item } from '../zip/tree.ts'
import { readZip } from './package.ts'

/** A folder, read already, or a zip. */
export type WebSource = { path: string; items?: readonly Item[] | undefined }

const MAX_NAMED = 5

/** Checks a build for browsers as the server will, and warns about what does not work there. */
export async function warnAboutWebBuild(
  source: WebSource,
  limits: WebLimits,
  { ui, signal }: { ui: Ui; signal: AbortSignal },
): Promise<void> {
  const report = await checkSource(source, limits, signal)
  if (!report) return
  for (const line of webWarnings(report, limits)) ui.warn(line)
}

async function checkSource(
  { path, items }: WebSource,
  limits: WebLimits,
  signal: AbortSignal,
): Promise<WebReport | undefined> {
  if (items) {
    const files = items.filter(({ kind }) => kind === 'file')
    const sources = new Map(files.map((file) => [file.path, file.source]))
    return checkWebBuild(files, limits, (name) => readFile(sources.get(name)!, 'utf8'))
  }
  try {
    return await readZip(path, signal, (zip, source) => checkWebZip(zip, source, limits))
  } catch (error) {
    // What is wrong with the zip itself is reported when it is packed.
    if (error instanceof ZipError) return undefined
    throw error
  }
}

export function webWarnings({ problem, detail, warnings }: WebReport, limits: WebLimits): string[] {
  const { max_files, max_bytes, max_file_bytes } = limits
  const problems = {
    no_index: () => (detail ? t('warn-web-index-other', { path: detail }) : t('warn-web-index')),
    too_many_files: () => t('warn-web-files', { count: detail, max: String(max_files) }),
    too_large: () =>
      t('warn-web-size', { size: formatSize(Number(detail)), max: formatSize(max_bytes) }),
    file_too_large: () =>
      t('warn-web-file-size', { path: detail, max: formatSize(max_file_bytes) }),
  }
  return [
    ...(problem ? [problems[problem]()] : []),
    ...named(warnings, 'absolute', (files) => t('warn-web-paths', { files })),
    ...named(warnings, 'case', (files) => t('warn-web-case', { files })),
  ]
}

/** One warning for all references of a kind. */
function named(
  warnings: readonly WebWarning[],
  kind: WebWarning['kind'],
  write: (files: string) => string,
): string[] {
  const affected = warnings.filter((warning) => warning.kind === kind)
  if (!affected.length) return []
  const texts = affected
    .slice(0, MAX_NAMED)
    .map(({ file, reference, entry }) =>
      [`${file}: ${reference}`, ...(entry ? [entry] : [])].join(' → '),
    )
  const more = affected.length - texts.length
  const files = texts.join(', ')
  return [write(more ? t('warn-more', { path: files, more: String(more) }) : files)]
}
