import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Sql } from '../../../src/core/database/sql.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'
import { freePort } from '../../support/child.ts'
import { emptyDatabase } from '../../support/database.ts'

const PASSPHRASE = 'correct horse battery staple'
export const secret = { BACKUP_PASSPHRASE: PASSPHRASE }

/** A store with a listing, its images, a build and events. */
export async function filledStore(t: TestContext) {
  const app = await startApp(t)
  const listing = await app.a.listing({ name: 'Kept Safe' })
  await app.a.images(listing)
  const { file_uid } = await app.a.cleanBuild(listing)
  return { ...app, listing, file_uid }
}

export async function freshSettings(t: TestContext) {
  const DATA_DIR = join(temporaryFolder(t), 'data')
  return { DATABASE_URL: await emptyDatabase(t), DATA_DIR, PORT: await freePort(), ...secret }
}

/** What the database says about the backups in a target, oldest first. */
export const recordedBackups = (sql: Sql, target: string) => sql<{ damaged: number }[]>`
  select damaged from backups where target = ${target} order by finished_at`

/** Writes a manifest as a version without its checksum would have. */
export function changeManifest(path: string, change: (text: string) => string) {
  const { sha256: _, ...manifest } = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, change(JSON.stringify(manifest)))
}

export const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
