import { random } from '../../../demo/random.ts'

/** Bytes that do not compress, the same for the same name. */
export function noise(name: string, size: number): Buffer {
  const source = random(name)
  return Buffer.from(Array.from({ length: size }, () => source.integer(0, 255)))
}
