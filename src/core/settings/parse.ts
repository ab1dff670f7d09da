/** Parsers of environment variables. They throw text that completes "NAME must be …". */
export const integer = (min: number, max: number) => (value: string) => {
  if (!/^-?\d{1,15}$/.test(value) || Number(value) < min || Number(value) > max)
    throw `a whole number from ${min} to ${max}`
  return Number(value)
}
export const oneOf =
  <const T extends readonly string[]>(values: T) =>
  (value: string): T[number] => {
    if (!values.includes(value)) throw `one of ${values.join(', ')}`
    return value
  }
export const listOf =
  <const T extends readonly string[]>(values: T) =>
  (value: string): T[number][] => {
    const items = value.split(',').map((item) => item.trim())
    if (!items.every((item) => values.includes(item)))
      throw `a comma-separated list of ${values.join(', ')}`
    return [...new Set(items)]
  }
export const onOff = (value: string) => oneOf(['on', 'off'])(value) === 'on'
