import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A package by its exact version, with the hash of its archive. */
export type PinnedPackage = { name: string; version: string; integrity: string }

const cache = join(import.meta.dirname, '../../node_modules/.cache/play')

/**
 * The folder of a package, fetched once with npm and kept. Nothing of it is run here. Without access
 * to npm the test is skipped, which fails under CI.
 */
export function packageFolder(t: TestContext, pinned: PinnedPackage): string | undefined {
  const { name, version } = pinned
  const folder = join(cache, `${name.replaceAll(/[^a-z0-9-]/g, '_')}-${version}`)
  if (existsSync(folder)) return join(folder, 'package')
  const problem = fetchPackage(folder, pinned)
  if (!problem) return join(folder, 'package')
  if (process.env.CI === 'true') throw new Error(problem)
  t.skip(problem)
  return undefined
}

/** What went wrong, if anything. */
function fetchPackage(folder: string, { name, version, integrity }: PinnedPackage) {
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  try {
    const args = ['pack', `${name}@${version}`, '--ignore-scripts', '--pack-destination', temporary]
    const packed = spawnSync('npm', args, { encoding: 'utf8', cwd: temporary })
    if (packed.status !== 0) return `npm could not get ${name}: ${packed.stderr.slice(-300)}`
    const archive = join(temporary, readdirSync(temporary)[0]!)
    const hash = createHash('sha512').update(readFileSync(archive)).digest('base64')
    if (`sha512-${hash}` !== integrity) throw new Error(`${name}@${version} has other bytes`)
    const unpacked = spawnSync('tar', ['-xzf', archive, '-C', temporary])
    if (unpacked.status !== 0) return `tar could not unpack ${name}`
    rmSync(archive)
    if (!existsSync(folder)) renameSync(temporary, folder)
    return undefined
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}
