import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createRemoteJWKSet, flattenedVerify } from 'jose'
import type { Environment } from '../../src/core/runtime/config.ts'
import { canonicalJson, type Json } from '../../src/updates/canonical-json.ts'
import { startApp } from '../support/app.ts'
import { type ZipEntry, zip } from '../uploads/zips.ts'

export const gameFiles: ZipEntry[] = [
  { name: 'game.x86_64', body: 'program '.repeat(400), method: 8, mode: 0o100755 },
  { name: 'data/levels.json', body: '{"levels":3}', method: 0, mode: 0o100644 },
  { name: 'data/current', body: 'levels.json', method: 0, mode: 0o120777 },
  { name: 'saves/', method: 0, mode: 0o40755 },
  { name: 'empty', body: '', method: 0, mode: 0o100600 },
]

/** A service with a public free game that has a build which anyone may download. */
export const startUpdates = async (t: TestContext, files = gameFiles, env: Environment = {}) =>
  addGame(await startApp(t, env), files)

type App = Awaited<ReturnType<typeof startApp>>

/** Adds such a game to a service. */
export async function addGame(app: App, files = gameFiles) {
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const build = await app.a.cleanBuild(game, { bytes: zip(files) })
  await app.sql`
    update listings set visibility = 'public', anonymous_downloads = true where uid = ${game.uid}`
  const path = `/api/v1/public/games/${game.uid}`
  return { ...app, game, ...build, path }
}

export type Signed = { manifest: Record<string, Json>; signature: string; entries: Json[] }

/** Verifies a manifest as a client does: by the public keys, with a library. */
export async function verifySigned(url: string, { manifest, signature, entries }: Signed) {
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', url))
  const [header, payload, mac] = signature.split('.')
  assert.equal(payload, '')
  const { protectedHeader } = await flattenedVerify(
    {
      protected: header!,
      payload: Buffer.from(canonicalJson(manifest)).toString('base64url'),
      signature: mac!,
    },
    keys,
  )
  const lines = entries.map((entry) => `${canonicalJson(entry)}\n`).join('')
  assert.equal(createHash('sha256').update(lines).digest('hex'), manifest.entries_sha256)
  assert.equal(entries.length, manifest.entries_count)
  return protectedHeader
}
