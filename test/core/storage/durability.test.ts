import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { MIB } from '../../../src/core/runtime/units.ts'
import { createLocalStorage } from '../../../src/core/storage/local.ts'
import { loopCount } from '../../support/loop-count.ts'
import { handleMethods, makeRoot, module_url, read, start } from './fixtures.ts'

const KILLS = loopCount({ short: 4, full: 20 })

test('put syncs the file, renames it and then syncs the folder', async (t) => {
  const { storage } = await start(t)
  const calls: string[] = []
  const watch = (owner: object, name: string) => {
    const real = Reflect.get(owner, name)
    t.mock.method(
      owner,
      name as never,
      async function (this: unknown, ...args: unknown[]) {
        const result = await real.apply(this, args)
        calls.push(name)
        return result
      } as never,
    )
  }
  const methods = await handleMethods()
  for (const name of ['write', 'datasync', 'sync']) watch(methods, name)
  watch(fs, 'rename')
  syncBuiltinESMExports()
  await storage.put('a', Buffer.alloc(2 * MIB))
  t.mock.restoreAll()
  syncBuiltinESMExports()
  assert.deepEqual(calls, ['write', 'write', 'datasync', 'rename', 'sync'])
})

/** Successful system calls in the order in which they started. */
function traced(text: string, root: string) {
  const pending = new Map<string, { at: number; text: string }>()
  const calls: { name: string; path: string; began: number; ended: number }[] = []
  for (const [at, line] of text.split('\n').entries()) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const begun = pending.get(pid)
    if (rest.endsWith('<unfinished ...>')) pending.set(pid, { at, text: rest })
    else if (!/ = \d+$/.test(rest)) continue
    else {
      const call = rest.startsWith('<...') ? begun!.text + rest : rest
      const [, name = ''] = /^(\w+?)(at|at2|64)?\(/.exec(call) ?? []
      const paths = [...call.matchAll(/["<](\/[^">]*)[">]/g)]
        .map(([, path]) => path!)
        .filter((path) => path === root || path.startsWith(`${root}/`))
      if (paths.length)
        calls.push({
          name,
          path: relative(root, paths.at(-1)!),
          began: rest.startsWith('<...') ? begun!.at : at,
          ended: at,
        })
    }
  }
  return calls.sort((a, b) => a.began - b.began)
}

test('the kernel runs write, fdatasync, rename and fsync of the folder in order', async (t) => {
  const root = await makeRoot(t)
  const log = join(await makeRoot(t), 'trace')
  const script = `
    const { createLocalStorage } = await import('${module_url}')
    const storage = await createLocalStorage('${root}')
    await storage.put('a/b/object', Buffer.alloc(${2 * MIB + 1}))
    await storage.put('a/b/object', Buffer.alloc(1))
    await storage.remove('a/b/object')`
  const names = [
    'write',
    'pwrite64',
    'writev',
    'pwritev',
    'fdatasync',
    'fsync',
    'rename',
    'renameat',
    'renameat2',
    'unlink',
    'unlinkat',
    'mkdir',
    'mkdirat',
  ]
  const options = [
    '-f',
    '-y',
    '-s',
    '300',
    '-o',
    log,
    '-e',
    `trace=${names.map((name) => `?${name}`).join()}`,
  ]
  if (spawnSync('strace', [...options, 'true']).status !== 0) return t.skip('needs strace')
  assert.equal(
    spawnSync('strace', [...options, process.execPath, '--input-type=module', '-e', script]).status,
    0,
  )

  const calls = traced(readFileSync(log, 'utf8'), root)
  for (const [i, call] of calls.entries())
    if (i)
      assert.ok(
        call.began > calls[i - 1]!.ended,
        `${call.name} began before ${calls[i - 1]!.name} ended`,
      )
  const temp = (path: string) => (path.startsWith('.tmp/') ? 'temp' : path)
  assert.deepEqual(
    calls.map(({ name, path }) => `${name.replace('pwrite', 'write')} ${temp(path)}`.trim()),
    [
      ...['mkdir .tmp', 'fsync'],
      ...[
        'write temp',
        'write temp',
        'write temp',
        'mkdir a',
        'mkdir a/b',
        'fsync a',
        'fsync',
        'fdatasync temp',
        'rename a/b/object',
        'fsync a/b',
      ],
      ...['write temp', 'fdatasync temp', 'rename a/b/object', 'fsync a/b'],
      ...['unlink a/b/object', 'fsync a/b'],
    ],
  )
})

/** The content for a number, which starts with the number. */
const contentOf = (n: number) => Buffer.alloc(20 + ((n * 7919) % 300_000), `${n}\n`)
const numberIn = (bytes: Buffer) => Number(bytes.toString('latin1', 0, bytes.indexOf(10)))

const endless_writer = (root: string, first: number) => `
  const { createLocalStorage } = await import('${module_url}')
  const contentOf = ${contentOf}
  const storage = await createLocalStorage('${root}')
  let n = ${first}
  async function* pieces(bytes) {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
  }
  async function work(id) {
    for (let i = 0; ; i++) {
      const number = n++
      const key = i % 2 ? 'replaced/' + id : 'new/' + (number % 5) + '/' + number
      await storage.put(key, pieces(contentOf(number)))
      process.stdout.write(key + ' ' + number + '\\n')
    }
  }
  await Promise.all([1, 2, 3].map(work))`

async function writeUntilKilled(
  root: string,
  first: number,
  lines: number,
  promised: Map<string, number>,
) {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', endless_writer(root, first)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const closed = once(child, 'close')
  let seen = 0
  for await (const line of createInterface(child.stdout)) {
    const [, key, n] = /^(\S+) (\d+)$/.exec(line) ?? []
    if (key) promised.set(key, Number(n))
    if (++seen === lines) child.kill('SIGKILL')
  }
  await closed
}

test('after kill -9 every confirmed object exists and every object is complete', async (t) => {
  const root = await makeRoot(t)
  const promised = new Map<string, number>()
  for (let round = 0; round < KILLS; round++)
    await writeUntilKilled(root, round * 100_000, 1 + Math.floor(Math.random() * 25), promised)

  const storage = await createLocalStorage(root)
  const present = new Map<string, number>()
  for await (const { key } of storage.list('')) {
    const { bytes } = (await read(storage, key))!
    present.set(key, numberIn(bytes))
    assert.ok(bytes.equals(contentOf(numberIn(bytes))), `${key} is broken`)
  }
  assert.ok(promised.size >= KILLS)
  for (const [key, n] of promised) {
    // A replacement may have happened after the last line that was read, so a newer version is
    // allowed.
    if (key.startsWith('new/')) assert.equal(present.get(key), n)
    else assert.ok(present.get(key)! >= n, `${basename(key)} is older than the confirmed version`)
  }
})
