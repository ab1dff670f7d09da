import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { DiskFolder, DiskNode } from './disk-states.ts'
import type { Folder, Node } from './history.ts'

/**
 * Writes a state of the disk to a folder, which becomes a copy of `base` with what is different.
 * New files belong to the owner of their folder.
 */
export function restoreDisk(state: DiskFolder, base: string, target: string): void {
  rmSync(target, { recursive: true, force: true })
  copyTree(base, target)
  restoreFolder(state, target, state.source)
}

/** Copies files with their owners and modes. */
export function copyTree(from: string, to: string): void {
  const { status } = spawnSync('cp', ['-a', from, to], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`could not copy ${from}`)
}

function restoreFolder({ entries }: DiskFolder, path: string, source: Folder): void {
  for (const [name, node] of source.base)
    if (sourceOf(entries.get(name)) !== node)
      rmSync(join(path, name), { recursive: true, force: true })
  for (const [name, node] of entries) {
    const is_in_place = source.base.get(name) === sourceOf(node)
    restoreNode(node, join(path, name), is_in_place)
  }
}

const sourceOf = (node: DiskNode | undefined): Node | undefined =>
  node?.kind === 'symlink' ? node : node?.source

function restoreNode(node: DiskNode, path: string, is_in_place: boolean): void {
  if (node.kind === 'symlink') {
    if (!is_in_place) symlinkSync(node.target, path)
    return
  }
  if (node.kind === 'folder') {
    if (!is_in_place) mkdirSync(path)
    if (!is_in_place) own(path, node.source.mode)
    restoreFolder(node, path, is_in_place ? node.source : { ...node.source, base: new Map() })
    return
  }
  if (is_in_place && node.bytes === node.source.base) return
  writeFileSync(path, node.bytes)
  if (!is_in_place) own(path, node.source.mode)
}

function own(path: string, mode: number): void {
  const { uid, gid } = lstatSync(dirname(path))
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
  chmodSync(path, mode)
}
