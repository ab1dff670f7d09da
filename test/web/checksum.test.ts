import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { assetUrl } from '../../src/web/assets.ts'
import { startApp } from '../support/app.ts'

type App = Awaited<ReturnType<typeof startApp>>

/** Downloads a script with everything it imports, as a browser would. */
async function download(app: App, url: string, folder: string): Promise<void> {
  const { status, headers, body } = await app.get(url)
  assert.equal(status, 200, url)
  assert.match(headers['content-type']!, /^text\/javascript/)
  await writeFile(join(folder, url.slice('/assets/'.length)), body)
  for (const [, imported] of body.matchAll(/^(?:import|export) .* from ['"]\.\/([^'"]+)['"]/gm))
    await download(app, `/assets/${imported}`, folder)
}

test('the checksum script computes the SHA-256 of a file of several slices', async (t) => {
  const app = await startApp(t)
  const folder = await mkdtemp(join(tmpdir(), 'slipway-checksum-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const url = assetUrl('checksum.mjs')
  await download(app, url, folder)
  const script = pathToFileURL(join(folder, url.slice('/assets/'.length))).href
  const { checksumOf } = await import(script)
  const bytes = Buffer.alloc(9 * 1024 * 1024 + 3, 'slipway')
  const progress: number[] = []
  const checksum = await checksumOf(new Blob([bytes]), (part: number) => progress.push(part))
  assert.equal(checksum, createHash('sha256').update(bytes).digest('hex'))
  assert.equal(progress.at(-1), 1)
})
