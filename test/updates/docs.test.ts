import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLaunch } from '../../src/updates/launch.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { runCommands } from '../docs/shell.ts'
import { temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import { startPatches } from './patches/fixtures.ts'

const sharedPatches = sharedInFile(startPatches)

const blocksIn = (language: string) =>
  codeBlocks('docs/updates.md', language).map(({ body }) => body)

test('the commands of the page about updates work', async (t) => {
  if (!needs(t, 'curl')) return
  const { url, game, next, patch } = await sharedPatches(t)
  const { build_id } = next
  const env = { SLIPWAY_URL: url, GAME: game.uid, PATCH: patch.patch_uid }
  const run = (commands: string, BUILD = build_id) =>
    runCommands(t, commands, { cwd: temporaryFolder(t), env: { ...env, BUILD } })
  const [update, manifest, link] = blocksIn('sh')
  const current = await run(update!)
  assert.equal(current.code, 0, current.output)
  assert.match(current.output, /^HTTP\/1.1 204/m)
  assert.match((await run(update!, 'none')).output, /"manifest_url"/)
  assert.match((await run(manifest!)).output, /"signature"/)
  assert.match((await run(link!)).output, /"url":"http/)
})

test('the program of the page about updates verifies a manifest, and refuses a changed one', async (t) => {
  const { url, get, path } = await sharedPatches(t)
  const [program] = blocksIn('js')
  // Below the project, where the library is found.
  const folder = join(import.meta.dirname, '../../node_modules/.cache')
  const file = join(folder, `verify-${process.pid}.mjs`)
  t.after(() => rmSync(file))
  writeFileSync(file, program!)
  const { verify } = (await import(file)) as {
    verify: (store: string, signed: object) => Promise<void>
  }
  const signed = must(await get(`${path}/manifest`))
  await verify(url, signed)
  const changed = { ...signed, manifest: { ...signed.manifest, version: '9' } }
  await assert.rejects(verify(url, changed))
})

test('the launch file of the page about updates is read as the page says', () => {
  const [text] = blocksIn('yaml')
  const entry = { size: 1, mode: 0o755 }
  const entries = ['bin/game', 'game.exe'].map((path) => ({ path, ...entry }))
  const launch = { args: ['--fullscreen'], working_dir: 'data', guessed: false }
  assert.deepEqual(readLaunch(text!, '', 'linux', entries), { executable: 'bin/game', ...launch })
  assert.deepEqual(readLaunch(text!, '', 'windows', entries), { executable: 'game.exe', ...launch })
})
