/** Dollars as typed → cents, exactly; what is no amount is left as it is, for the API to refuse. */
export function cents(text: string): number | string {
  const found = text.trim().match(/^\$?\s*(\d{1,7})(?:[.,](\d{1,2}))?$/)
  return found ? Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0')) : text
}
