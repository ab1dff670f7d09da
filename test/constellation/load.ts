import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../demo/random.ts'
import { eventually } from '../support/app.ts'
import { builders, type Listing, must, type Person } from '../support/builders.ts'
import { sha256, zip } from '../uploads/zips.ts'
import type { Constellation } from './constellation.ts'
import { bytesAt, patiently, visitor } from './visitor.ts'
import { inChunks } from './walks.ts'

const GAMES = '/api/v1/private/games'
/** Stays below the hourly upload limit of a game. */
const UPLOADS_A_GAME = 40
const LARGE_EACH = 10
export const kinds = ['upload', 'read', 'edit', 'event', 'sign-in'] as const
export type Kind = (typeof kinds)[number]

/** What the service acknowledged, to be compared with what is stored at the end. */
export type Ledger = {
  files: { game: string; file_uid: string; checksum: string; owner: Person }[]
  edits: { sent: number; acknowledged: number }
  events: { sent: number; acknowledged: number }
  tokens: string[]
  reads: number
  disturbed: number
}

let visitors = 0
/** A client with an unused IP address, because rate limits are not under test here. */
const anybody = (url: string) => {
  visitors++
  const address = `127.2.${(visitors >> 8) & 255}.${visitors & 255}`
  return { address, http: visitor(url, address) }
}

/**
 * Runs uploads, reads, edits, events and sign-ins concurrently until stopped, and records what the
 * service acknowledged.
 */
export async function startLoad(all: Constellation, random: Random) {
  const { url, store, sql } = all
  const a = builders(anybody(url).http, all.data_dir)
  const owner = await a.verifiedDeveloper({ username: `loader-${Date.now() % 1_000_000}` })
  const shown = await a.listing({ owner, name: 'Shown under load' })
  const first = await a.cleanBuild(shown)
  await sql`update listings set visibility = 'public', published_at = now(), public_since = now(), anonymous_downloads = true where uid = ${shown.uid}`
  const checksum = (await sql`select checksum from files where uid = ${first.file_uid}`)[0]!
    .checksum as string
  const signing = await signInGame(all, await a.listing({ owner }))
  const ledger: Ledger = {
    files: [],
    edits: { sent: 0, acknowledged: 0 },
    events: { sent: 0, acknowledged: 0 },
    tokens: [],
    reads: 0,
    disturbed: 0,
  }
  /** When the last successful action of each kind started. */
  const well: Record<Kind, number> = { upload: 0, read: 0, edit: 0, event: 0, 'sign-in': 0 }
  let busy = true
  const onDisturbed = () => void ledger.disturbed++

  async function use(kind: Kind, pause_ms: number, deed: () => Promise<void>) {
    while (busy) {
      const begun = Date.now()
      await patiently(kind, deed, onDisturbed)
      if (kind !== 'upload') well[kind] = begun
      await pause(random.integer(0, pause_ms))
    }
  }

  const read = async () => {
    const { http, address } = anybody(url)
    assert.equal((await http.get(`/api/v1/public/games/${shown.uid}`)).status, 200)
    assert.equal((await http.get('/', { headers: { accept: 'text/html' } })).status, 200)
    const link = must(await http.get(`/api/v1/public/downloads/${first.file_uid}`)).url
    assert.equal(sha256(await bytesAt(link, address)), checksum, 'a download with another checksum')
    ledger.reads++
  }

  const edit = async () => {
    const tagline = `line ${++ledger.edits.sent}`
    must(await anybody(url).http.patch(`${GAMES}/${shown.uid}`, { tagline }, owner))
    ledger.edits.acknowledged = ledger.edits.sent
  }

  let event_id = randomUUID()
  const event = async () => {
    const events = [{ event: 'boot_ok', device_uid: randomUUID(), event_id, ms: 5 }]
    const headers = { 'x-app-id': shown.uid, 'x-build-id': first.build_id }
    assert.deepEqual(
      must(await anybody(url).http.post('/api/v1/public/events', { events }, { headers })),
      { accepted: 1 },
    )
    ledger.events.acknowledged++
    event_id = randomUUID()
  }

  const signIn = async () => {
    const { id: account } = store.control.account({ name: 'Player' })
    store.control.own({ account, app_id: signing.app_id })
    const { ticket } = store.control.ticket({
      app_id: signing.app_id,
      account,
      identity: signing.ticket_key,
      bytes: 64,
    })
    ledger.tokens.push(
      must(await anybody(url).http.post(`/api/v1/extstore/${signing.uid}/auth`, { ticket })).token,
    )
  }

  async function uploadOn() {
    const { http } = anybody(url)
    const game = await patiently('a game', () => a.listing({ owner }), onDisturbed)
    const ci = await patiently('a key', () => a.deployer(game), onDisturbed)
    let version = 0
    for (let nth = 0; busy && nth < UPLOADS_A_GAME; nth++) {
      const build = { os: 'linux', arch: 'x86_64' }
      // Use a new version for every attempt, because the previous one may have arrived.
      const register = async () =>
        must(
          await http.post('/api/v1/tool/upload/build', { ...build, version: `1.${++version}` }, ci),
        )
      const { build_id } = await patiently('a build', register, onDisturbed)
      const size =
        nth % LARGE_EACH === LARGE_EACH - 1
          ? random.integer(12_000_000, 20_000_000)
          : random.integer(50_000, 2_000_000)
      const bytes = zip([{ name: 'game', body: randomBytes(size), method: 0 }])
      let begun = Date.now()
      const onChunk = () => {
        well.upload = begun
        begun = Date.now()
      }
      const send = () => inChunks(http, ci, build_id, bytes, random, onChunk)
      const file_uid = await patiently('an upload', send, onDisturbed)
      ledger.files.push({ game: game.uid, file_uid, checksum: sha256(bytes), owner })
    }
  }
  const uploading = async () => {
    while (busy) await uploadOn()
  }

  const using = Promise.all([
    uploading(),
    uploading(),
    use('read', 50, read),
    use('edit', 50, edit),
    use('event', 20, event),
    use('sign-in', 50, signIn),
  ])
  using.catch((error) => {
    busy = false
    process.stderr.write(`the load ended: ${error.stack}\n`)
  })
  return {
    ledger,
    /**
     * Waits until an action of every kind that started after `since` succeeded, and returns how
     * long it took.
     */
    async recovered(since: number, seconds: number) {
      const late = () => kinds.filter((kind) => well[kind] < since)
      await Promise.race([
        using,
        eventually('everything to go well again', () => !late().length, seconds).catch(() => {
          throw new Error(`${late().join(', ')} did not go well again within ${seconds} seconds`)
        }),
      ])
      return Date.now() - since
    },
    async end() {
      busy = false
      await using
    },
    check: () => checkLedger(all, ledger, { shown, build_id: first.build_id, signing }),
  }
}
export type Load = Awaited<ReturnType<typeof startLoad>>
type Signing = { uid: string; app_id: number; ticket_key: string; auth_key: string }

