export type Range = { start: number; end: number }

/** One range of a file, or nothing for the whole of it; `null` where the file has no such bytes. Several ranges at once are served as the whole. */
export function readRange(header: string | undefined, size: number): Range | null | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return Number(last) > 0 && size > 0
      ? { start: Math.max(0, size - Number(last)), end: size - 1 }
      : null
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
  if (last !== '' && Number(last) < start) return undefined
  return start < size ? { start, end } : null
}

/** A name that is saved, never opened; the plain spelling is for clients that know no other. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

export const matches = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header.trim() === '*' ||
    header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag))
