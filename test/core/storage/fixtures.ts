import { readdirSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { createLocalStorage } from '../../../src/core/storage/local.ts'
import type { Storage } from '../../../src/core/storage/storage.ts'

export const module_url = String(new URL('../../../src/core/storage/local.ts', import.meta.url))

export async function makeRoot(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'storage-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  return root
}

export async function start(t: TestContext) {
  const root = await makeRoot(t)
  return { root, storage: await createLocalStorage(root) }
}

export async function read(storage: Storage, key: string, range?: { start: number; end: number }) {
  const object = await storage.get(key, range)
  return object && { size: object.size, bytes: await buffer(object.stream) }
}

export async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function* failing(bytes: Buffer) {
  yield bytes
  throw new Error('the client went away')
}

export const listed = async (storage: Storage, prefix: string) =>
  (await Array.fromAsync(storage.list(prefix))).map(({ key }) => key)
export const temps = (root: string) => readdirSync(join(root, '.tmp'))

/**
 * Returns the prototype of file handles, whose class is not exported, so that tests can mock
 * methods.
 */
export async function handleMethods() {
  const handle = await open(import.meta.filename)
  await handle.close()
  return Object.getPrototypeOf(handle) as typeof handle
}