/** Links a game to an app of the store, as an import does, and turns sign-in on. */
async function signInGame(
  { url, store, sql }: Constellation,
  { uid, owner }: Listing,
): Promise<Signing> {
  const { http } = anybody(url)
  const app_id = 8_000_000 + (Date.now() % 1_000_000)
  store.control.app({ app_id, name: `App ${app_id}`, type: 'game' })
  await sql`insert into extstore_links (game_uid, app_id, app_name, last_synced_at) values (${uid}, ${app_id}, 'App', now())`
  const { key: web_api_key } = store.control.key({ apps: [app_id] })
  const { auth } = must(await http.post(`${GAMES}/${uid}/steam/auth`, { web_api_key }, owner))
  const { auth_key } = must(await http.get(`${GAMES}/${uid}/steam/auth-key`, owner))
  return { uid, app_id, ticket_key: auth.ticket_key, auth_key }
}

/** Checks that everything acknowledged is stored once and unchanged. */
async function checkLedger(
  { sql, url }: Constellation,
  { files, edits, events, tokens }: Ledger,
  { shown, build_id, signing }: { shown: Listing; build_id: string; signing: Signing },
) {
  const ask = <T>(deed: () => Promise<T>) => patiently('a look', deed)
  const tagline = (
    await ask(() => visitor(url, '127.0.0.1').get(`${GAMES}/${shown.uid}`, shown.owner))
  ).body.data.tagline as string
  const edited = Number(tagline.slice('line '.length))
  assert.ok(
    edited >= edits.acknowledged && edited <= edits.sent,
    `edit ${edits.acknowledged} was acknowledged, and ${edited} is there`,
  )
  const [stored] = await sql`select count(*)::int as n from events where build_uid = ${build_id}`
  assert.equal(stored!.n, events.acknowledged, 'events that were acknowledged, each once')
  for (const token of tokens) {
    const verify = () =>
      visitor(url, '127.0.0.1').post(
        `/api/v1/extstore/${signing.uid}/server/verify`,
        { token },
        { token: signing.auth_key },
      )
    const { status, body } = await ask(verify)
    // This many requests reach the rate limit.
    if (status === 429) break
    assert.ok(body.data.valid, `a token that was given out is not valid: ${JSON.stringify(body)}`)
  }
  await eventually(
    'every scan',
    async () => (await sql`select from files where scan = 'scanning'`).length === 0,
    300,
  )
  for (const { file_uid, checksum, owner } of files) {
    const { address, http } = anybody(url)
    const link = must(await ask(() => http.get(`/api/v1/private/downloads/${file_uid}`, owner))).url
    assert.equal(sha256(await ask(() => bytesAt(link, address))), checksum, `file ${file_uid}`)
  }
  return checkChannels(sql, files)
}

/**
 * Checks that each file moved its channel at most once, always forward, and to the newest build.
 */
async function checkChannels(sql: Constellation['sql'], files: Ledger['files']): Promise<number> {
  let moved = 0
  for (const [game, own] of Map.groupBy(files, (file) => file.game)) {
    const moves = await sql`
      select version, file_uid, string_to_array(version, '.')::int[] as parts from channel_history
      where event = 'upload' and game_uid = ${game} order by seq`
    assert.equal(
      new Set(moves.map(({ file_uid }) => file_uid)).size,
      moves.length,
      'a file moved its channel twice',
    )
    const numbers = moves.map(({ parts }) => parts[1] as number)
    assert.deepEqual(
      numbers,
      [...numbers].sort((one, two) => one - two),
    )
    const [newest] = await sql`
      select max((string_to_array(version, '.')::int[])[2]) as n from builds b where game_uid = ${game} and uid in (select build_uid from files where uid in ${sql(own.map((one) => one.file_uid))})`
    assert.ok(
      numbers.at(-1)! >= newest!.n,
      `the channel stands at ${numbers.at(-1)}, and ${newest!.n} was acknowledged`,
    )
    moved += moves.length
  }
  return moved
}
