import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { startService } from '../../../src/service.ts'
import { client } from '../../support/app.ts'
import { builders, must, type Person } from '../../support/builders.ts'
import { form as imageForm, picture } from '../../support/images.ts'
import { loopCount } from '../../support/loop-count.ts'
import { fieldsOf, form, upload } from '../../uploads/forms.ts'
import { sha256, zip } from '../../uploads/zips.ts'
import { copyPrepared } from '../prepared-folder.ts'

/**
 * The service with its embedded database, and requests to it. `prepare` makes a listing to upload
 * to; the program `service-program.ts folder` is recorded. Both work in the subfolder `disk`.
 */
type Context = { game: { uid: string; owner: Person }; ci: { headers: Record<string, string> } }

/** What the service acknowledged. `edit-begun` is written before the request. */
export type ServiceEntry =
  | { kind: 'edit-begun' | 'edit'; number: number }
  | { kind: 'file'; file_uid: string; checksum: string }
  | { kind: 'chunk'; session_id: string; size: number; checksum: string }
  | { kind: 'image'; uid: string }
  | { kind: 'symbols'; checksum: string }

const ROUNDS = loopCount({ short: 1, full: 3 })
const GAMES = '/api/v1/private/games'
const UPLOAD = '/api/v1/tool/upload/files'

export const serviceSettings = (disk: string) => ({
  DATA_DIR: join(disk, 'data'),
  PORT: '0',
  METRICS_PORT: 'off',
  LOG_LEVEL: 'fatal',
  REQUIRE_MFA: 'off',
  DATABASE_CONNECTIONS: '4',
  DATABASE_TIMEOUT: '60',
})

export async function prepare(folder: string) {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  await copyPrepared(join(disk, 'data'))
  const service = await startService(readConfig(serviceSettings(disk)))
  const a = builders(client(service.url), join(disk, 'data'))
  const owner = await a.verifiedDeveloper({ username: 'shipwright' })
  const game = await a.listing({ owner })
  const ci = await a.deployer(game)
  writeFileSync(join(folder, 'context.json'), JSON.stringify({ game, ci } satisfies Context))
  await service.stop()
}

async function run(folder: string) {
  const { game, ci } = JSON.parse(readFileSync(join(folder, 'context.json'), 'utf8')) as Context
  const service = await startService(readConfig(serviceSettings(join(folder, 'disk'))))
  const http = client(service.url)
  const acknowledge = (entry: ServiceEntry) =>
    appendFileSync(join(folder, 'ledger'), `${JSON.stringify(entry)}\n`)
  let edits = 0

  async function edit() {
    const number = ++edits
    acknowledge({ kind: 'edit-begun', number })
    must(await http.patch(`${GAMES}/${game.uid}`, { tagline: `line ${number}` }, game.owner))
    acknowledge({ kind: 'edit', number })
  }
  const archive = (size: number) => zip([{ name: 'game', body: randomBytes(size), method: 0 }])

  async function uploadFile(build_id: string) {
    const bytes = archive(20_000)
    const { file_uid } = must(await http.call('POST', UPLOAD, upload(bytes, { build_id }, ci)))
    acknowledge({ kind: 'file', file_uid, checksum: sha256(bytes) })
  }

  async function uploadChunks(build_id: string) {
    const bytes = archive(60_000)
    const fields = { filename: 'game.zip', total_size: String(bytes.length), build_id }
    const opened = await http.call('POST', '/api/v1/tool/upload/sessions', {
      raw: String(new URLSearchParams({ ...fields, checksum: sha256(bytes) })),
      headers: { ...ci.headers, 'content-type': 'application/x-www-form-urlencoded' },
    })
    const { session_id } = must(opened)
    for (let start = 0; start < bytes.length; ) {
      const end = Math.min(bytes.length, start + 25_000)
      const headers = {
        ...ci.headers,
        'x-upload-session-id': session_id,
        'content-range': `bytes ${start}-${end - 1}/${bytes.length}`,
      }
      const part = { name: 'file', filename: 'x', bytes: bytes.subarray(start, end) }
      const { file_uid } = must(await http.call('POST', UPLOAD, form([part], { headers })))
      const checksum = sha256(bytes.subarray(0, end))
      if (file_uid) acknowledge({ kind: 'file', file_uid, checksum })
      else acknowledge({ kind: 'chunk', session_id, size: end, checksum })
      start = end
    }
  }

  async function uploadImage() {
    const sent = await imageForm({ kind: 'gallery' }, [{ bytes: await picture(1280, 720) }])
    const media = must(
      await http.post(`${GAMES}/${game.uid}/media`, undefined, { ...game.owner, ...sent }),
    )
    for (const { uid } of media.gallery) acknowledge({ kind: 'image', uid })
  }

  async function uploadSymbols(build_id: string) {
    const id = randomBytes(16).toString('hex').toUpperCase()
    const bytes = Buffer.from(`MODULE Linux x86_64 ${id}0 game\n`)
    const fields = fieldsOf({ build_id, checksum: sha256(bytes) })
    const file = { name: 'file', filename: 'game.sym', bytes }
    const call = form([...fields, file], ci)
    must(await http.call('POST', '/api/v1/tool/upload/symbols', call))
    acknowledge({ kind: 'symbols', checksum: sha256(bytes) })
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const build = { version: `1.${round}`, os: 'linux', arch: 'x86_64' }
    const { build_id } = must(await http.post('/api/v1/tool/upload/build', build, ci))
    await edit()
    // Requests at the same time, as in life.
    await Promise.all([uploadFile(build_id), uploadChunks(build_id), uploadImage(), edit()])
    await uploadSymbols(build_id)
    if (round === Math.ceil(ROUNDS / 2)) await service.core.sql`checkpoint`
  }
  await service.stop()
}

if (process.argv[1] === import.meta.filename) {
  await run(process.argv[2]!)
  process.exit()
}
