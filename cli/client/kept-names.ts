import { posix } from 'node:path'

/** File systems allow names of this many bytes. */
const MAX_NAME_BYTES = 255
const MAX_LABEL_LENGTH = 40

/**
 * The path of a file of the player that cannot keep its own, because the game has a file there. It
 * names the version the file is from; the number distinguishes paths that would be the same.
 */
export function keptName(path: string, version: string, number = 1): string {
  const { dir, base } = posix.parse(path)
  const suffix = `.kept-${labelOf(version)}${number > 1 ? `-${number}` : ''}`
  return posix.join(dir, `${shortened(base, MAX_NAME_BYTES - suffix.length)}${suffix}`)
}

/** Versions are free text; only what every system allows in a name becomes part of one. */
function labelOf(version: string): string {
  const label = version.replace(/[^\w+.-]+/g, '-').slice(0, MAX_LABEL_LENGTH)
  return label.replace(/^[.-]+|[.-]+$/g, '') || 'old'
}

/** The beginning of a name, in whole characters. */
function shortened(name: string, max_bytes: number): string {
  const characters = [...name]
  let bytes = Buffer.byteLength(name)
  while (bytes > max_bytes) bytes -= Buffer.byteLength(characters.pop()!)
  return characters.join('')
}
