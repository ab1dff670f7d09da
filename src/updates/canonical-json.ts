/** What a manifest is made of: numbers are whole. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

/**
 * The one spelling of a value (RFC 8785), so that everyone signs and hashes the same bytes: keys in
 * order, no spaces, and strings and numbers as JavaScript writes them.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = value as { readonly [name: string]: Json }
  const members = Object.keys(fields)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name]!)}`)
  return `{${members.join(',')}}`
}
