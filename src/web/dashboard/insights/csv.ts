/** Amounts are text with all digits, and some are negative. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** A CSV file (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe. */
export const csvText = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')

function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell)
  const is_formula = /^[=+\-@\t\r]/.test(cell) && !NUMBER.test(cell)
  const text = is_formula ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
