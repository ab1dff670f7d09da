import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../support/app.ts'

const root = join(import.meta.dirname, '../../..')

/** Copies the installed, patched driver below a separate node_modules folder. */
function copyDriver(t: TestContext) {
  const modules = join(temporaryFolder(t), 'node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(join(root, 'node_modules/postgres'), join(modules, 'postgres'), {
    recursive: true,
    dereference: true,
  })
  const file = (path: string) => join(modules, 'postgres', path)
  const apply = () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, 'patches/apply.mjs'), modules],
      { encoding: 'utf8' },
    )
    return { status, stderr }
  }
  return { file, apply }
}

test('applying the patches to a patched driver changes nothing', (t) => {
  const { file, apply } = copyDriver(t)
  const before = readFileSync(file('src/connection.js'), 'utf8')
  assert.deepEqual(apply(), { status: 0, stderr: '' })
  assert.equal(readFileSync(file('src/connection.js'), 'utf8'), before)
})

test('rejects another version of the driver and says what to do', (t) => {
  const { file, apply } = copyDriver(t)
  const description = JSON.parse(readFileSync(file('package.json'), 'utf8'))
  writeFileSync(file('package.json'), JSON.stringify({ ...description, version: '3.5.0' }))
  const { status, stderr } = apply()
  assert.equal(status, 1)
  assert.match(stderr, /is for postgres 3\.4\.9, but 3\.5\.0 is installed/)
})

test('rejects a driver whose sources do not match a patch, and writes nothing', (t) => {
  const { file, apply } = copyDriver(t)
  rmSync(file('.patched.json'))
  const { status, stderr } = apply()
  assert.equal(status, 1)
  assert.match(stderr, /does not match patches\/postgres\/01-.*Delete node_modules\/postgres/)
  assert.ok(!existsSync(file('.patched.json')))
})

test('rejects a driver that has other patches', (t) => {
  const { file, apply } = copyDriver(t)
  writeFileSync(file('.patched.json'), '{}')
  const { status, stderr } = apply()
  assert.equal(status, 1)
  assert.match(stderr, /has other patches/)
})
