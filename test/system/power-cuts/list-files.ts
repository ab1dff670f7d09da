import { sha256 } from '../../../src/core/security/crypto.ts'
import type { DiskFolder } from '../../support/power-cut/disk-states.ts'

/** Every path with a hash of its bytes, to compare two states of a disk. */
export function listFiles({ entries }: DiskFolder, above = ''): string[] {
  return [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, node]) => {
      const path = `${above}/${name}`
      if (node.kind === 'folder') return [`${path}/`, ...listFiles(node, path)]
      if (node.kind === 'symlink') return [`${path} -> ${node.target}`]
      return [`${path} ${node.bytes.length} ${sha256(node.bytes).toString('hex').slice(0, 16)}`]
    })
}
