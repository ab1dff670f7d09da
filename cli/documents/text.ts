import { t } from '../messages.ts'

/** Breaks a text into lines of at most `columns` characters. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return line ? [...lines, line] : lines
}

/** Formats a duration, such as 4 s, 2 min 10 s or 3 h 5 min. */
export function duration(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds))
  if (rounded < 60) return `${rounded} s`
  if (rounded < 3600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`
  return `${Math.floor(rounded / 3600)} h ${Math.floor((rounded % 3600) / 60)} min`
}

/** A time of minutes or more, rounded up, such as 45 minutes, 3 hours or 2 days. */
export function approximateTime(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 120) return t('count-minutes', { count: minutes })
  const hours = Math.ceil(minutes / 60)
  return hours < 48
    ? t('count-hours', { count: hours })
    : t('count-days', { count: Math.ceil(hours / 24) })
}

/** Formats rows as aligned columns. */
export function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Text that is safe to print on a terminal: control characters are replaced. */
export const plain = (text: string) =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\u{fffd}')

/** Not the server's function, whose module needs a newer Node. */
export const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
