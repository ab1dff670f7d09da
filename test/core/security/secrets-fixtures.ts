import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createSecrets, loadKeyring } from '../../../src/core/security/secrets.ts'

export const newKey = () => randomBytes(32).toString('base64')
export const [game, other] = [randomUUID(), randomUUID()]
export const [key1, key2, key3] = [newKey(), newKey(), newKey()]

export const fromText = async (secrets_key: string) =>
  createSecrets(await loadKeyring({ secrets_key, data_dir: '/nonexistent' }))

export function folder(t: TestContext) {
  const data_dir = mkdtempSync(join(tmpdir(), 'secrets-'))
  t.after(() => rmSync(data_dir, { recursive: true }))
  return data_dir
}

export const fromFile = async (data_dir: string) => createSecrets(await loadKeyring({ data_dir }))

export const assertCannotOpen = (open: () => unknown, ...hidden: string[]) =>
  assert.throws(open, (error: Error) => {
    for (const text of ['hush', key1, key2, key3, ...hidden])
      assert.ok(!`${error.message} ${error.stack}`.includes(text))
    assert.match(error.message, /does not open|No key of version/)
    return true
  })
