import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'

/** Third-party programs that tests run: command → Debian packages. */
const programs = {
  'redis-server': 'redis-server',
  openssl: 'openssl',
  prlimit: 'util-linux',
  strace: 'strace',
  clamd: 'clamav-daemon',
  xmllint: 'libxml2-utils',
  unzip: 'unzip',
  git: 'git',
  script: 'bsdutils',
  python3: 'python3',
  go: 'golang-go',
  mcs: 'mono-mcs libmono-system-runtime-serialization4.0-cil',
  nginx: 'nginx-light',
  'swift-proxy-server': 'swift-proxy swift-account swift-container swift-object',
  curl: 'curl',
  'g++': 'g++',
  'curl-config': 'libcurl4-openssl-dev',
  'godot3-server': 'godot3-server',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  pg_dump: 'postgresql',
  patroni: 'patroni python3-etcd',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  faketime: 'faketime',
  zstd: 'zstd',
} as const
/** A real editor and the tools that control it. */
const editor = {
  godot3: 'godot3',
  Xvfb: 'xvfb',
  xdotool: 'xdotool',
  import: 'imagemagick',
} as const
const all = { ...programs, ...editor }
export type Program = keyof typeof all
export const editorPrograms = Object.keys(editor) as Program[]

const has = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0

/**
 * Installs the missing programs of a table of commands and their Debian packages, where this user
 * may, and returns the commands that are still missing.
 */
export function installPrograms(programs: Record<string, string>, purpose: string): string[] {
  const missing = () => Object.keys(programs).filter((command) => !has(command))
  if (missing().length && process.getuid?.() === 0 && has('apt-get')) {
    const packages = missing().flatMap((command) => programs[command]!.split(' '))
    process.stderr.write(`installing ${packages.join(', ')} for ${purpose}\n`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env })
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    })
  }
  return missing()
}

/**
 * Installs the programs of the tests and returns the missing ones. Under CI none may be missing.
 */
export function installTestPrograms(): Program[] {
  const missing = installPrograms(all, 'the tests') as Program[]
  if (missing.length && process.env.CI === 'true')
    throw new Error(`the tests need these programs: ${missing.join(', ')}`)
  return missing
}

/**
 * Skips a test when a program is not installed. Under CI the run has already failed in that case.
 */
export function needs(t: TestContext, program: Program): boolean {
  const missing = (process.env.TEST_MISSING_PROGRAMS ?? '').split(',')
  const is_installed = !missing.includes(program)
  if (!is_installed) t.skip(`${program} is not installed`)
  return is_installed
}
