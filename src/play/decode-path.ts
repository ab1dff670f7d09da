/** A slash or backslash that was encoded would be a separator after decoding. */
const ENCODED_SEPARATOR = /%(2f|5c)/i
const CONTROL = /[\u0000-\u001f\u007f]/

/** The path of a file in an address; undefined if it can name none. */
export function decodePath(text: string): string | undefined {
  if (ENCODED_SEPARATOR.test(text)) return undefined
  try {
    const path = decodeURIComponent(text)
    return CONTROL.test(path) ? undefined : path
  } catch {
    return undefined
  }
}
