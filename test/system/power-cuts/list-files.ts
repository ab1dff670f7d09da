import { sha256 } from '../../../src/core/security/crypto.ts'
import { type DiskFolder, diskAfterCut } from '../../support/power-cut/disk-states.ts'
import { type History, readTree } from '../../support/power-cut/history.ts'

/** Every path with a hash of its bytes, to compare two states of a disk. */
function listFiles({ entries }: DiskFolder, above = ''): string[] {
  return [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, node]) => {
      const path = `${above}/${name}`
      if (node.kind === 'folder') return [`${path}/`, ...listFiles(node, path)]
      if (node.kind === 'symlink') return [`${path} -> ${node.target}`]
      return [`${path} ${node.bytes.length} ${sha256(node.bytes).toString('hex').slice(0, 16)}`]
    })
}

/** What a recording says was written, and what is there: if they differ, it missed something. */
export function compareWithDisk(history: History, disk: string) {
  const root = readTree(disk)
  return {
    recorded: listFiles(diskAfterCut(history, Number.POSITIVE_INFINITY, 'kept')),
    actual: listFiles(diskAfterCut({ root, names: [], lines: 0 }, 0, 'kept')),
  }
}
