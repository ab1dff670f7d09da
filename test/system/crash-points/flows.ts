import { randomUUID } from 'node:crypto'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { random as seededRandom } from '../../../demo/random.ts'
import { fileKey } from '../../../src/builds/files/key.ts'
import { sha256 as hash, uuidv7 } from '../../../src/core/security/crypto.ts'
import { createLocalStorage } from '../../../src/core/storage/local.ts'
import { storeImage } from '../../../src/listings/media/store.ts'
import { makeRenditionsJob } from '../../../src/listings/renditions/jobs.ts'
import { earlySizes } from '../../../src/listings/renditions/rendition-rules.ts'
import { objectKeyOf } from '../../../src/operator/backup/target.ts'
import type { startBugApp } from '../../bugs/fixtures.ts'
import { uploadInChunks } from '../../constellation/chunked-upload.ts'
import { clientAt } from '../../constellation/client.ts'
import { videoFile, WEBM } from '../../listings/trailers/fixtures.ts'
import { OPERATIONS } from '../../operator/fixtures.ts'
import { eventually, runJob as runJobHere } from '../../support/app.ts'
import { must, newAddress } from '../../support/builders.ts'
import { form, picture } from '../../support/images.ts'
import { firstFiles, secondFiles } from '../../updates/patches/fixtures.ts'
import { deltaOfNewBytes } from '../../uploads/deltas/new-bytes.ts'
import {
  chunkForm,
  chunkHeaders,
  FILES,
  SESSIONS,
  sessionFields,
  sessionRequest,
} from '../../uploads/fixtures.ts'
import { upload } from '../../uploads/forms.ts'
import { EICAR, zip } from '../../uploads/zips.ts'
import { storingRequests } from '../stored-bytes.ts'

export type BugApp = Awaited<ReturnType<typeof startBugApp>>

/**
 * Something that crosses the boundary between storage and database, and the crash points on its
 * way. `act` can be repeated, and returns the status of its answer; `settled` waits for what follows
 * from it. After the points of `without_commit` the flow commits no transaction that wrote,
 * so there is no connection to cut.
 */
export type Flow = {
  points: string[]
  without_commit?: string[]
  act: () => Promise<number>
  settled?: () => Promise<unknown>
}

/** An object of an upload that was never recorded, two months ago. */
const oldUid = () => {
  const time = Date.now() - 60 * 86_400_000
  return `${time
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}${uuidv7().slice(13)}`
}

/** Makes a folder a backup that has an object with these bytes. */
async function storeInBackup(folder: string, bytes: Buffer) {
  mkdirSync(join(folder, 'backups'), { recursive: true })
  const storage = await createLocalStorage(folder)
  await storage.put(objectKeyOf(hash(bytes).toString('hex')), bytes)
}

