import type { TestContext } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'
import { moderationTeam } from './fixtures.ts'

export const MODERATION = '/api/v1/private/moderation'
export const SWEEPS = `${MODERATION}/sweeps`
export const BLOCKED = `${MODERATION}/blocked-hashes`
export const FILES = '/api/v1/tool/upload/files'
export const SESSIONS = '/api/v1/tool/upload/sessions'

export const reasons = {
  ground: 'rule-malware',
  facts: 'The file steals passwords',
  statement: 'Your file has a password stealer in it.',
}

type StartService = (t: TestContext) => ReturnType<typeof startApp>

/** The service with a moderator, and listings whose files have given entries. */
export async function startSweeps(t: TestContext, startService: StartService = startApp) {
  const app = await startService(t)
  const team = await moderationTeam(app)
  const { a, get, post, call, sql } = app
  const { moderator } = team
  /** A clean file with these entries, in a listing of its own. */
  const stored = async (entries: Record<string, Buffer | string>, owner?: any) => {
    const listing = await a.listing({ owner: owner ?? (await a.verifiedDeveloper()) })
    const bytes = zip(Object.entries(entries).map(([name, body]) => ({ name, body })))
    return { listing, bytes, ...(await a.cleanBuild(listing, { bytes })) }
  }
  const start = async (hashes: string[]) =>
    must(await post(SWEEPS, { sha256: hashes }, moderator)).sweep_id as string
  const read = async (sweep_id: string) => must(await get(`${SWEEPS}/${sweep_id}`, moderator))
  const quarantine = (sweep_id: string, more = {}) =>
    post(`${SWEEPS}/${sweep_id}/quarantine`, { ...reasons, ...more }, moderator)
  /** What the scan says about a new file of a build. */
  const scanned = async (bytes: Buffer, { build_id, ci }: { build_id: string; ci: any }) => {
    const { file_uid } = must(await call('POST', FILES, upload(bytes, { build_id }, ci)))
    return eventually('the end of the scan', async () => {
      const [file] = await sql`
        select f.scan, h.detail
        from files f
        join scan_history h on h.file_uid = f.uid and h.state = f.scan
        where f.uid = ${file_uid} and f.scan <> 'scanning'`
      return file as { scan: string; detail: string | null } | undefined
    })
  }
  return { ...app, ...team, stored, start, read, quarantine, scanned }
}
