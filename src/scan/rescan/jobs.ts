import { setTimeout as pause } from 'node:timers/promises'
import { findRecipient } from '../../accounts/publishing/queries.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { HOUR, MIB, MINUTE } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { readFileToScan, recordScan } from '../queries.ts'
import { ScannerUnavailable } from '../scanner.ts'
import { scannerFor } from '../scanners.ts'
import { clean, type Finding, infected } from '../states.ts'
import { scanStoredZip } from '../stored-zip.ts'
import { rejectionMail } from './mail-templates.ts'
import {
  type FileToRescan,
  finishUpdate,
  nextFileToRescan,
  readRejectedFile,
  readRejectionRecipients,
  readUpdate,
  recordSignatures,
  rejectCleanFile,
  type SignatureUpdate,
  storeRescanned,
} from './queries.ts'

/** Slow, so that new uploads and downloads do not wait for it. */
const MAX_BYTES_PER_SECOND = 32 * MIB
/** How long one run takes; then the rest continues in the next one. */
const RUN_MS = 10 * MINUTE * 1000

/** Notices new signatures of the scanner. */
export const checkSignatures = job({
  name: 'scan.check-signatures',
  schedule: '*/15 * * * *',
  async handle({ core, finish }) {
    const { engine, version } = scannerFor(core.config)
    const signatures = await version().catch((error) => {
      // The health check reports it.
      if (error instanceof ScannerUnavailable) return undefined
      throw error
    })
    if (signatures === undefined) return
    const uid = uuidv7()
    await finish(async (tx) => {
      if (await recordSignatures(tx, { uid, engine, version: signatures }))
        await core.jobs.send(tx, 'scan.rescan', { update_uid: uid })
    })
  },
})

/**
 * Scans recent clean files again, one after the other. They stay available meanwhile, and a file
 * that cannot be scanned stays clean. Each file is stored as it is scanned, so that the job
 * continues where it was if its process dies.
 */
export const rescan = job<{ update_uid: string }>({
  name: 'scan.rescan',
  retries: 1000,
  backoff_seconds: [1, MINUTE],
  expire_seconds: 3 * HOUR,
  concurrency: 1,
  async handle({ core, data: { update_uid }, signal, finish }) {
    const run_until = Date.now() + RUN_MS
    const update = await readUpdate(core.sql, update_uid)
    if (!update) return
    for (;;) {
      const file = await nextFileToRescan(core.sql, update)
      if (!file) return finish((tx) => finishUpdate(tx, update_uid))
      if (Date.now() > run_until)
        return finish((tx) => core.jobs.send(tx, 'scan.rescan', { update_uid }))
      const findings = await scanSlowly(core, file, signal)
      // A newer update scans the rest.
      if (!(await storeResult(core, update, file, findings))) return
      update.last_file_uid = file.uid
    }
  },
})

async function scanSlowly(core: Core, file: FileToRescan, signal: AbortSignal): Promise<Finding[]> {
  const started = Date.now()
  const findings = await scanAgain(core, file, signal)
  const rest = (file.size / MAX_BYTES_PER_SECOND) * 1000 - (Date.now() - started)
  if (rest > 0) await pause(rest, undefined, { signal })
  return findings
}

async function scanAgain(core: Core, file: FileToRescan, signal: AbortSignal): Promise<Finding[]> {
  try {
    const scanner = scannerFor(core.config)
    return (await scanStoredZip(core, file, scanner, signal)).findings
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ScannerUnavailable) throw error
    const { message } = error as Error
    core.log.warn({ file_uid: file.uid, error: message }, 'a clean file was not scanned again')
    return []
  }
}

/** Returns false if another run, or a newer update, has scanned the file. */
function storeResult(
  core: Core,
  update: SignatureUpdate,
  file: FileToRescan,
  findings: Finding[],
): Promise<boolean> {
  return transact(core.sql, async (tx) => {
    const is_rejected = await rejectIfFound(core, tx, file, findings)
    return storeRescanned(tx, update, { file_uid: file.uid, is_rejected })
  })
}

/** Rejects a clean file with findings. Its owner and the moderators are mailed. */
async function rejectIfFound(
  core: Core,
  tx: Tx,
  file: FileToRescan,
  findings: Finding[],
): Promise<boolean> {
  const { engine } = scannerFor(core.config)
  const is_rejected =
    findings.length > 0 && (await rejectCleanFile(tx, file, { engine, ...infected(findings) }))
  if (!is_rejected) return false
  const { uid: file_uid, game_uid } = file
  await core.jobs.send(tx, 'scan.remove-bytes', { file_uid, game_uid })
  for (const { user_uid } of await readRejectionRecipients(tx, game_uid))
    await core.jobs.send(tx, 'scan.mail-rejected', { file_uid, user_uid, id: uuidv7() })
  return true
}

/** Scans one clean file again, because an operator wants it. */
export const rescanFile = job<{ file_uid: string }>({
  name: 'scan.rescan-file',
  retries: 10,
  backoff_seconds: [1, MINUTE],
  expire_seconds: 3 * HOUR,
  concurrency: 1,
  async handle({ core, data: { file_uid }, signal, finish }) {
    const file = await readFileToScan(core.sql, file_uid)
    if (file?.scan !== 'clean' && file?.scan !== 'withdrawn') return
    const scanner = scannerFor(core.config)
    const { findings } = await scanStoredZip(core, file, scanner, signal)
    await finish(async (tx) => {
      if (await rejectIfFound(core, tx, file, findings)) return
      await recordScan(tx, file_uid, { outcome: clean, engine: scanner.engine })
    })
  },
})

/** Tells the owner, or a moderator, that an available file was rejected. */
export const mailRejected = job<{ file_uid: string; user_uid: string; id: string }>({
  name: 'scan.mail-rejected',
  async handle({ core, data: { file_uid, user_uid, id } }) {
    const file = await readRejectedFile(core.sql, file_uid)
    const recipient = file && (await findRecipient(core.sql, user_uid))
    if (!recipient) return
    const { owner_uid, vanity_name, ...about } = file
    const is_owner = owner_uid === user_uid
    const { web_url } = core.addresses
    const text = rejectionMail({
      store: core.settings.current.store_name,
      ...about,
      is_owner,
      url: is_owner
        ? `${web_url}/dashboard/${vanity_name}/builds`
        : `${web_url}/operator/moderation/file/${file_uid}`,
    })
    const mail = writeMail(text, mailLanguage(core.config, recipient.language))
    await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
  },
})
