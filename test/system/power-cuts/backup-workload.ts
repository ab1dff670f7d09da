import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { sha256 } from '../../../src/core/security/crypto.ts'
import { loadKeyring } from '../../../src/core/security/secrets.ts'
import { createLocalStorage } from '../../../src/core/storage/local.ts'
import type { Workload } from './workloads.ts'

const PASSPHRASE = 'a passphrase'
const signal = new AbortController().signal
const progress = () => {}
/** Loaded by those who need them, because that takes long. */
const importBackups = async () => ({
  ...(await import('../../../src/admin/backup/make.ts')),
  ...(await import('../../../src/admin/backup/verify.ts')),
  ...(await import('../../../src/operator/backup/target.ts')),
})

/** The target of the backups, and the data of the service: only the target matters afterwards. */
const targetIn = (disk: string) => join(disk, 'target')

/** An object that a killed backup has stored, but whose name it has not synced. */
function leaveObject(path: string, bytes: Buffer) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, bytes, { flush: true })
  renameSync(`${path}.new`, path)
}

/**
 * Two backups of a database to a folder; the second removes the first. The database is that of
 * BACKUP_DATABASE_URL, which is not on the recorded disk.
 */
export const backup: Workload = {
  needs_database: true,
  async run(disk, acknowledge) {
    const { makeBackup, openTarget, objectKeyOf } = await importBackups()
    const DATA_DIR = join(disk, 'data')
    const config = readConfig({ DATA_DIR, LOG_LEVEL: 'silent' })
    await loadKeyring({ data_dir: DATA_DIR })
    const storage = await createLocalStorage(join(DATA_DIR, 'objects'))
    const put = async (name: string) => {
      const bytes = Buffer.from(name.repeat(1000))
      await storage.put(`builds/${name}`, bytes)
      return { bytes, sha256: sha256(bytes).toString('hex') }
    }
    const known = await put('known')
    await put('first')
    leaveObject(join(targetIn(disk), objectKeyOf(known.sha256)), known.bytes)
    const target = await openTarget(targetIn(disk), config, 'create')
    const back = async (keep?: number) => {
      const { manifest } = await makeBackup({
        config,
        database_url: process.env['BACKUP_DATABASE_URL']!,
        target,
        passphrase: PASSPHRASE,
        keep,
        progress,
        signal,
      })
      return manifest.id
    }
    const first = await back()
    acknowledge({ step: 'done', what: first, sha256: 'kept' })
    await put('second')
    // From now on the first backup may be gone; if it is there, it is whole.
    acknowledge({ step: 'begun', what: first, sha256: null })
    const second = await back(1)
    acknowledge({ step: 'done', what: second, sha256: 'kept' })
  },
  async findLosses(disk, entries) {
    const { openTarget, completeBackups, readManifest, verifyBackup } = await importBackups()
    const required = new Set<string>()
    for (const { step, what } of entries)
      if (step === 'done') required.add(what)
      else required.delete(what)
    const config = readConfig({ DATA_DIR: join(disk, 'data'), LOG_LEVEL: 'silent' })
    const target = await openTarget(targetIn(disk), config, 'create')
    const complete = await completeBackups(target)
    const losses = [...required.difference(new Set(complete))].map((id) => `backup ${id} is gone`)
    for (const id of complete) {
      const manifest = await readManifest(target, id)
      const passphrase = PASSPHRASE
      const run = { target, manifest, quick: false, passphrase, progress, signal }
      losses.push(...(await verifyBackup(run)).problems)
    }
    return losses
  },
}
