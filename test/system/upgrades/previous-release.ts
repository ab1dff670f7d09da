import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openPool } from '../../../src/core/database/sql.ts'
import { temporaryFolder } from '../../support/app.ts'
import { emptyDatabase } from '../../support/database.ts'

/** The release before the next. After a release, run make-fixture.ts with its commit. */
export const RELEASE = { version: '0.1.0', commit: '2b68e52c8c1245ba5b37671cc9461ec4333f9e1c' }

const root = join(import.meta.dirname, '../../..')
export const fixtureFolder = join(import.meta.dirname, 'fixtures', RELEASE.version)

/** A request of the previous release and its answer: JSON, or the hash of other bytes. */
export type RecordedRead = { path: string; as?: string; data?: unknown; sha256?: string }
export type Fixture = {
  version: string
  commit: string
  /** Request headers by the name of who sends them. */
  callers: Record<string, Record<string, string>>
  owner: { uid: string; username: string; email: string; token: string }
  game: { uid: string; vanity_name: string; name: string; build_id: string; file_uid: string }
  reads: RecordedRead[]
  /** Links to a file are made for a minute, so they are requested again: path → SHA-256. */
  downloads: { path: string; as?: string; sha256: string }[]
}

export const readFixture = (): Fixture =>
  JSON.parse(readFileSync(join(fixtureFolder, 'answers.json'), 'utf8'))

/**
 * The code of the previous release, from the history of this repository. Undefined, with the test
 * skipped, in a clone without history; under CI that is a failure.
 */
export function previousCode(t: TestContext): string | undefined {
  const { commit, version } = RELEASE
  const known = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root })
  if (known.status !== 0) {
    const reason = `the history of this clone lacks ${version} (${commit}): git fetch --unshallow`
    if (process.env.CI === 'true') throw new Error(reason)
    t.skip(reason)
    return undefined
  }
  const folder = extractCode(t, commit)
  // As `npm start` does: the sources of another folder would be compiled at each of its starts.
  execFileSync(process.execPath, ['bundle.mjs', 'bundle'], { cwd: folder })
  writeFileSync(join(folder, 'src/main.ts'), "import '../bundle/main.mjs'\n")
  return folder
}

/** It runs with the packages that are installed, and so with the patches that they have. */
export function extractCode(t: TestContext, commit: string): string {
  const folder = temporaryFolder(t)
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  rmSync(join(folder, 'patches'), { recursive: true })
  cpSync(join(root, 'patches'), join(folder, 'patches'), { recursive: true })
  return folder
}

/** The database and the data folder of the previous release, as they would be today. */
export async function restoreFixture(t: TestContext) {
  const DATABASE_URL = await emptyDatabase(t)
  const dump = gunzipSync(readFileSync(join(fixtureFolder, 'database.sql.gz'))).toString()
  // A connection of its own: the dump sets its search path.
  const sql = openPool(DATABASE_URL, 1, 'test')
  await sql.unsafe(dump.replaceAll(/^\\.*$/gm, '')).simple()
  // The fixture gets older, and its people stay signed in, with a fresh proof that it is them.
  await sql.unsafe(`
    update public.sessions
    set expires_at = now() + interval '7 days', last_used_at = now(), proved_at = now()`)
  await sql.end()
  const DATA_DIR = join(temporaryFolder(t), 'data')
  mkdirSync(DATA_DIR)
  execFileSync('tar', ['-xzf', join(fixtureFolder, 'data.tar.gz'), '-C', DATA_DIR])
  return { DATABASE_URL, DATA_DIR }
}
