import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Sql } from '../../../src/core/database/sql.ts'
import { applyEntry } from '../../../src/updates/patches/apply.ts'
import { PREFIX_BYTES, readHeader, readPrefix } from '../../../src/updates/patches/format.ts'
import { eventually, startApp } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { type ZipEntry, zip } from '../../uploads/zips.ts'
import { addGame } from '../fixtures.ts'
import { noise } from './noise.ts'

export const level = noise('a level', 60_000)
/** The level with some bytes replaced, inserted and removed. */
export const changedLevel = Buffer.concat([
  level.subarray(0, 20_000),
  Buffer.from('a new room'),
  level.subarray(20_500),
])

export const firstFiles: ZipEntry[] = [
  { name: 'game.sh', body: '#!/bin/sh\necho 1\n', method: 8, mode: 0o100755 },
  { name: 'data/level.pak', body: level, method: 0, mode: 0o100644 },
  { name: 'data/same.pak', body: noise('same', 5000), method: 0, mode: 0o100644 },
]
export const secondFiles: ZipEntry[] = [
  { name: 'game.sh', body: '#!/bin/sh\necho 2\n', method: 8, mode: 0o100755 },
  { name: 'data/level.pak', body: changedLevel, method: 0, mode: 0o100644 },
  { name: 'data/same.pak', body: noise('same', 5000), method: 0, mode: 0o100644 },
]

/** Reads the database: manifests may be read 60 times a minute. */
export const waitForPatches = (sql: Sql, to_file: string, count: number) =>
  eventually('patches', async () => {
    const made = await sql`
      select from file_patches where to_file = ${to_file} and size is not null`
    return made.length >= count
  })

/** A service that makes patches, without a game. */
export const startPatching = (t: TestContext) => startApp(t, { PATCH_BASES: '3' })

/** A service with a game whose second build replaced the first, and has a patch. */
export const startPatches = async (t: TestContext) => addPatchedGame(await startPatching(t))

/** Adds such a game to a service. */
export async function addPatchedGame(service: Awaited<ReturnType<typeof startPatching>>) {
  const app = await addGame(service, firstFiles)
  const next = await app.a.cleanBuild(app.game, { bytes: zip(secondFiles), version: '2.0' })
  const manifest = `${app.path}/builds/${next.build_id}/manifest`
  const patches = async (who?: Parameters<typeof app.get>[1]) =>
    must(await app.get(manifest, who)).manifest.patches as any[]
  await waitForPatches(app.sql, next.file_uid, 1)
  const [patch] = await patches()
  return { ...app, next, patch, patches, link: `${app.path}/patches/${patch.patch_uid}` }
}

/** The files that a patch makes, out of the contents of old files. */
export async function apply(bytes: Buffer, old: Map<string, Buffer>): Promise<Map<string, Buffer>> {
  const length = readPrefix(bytes.subarray(0, PREFIX_BYTES))
  assert.ok(length)
  const start = PREFIX_BYTES + length
  const header = readHeader(bytes.subarray(PREFIX_BYTES, start))
  assert.ok(header)
  const made = new Map<string, Buffer>()
  for (const entry of header.entries) {
    const base = old.get(entry.from.path)!
    const blocks: Buffer[] = []
    const contents = applyEntry(entry, {
      readBase: async (from, size) => base.subarray(from, from + size),
      readFrames: async (from, size) => bytes.subarray(start + from, start + from + size),
    })
    for await (const block of contents) blocks.push(block)
    const whole = Buffer.concat(blocks)
    assert.equal(createHash('sha256').update(whole).digest('hex'), entry.sha256)
    made.set(entry.path, whole)
  }
  return made
}

export const filesOf = (files: readonly ZipEntry[]) =>
  new Map(files.map(({ name, body = '' }) => [name, Buffer.from(body)]))
