import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { sha256 } from '../security/crypto.ts'

/**
 * The database driver, with the patches of patches/postgres. Without them it ends the process, or
 * returns the answer of another query, when a connection is lost at the wrong moment. The patches
 * are applied at install (run.mjs, deploy/Containerfile); this file only refuses to start without
 * them.
 */
const patches = join(import.meta.dirname, '../../../patches/postgres')
const stamp = fileURLToPath(new URL('../.patched.json', import.meta.resolve('postgres')))

function isPatched(): boolean {
  if (!existsSync(stamp)) return false
  const applied = JSON.parse(readFileSync(stamp, 'utf8')).patches as object[]
  const files = readdirSync(patches).filter((file) => file.endsWith('.patch'))
  const expected = files.sort().map((file) => {
    return { file, digest: sha256(readFileSync(join(patches, file))).toString('hex') }
  })
  return JSON.stringify(applied) === JSON.stringify(expected)
}

if (!isPatched())
  throw new Error(
    'The database driver in node_modules/postgres does not have the patches of patches/postgres. ' +
      'Run "node patches/apply.mjs", or start with "npm start", which does it.',
  )

export { postgres }
