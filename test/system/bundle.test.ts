import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../support/app.ts'

const root = join(import.meta.dirname, '../..')

/** A small project with the bundler of this one. */
function project(t: TestContext) {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  for (const name of ['src', 'node_modules']) mkdirSync(join(folder, name))
  for (const name of ['esbuild', '@esbuild', 'typebox', 'ipaddr.js'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  for (const name of ['bundle.mjs', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name))
  const write = (text: string) => {
    writeFileSync(join(folder, 'src/text.ts'), `export const text: string = '${text}'\n`)
    utimesSync(join(folder, 'src/text.ts'), new Date(), new Date())
  }
  writeFileSync(
    join(folder, 'src/main.ts'),
    [
      `import { Type } from 'typebox'`,
      `import ipaddr from 'ipaddr.js'`,
      `import { text } from './text.ts'`,
      'console.log(text, import.meta.dirname, Type.String().type, typeof ipaddr.parse)',
    ].join('\n'),
  )
  writeFileSync(join(folder, 'src/admin.ts'), '')
  write('first')
  const node = (args: string[], uid?: number) =>
    execFileSync(process.execPath, args, { cwd: folder, uid, encoding: 'utf8' }).trim()
  const script = `import('./bundle.mjs').then(async ({ bundledFile }) =>
    process.stdout.write(await bundledFile('src/main.ts')))`
  return {
    folder,
    write,
    /** The file that runs, and what it prints. */
    run(uid?: number) {
      const file = node(['-e', script], uid)
      return [file.replace(/[0-9a-f]{24}/, 'HASH'), node([file], uid)]
    },
  }
}

test('the sources run as a bundle, which is made anew after a change', (t) => {
  const { folder, write, run } = project(t)
  const bundle = join(folder, 'node_modules/.cache/service/HASH/main.mjs')
  const printed = (text: string) => `${text} ${folder}/src string function`
  assert.deepEqual(run(), [bundle, printed('first')])
  assert.deepEqual(run(), [bundle, printed('first')])
  write('second')
  assert.deepEqual(run(), [bundle, printed('second')])
})

test('where no bundle can be written the sources run, unless there is one', (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root, to run as another user')
  const { folder, write, run } = project(t)
  assert.deepEqual(run(54_321), [
    join(folder, 'src/main.ts'),
    `first ${folder}/src string function`,
  ])
  const [bundle] = run()
  assert.equal(run(54_321)[0], bundle)
  write('broken after this: \n')
  assert.throws(() => run(54_321), /SyntaxError/)
})
