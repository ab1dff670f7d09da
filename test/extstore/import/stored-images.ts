import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Every stored image. */
export function storedImages(data_dir: string): string[] {
  const folder = join(data_dir, 'objects', 'images')
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /[0-9a-f]{64}$/.test(name))
        .toSorted()
    : []
}