/** `url` is the address of the service under test; `app` has the same database and storage. */
export async function makeFlows(app: BugApp, url: string): Promise<Record<string, Flow>> {
  const http = clientAt('127.0.0.1', url)
  const { call } = http
  const { game, requests, ci, build_id, player_token } = await storingRequests({
    ...app,
    call,
    send: (uid, token, options) =>
      call('POST', `/api/v1/games/${uid}/bugs`, {
        raw: options?.raw,
        token,
        headers: { ...newAddress(), ...options?.headers },
      }),
  })
  const { core, sql } = app
  const operator = await app.a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const statusOf = async (sending: Promise<{ status: number }>) => (await sending).status
  const uploadZip = (body: string) => {
    const bytes = zip([
      { name: 'a', body },
      { name: 'b', body: randomUUID() },
    ])
    const sent = upload(bytes, { build_id }, ci)
    return statusOf(call('POST', '/api/v1/tool/upload/files', sent))
  }
  /** Waits for a query to find nothing, also if its connection is cut. */
  const isEmpty = (description: string, query: () => Promise<readonly unknown[]>) =>
    eventually(description, async () => (await query().catch(() => ['unknown'])).length === 0)
  const scansSettled = () =>
    isEmpty(
      'every scan',
      async () => sql`
        select from files where scan = 'scanning'
        union all
        select from listing_trailers where scan = 'scanning'`,
    )
  /** Runs a job by a worker, and waits until none of its kind waits or runs. */
  const runJob = async (name: string, data: object) => {
    await core.jobs.send(sql, name, data as never)
    return 200
  }
  const isGone = (key: () => string) =>
    eventually('the removal', async () => !(await core.storage.stat(key())))
  let removed_key = ''
  let part_file = ''
  const patched = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const from_bytes = zip(firstFiles)
  const { file_uid: from_file } = await app.a.cleanBuild(patched, { bytes: from_bytes })
  const damaged_key = fileKey({ object_uid: from_file, game_uid: patched.uid })
  await storeInBackup(core.config.backup_target!, from_bytes)
  const { file_uid: to_file } = await app.a.cleanBuild(patched, { bytes: zip(secondFiles) })

  return {
    file: {
      points: [
        'upload-checked',
        'object-linked',
        'object-adopted',
        'upload-stored',
        'upload-recording',
        'upload-recorded',
        'upload-discarded',
      ],
      without_commit: ['upload-recorded', 'upload-discarded'],
      act: () => statusOf(requests.file!()),
    },
    chunks: {
      points: [
        'session-opened',
        'chunk-leased',
        'chunk-written',
        'chunk-recorded',
        'session-discarded',
      ],
      without_commit: ['session-discarded'],
      async act() {
        const bytes = zip([{ name: 'a', body: Buffer.alloc(1_600_000, randomUUID()), method: 0 }])
        const random = seededRandom(randomUUID())
        await uploadInChunks({ http, deploy_key: ci, build_id, bytes, random })
        return 200
      },
    },
    delta: {
      points: ['delta-composed'],
      async act() {
        const bytes = deltaOfNewBytes(Buffer.alloc(600_000, randomUUID()))
        const fields = { ...sessionFields(bytes, build_id), format: 'delta' }
        const { status, body } = await call('POST', SESSIONS, sessionRequest(fields, ci))
        if (status >= 300) return status
        const place = { session: body.data.session_id, from: 0, to: bytes.length }
        const headers = chunkHeaders(ci, { ...place, total: bytes.length })
        return statusOf(call('POST', FILES, chunkForm(bytes, headers)))
      },
    },
    image: {
      points: ['file-written', 'file-renamed', 'image-stored', 'image-recording', 'image-recorded'],
      without_commit: ['image-recorded'],
      act: async () =>
        statusOf(
          call('POST', `/api/v1/private/games/${game.uid}/media`, {
            token: game.owner.token,
            ...(await form({ kind: 'cover' }, [{ bytes: await picture(1024, 576) }])),
          }),
        ),
    },
    symbols: {
      points: ['symbols-stored', 'symbols-recording', 'symbols-recorded'],
      without_commit: ['symbols-recorded'],
      act: () => statusOf(requests.symbols!()),
    },
    bug: {
      points: ['report-received', 'report-filed'],
      // A report is one statement.
      without_commit: ['report-received', 'report-filed'],
      act: () => statusOf(requests.bug!()),
    },
    crash: {
      points: ['crash-stored', 'crash-recording', 'crash-recorded'],
      without_commit: ['crash-recorded'],
      act: () => statusOf(requests.crash!()),
    },
    save: {
      points: ['save-stored', 'save-recorded'],
      without_commit: ['save-recorded'],
      act: () => statusOf(requests.save!()),
    },
    save_removal: {
      points: ['save-removing', 'save-removed'],
      without_commit: ['save-removed'],
      async act() {
        const status = await statusOf(requests.save!())
        if (status >= 300) return status
        const path = `/api/v1/public/games/${game.uid}/saves/auto`
        return statusOf(call('DELETE', path, { token: player_token, headers: newAddress() }))
      },
    },
    trailer: {
      points: ['video-stored', 'trailer-recording', 'trailer-recorded', 'trailer-scan-settled'],
      // The scan may be over before the request.
      without_commit: ['trailer-recorded', 'trailer-scan-settled'],
      async act() {
        // A new listing each time, because of the number of trailers that it can have.
        // The connection that was cut before may fail this request as well.
        const { uid, owner } = await eventually('a listing', () =>
          app.a.listing().catch(() => undefined),
        )
        return statusOf(
          call('POST', `/api/v1/private/games/${uid}/media/trailers`, {
            token: owner.token,
            ...(await form({}, [videoFile(WEBM)])),
          }),
        )
      },
      settled: scansSettled,
    },
    brand: {
      points: ['fresh-file-written', 'brand-image-stored', 'brand-image-recorded'],
      without_commit: ['brand-image-recorded'],
      act: () => {
        const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>${randomUUID()}</title><path d="M0 0h9v9z"/></svg>`
        const raw = new Uint8Array(Buffer.from(svg))
        return statusOf(call('PUT', `${OPERATIONS}/branding/logo`, { token: operator.token, raw }))
      },
    },
    scan: {
      points: ['scan-done', 'scan-settling', 'scan-settled'],
      without_commit: ['scan-settled'],
      act: () => uploadZip(randomUUID()),
      settled: scansSettled,
    },
    infected: {
      points: ['object-unlinked', 'rejected-file-removed'],
      without_commit: ['object-unlinked', 'rejected-file-removed'],
      act: () => uploadZip(EICAR),
      settled: () =>
        isEmpty(
          'the removal of rejected files',
          async () => sql`
            select from files
            where scan in ('scanning', 'infected') and bytes_removed_at is null`,
        ),
    },
    patch: {
      points: ['patch-stored', 'patch-recording', 'patch-recorded'],
      without_commit: ['patch-recorded'],
      async act() {
        // The bytes of the patch before have no record then, and are swept in the end.
        await sql`delete from file_patches where to_file = ${to_file}`
        return runJob('updates.make-patch', { from_file, to_file })
      },
      settled: () =>
        eventually('the patch', async () => {
          const patches = sql`
            select from file_patches where to_file = ${to_file} and size is not null`
          return (await patches.catch(() => [])).length > 0
        }),
    },
    removal: {
      points: ['object-moved', 'objects-removed'],
      without_commit: ['object-moved', 'objects-removed'],
      async act() {
        removed_key = fileKey({ object_uid: oldUid(), game_uid: game.uid })
        await core.storage.put(removed_key, Buffer.from('unused'))
        return runJob('builds.remove-objects', { keys: [removed_key] })
      },
      settled: () => isGone(() => removed_key),
    },
    repair: {
      points: ['object-repaired'],
      without_commit: ['object-repaired'],
      async act() {
        const size = from_bytes.length
        await core.storage.put(damaged_key, Buffer.alloc(size, 'damaged'))
        return runJob('operator.scrub-object', { key: damaged_key, size, of: 'file' })
      },
      settled: () =>
        eventually('the repair', async () => {
          const object = await core.storage.get(damaged_key)
          return object && (await buffer(object.stream)).equals(from_bytes)
        }),
    },
    orphans: {
      points: ['orphan-removed'],
      without_commit: ['orphan-removed'],
      async act() {
        removed_key = fileKey({ object_uid: oldUid(), game_uid: game.uid })
        await core.storage.put(removed_key, Buffer.from('orphan'))
        return runJob('builds.sweep-objects', {})
      },
      settled: () => isGone(() => removed_key),
    },
    owner: {
      points: ['owner-recorded'],
      without_commit: ['owner-recorded'],
      act: () => runJob('storage.renew-owner', {}),
    },
    parts: {
      points: ['parts-swept'],
      async act() {
        const folder = join(core.config.data_dir, 'uploads')
        mkdirSync(folder, { recursive: true })
        part_file = join(folder, `${oldUid()}.part`)
        writeFileSync(part_file, 'abandoned')
        utimesSync(part_file, 1, 1)
        return runJob('uploads.sweep', {})
      },
    },
    images: {
      points: ['renditions-removed', 'image-removed'],
      async act() {
        const bytes = await picture(1024, 576)
        const sha256 = hash(bytes).toString('hex')
        await storeImage(core.storage, sha256, bytes)
        removed_key = `images/${sha256.slice(0, 2)}/${sha256}`
        return runJob('listings.remove-images', { sha256s: [sha256] })
      },
      settled: () => isGone(() => removed_key),
    },
    renditions: {
      points: ['rendition-stored'],
      // Its transaction holds a lock and writes nothing.
      without_commit: ['rendition-stored'],
      async act() {
        const bytes = await picture(1024, 576)
        must(
          await app.post(`/api/v1/private/games/${game.uid}/media`, undefined, {
            token: game.owner.token,
            ...(await form({ kind: 'cover' }, [{ bytes }])),
          }),
        )
        // Apps in the process of a test do not make renditions by themselves.
        const data = { sha256s: [hash(bytes).toString('hex')], sizes: earlySizes.slice(0, 1) }
        if (url === app.url) await runJobHere(app, makeRenditionsJob, data).catch(() => {})
        return 200
      },
    },
  }
}
