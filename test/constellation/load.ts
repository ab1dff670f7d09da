import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../demo/random.ts'
import { MINUTE_MS } from '../../src/core/runtime/units.ts'
import { eventually } from '../support/app.ts'
import { builders, type Listing, must, PASSWORD, type Person } from '../support/builders.ts'
import { IS_FULL_RUN } from '../support/loop-count.ts'
import { sha256, zip } from '../uploads/zips.ts'
import { uploadInChunks } from './chunked-upload.ts'
import { clientAt, download, retryWhileDown, Unavailable } from './client.ts'
import type { Constellation } from './constellation.ts'

const GAMES = '/api/v1/private/games'
/** Stays below the hourly upload limit of a game. */
const UPLOADS_PER_GAME = 40
/** Every tenth file is so large that the object store receives it in several parts. */
const LARGE_FILE_INTERVAL = 10
/** Beside other tests the load leaves them most of the machine. */
const PAUSE_FACTOR = Number(process.env.LOAD_PAUSE_FACTOR ?? (IS_FULL_RUN ? 1 : 10))
const IS_BESIDE_TESTS = !IS_FULL_RUN && !process.env.LOAD_PAUSE_FACTOR
/** Receiving, scanning and patching files takes most of the time of all processes. */
const MAX_FILE_BYTES = IS_BESIDE_TESTS ? 300_000 : 2_000_000
const MAX_UPLOAD_PAUSE_MS = IS_BESIDE_TESTS ? 2_000 : 500
const STORE_TIMEOUT_CODE = 4243
const kinds = ['upload', 'read', 'edit', 'event', 'sign-in'] as const
type Kind = (typeof kinds)[number]

/** What the service acknowledged, to be compared with what is stored at the end. */
type Ledger = {
  files: { game_uid: string; file_uid: string; checksum: string; owner: Person }[]
  edits: EditLedger
  events: { acknowledged: number }
  sign_ins: { token: string; account: string }[]
  reads: number
  /** How many actions were retried because a component was down. */
  retries: number
}

/** All edits, and what was read between them. Edit 0 is the listing before the first. */
type EditLedger = {
  sent: number
  acknowledged: number[]
  /** A value, and the edits that it may be of. */
  reads: { value: number; from: number; to: number }[]
}

/** What the load uses: a public game with a build, and a game with store sign-in. */
type Targets = {
  game: Listing
  build_id: string
  file_uid: string
  checksum: string
  sign_in: SignInGame
}
/** What the load needs of an installation. */
export type LoadedService = Pick<Constellation, 'url' | 'sql' | 'store' | 'data_dir'>
type SignInGame = { uid: string; app_id: number; ticket_key: string; auth_key: string }

let clients = 0
/** A client with an unused IP address, because rate limits are not under test here. */
function newClient(url: string) {
  clients++
  const address = `127.2.${(clients >> 8) & 255}.${clients & 255}`
  return { address, http: clientAt(address, url) }
}

/**
 * Runs uploads, reads, edits, events and sign-ins concurrently until stopped, and records what the
 * service acknowledged.
 */
export async function startLoad(all: LoadedService, random: Random) {
  const { url } = all
  const a = builders(newClient(url).http, all.data_dir)
  const editor = await a.verifiedDeveloper({ username: `loader-${Date.now() % 1_000_000}` })
  const targets = await createTargets(all, editor)
  const ledger: Ledger = {
    files: [],
    edits: { sent: 0, acknowledged: [], reads: [] },
    events: { acknowledged: 0 },
    sign_ins: [],
    reads: 0,
    retries: 0,
  }
  /** When the last successful action of each kind started. */
  const lastSuccess: Record<Kind, number> = { upload: 0, read: 0, edit: 0, event: 0, 'sign-in': 0 }
  let stopped = false
  const onRetry = () => void ledger.retries++

  async function repeat(kind: Kind, max_pause_ms: number, action: () => Promise<void>) {
    while (!stopped) {
      const started_at = Date.now()
      await retryWhileDown(kind, action, onRetry)
      lastSuccess[kind] = started_at
      await pause(PAUSE_FACTOR * random.integer(0, max_pause_ms))
    }
  }

  let uploaders = 0
  /** Each game has an owner of its own, because an account may create few in an hour. */
  const createOwner = () =>
    builders(newClient(url).http, all.data_dir).verifiedDeveloper({
      username: `${editor.username}-${++uploaders}`,
    })

  async function uploadFilesOfOneGame() {
    const { http } = newClient(url)
    const owner = await retryWhileDown('create an account', createOwner, onRetry)
    const game = await retryWhileDown('create a game', () => a.listing({ owner }), onRetry)
    const createKey = async () => {
      // A long run outlasts the time for which the sign-in at its start is proof enough.
      const path = '/api/v1/private/account/confirm-password'
      must(await http.post(path, { password: PASSWORD }, { token: owner.token }))
      return a.deployer(game)
    }
    const deploy_key = await retryWhileDown('create a deploy key', createKey, onRetry)
    let version = 0
    for (let number = 1; !stopped && number <= UPLOADS_PER_GAME; number++) {
      const register = async () => {
        // Use a new version for every attempt, because the previous one may have arrived.
        const build = { os: 'linux', arch: 'x86_64', version: `1.${++version}` }
        return must(await http.post('/api/v1/tool/upload/build', build, deploy_key))
      }
      const { build_id } = await retryWhileDown('register a build', register, onRetry)
      const size =
        number % LARGE_FILE_INTERVAL === 0
          ? random.integer(12_000_000, 20_000_000)
          : random.integer(50_000, MAX_FILE_BYTES)
      const bytes = zip([{ name: 'game', body: randomBytes(size), method: 0 }])
      let started_at = Date.now()
      const onChunk = () => {
        lastSuccess.upload = started_at
        started_at = Date.now()
      }
      const send = () => uploadInChunks({ http, deploy_key, build_id, bytes, random, onChunk })
      const file_uid = await retryWhileDown('upload a file', send, onRetry)
      ledger.files.push({ game_uid: game.uid, file_uid, checksum: sha256(bytes), owner })
      if (!IS_FULL_RUN) await pause(random.integer(0, MAX_UPLOAD_PAUSE_MS))
    }
  }
  const upload = async () => {
    while (!stopped) await uploadFilesOfOneGame()
  }

  const { read, edit, sendEvent, signIn } = loadActions(all, targets, ledger)
  const running = Promise.all([
    upload(),
    upload(),
    repeat('read', 50, read),
    repeat('edit', 50, edit),
    repeat('event', 20, sendEvent),
    repeat('sign-in', 50, signIn),
  ])
  running.catch((error) => {
    stopped = true
    process.stderr.write(`the load stopped: ${error.stack}\n`)
  })
  return {
    ledger,
    /**
     * Waits until an action of every kind that started after `since` succeeded, and returns how
     * many milliseconds that took. More than `seconds` are an error.
     */
    async recovered(since: number, seconds: number) {
      const called_at = performance.now()
      const failing = () => kinds.filter((kind) => lastSuccess[kind] < since)
      await Promise.race([
        running,
        eventually('recovery', () => !failing().length, seconds).catch(() => {
          throw new Error(`not recovered after ${seconds} seconds: ${failing().join(', ')}`)
        }),
      ])
      const waited = performance.now() - called_at
      assert.ok(waited <= seconds * 1000, `recovery took ${waited} ms, more than ${seconds} s`)
      return Date.now() - since
    },
    async end() {
      stopped = true
      await running
    },
    check: () => checkLedger(all, ledger, targets),
  }
}
export type Load = Awaited<ReturnType<typeof startLoad>>

async function createTargets(all: LoadedService, owner: Person): Promise<Targets> {
  const { url, sql } = all
  const a = builders(newClient(url).http, all.data_dir)
  const game = await a.listing({ owner, name: 'Game under load' })
  const { build_id, file_uid } = await a.cleanBuild(game)
  await sql`
    update listings
    set
      visibility = 'public',
      published_at = now(),
      public_since = now(),
      anonymous_downloads = true
    where uid = ${game.uid}`
  const [file] = await sql`select checksum from files where uid = ${file_uid}`
  await keepEditHistory(sql, game.uid)
  const sign_in = await createSignInGame(all, await a.listing({ owner }))
  return { game, build_id, file_uid, checksum: file!.checksum, sign_in }
}

/** Links a game to an app of the store, as an import does, and turns sign-in on. */
async function createSignInGame(
  { url, store, sql }: LoadedService,
  { uid, owner }: Listing,
): Promise<SignInGame> {
  const { http } = newClient(url)
  const app_id = 8_000_000 + (Date.now() % 1_000_000)
  store.control.app({ app_id, name: `App ${app_id}`, type: 'game' })
  await sql`
    insert into extstore_links (game_uid, app_id, app_name, last_synced_at)
    values (${uid}, ${app_id}, 'App', now())`
  const { key: web_api_key } = store.control.key({ apps: [app_id] })
  const { auth } = must(await http.post(`${GAMES}/${uid}/steam/auth`, { web_api_key }, owner))
  const { auth_key } = must(await http.get(`${GAMES}/${uid}/steam/auth-key`, owner))
  return { uid, app_id, ticket_key: auth.ticket_key, auth_key }
}

/** One action of each kind; an upload consists of several requests and is not among them. */
function loadActions({ url, store }: LoadedService, targets: Targets, ledger: Ledger) {
  const { game, build_id, file_uid, checksum, sign_in } = targets
  const { owner } = game

  async function read() {
    const { http, address } = newClient(url)
    must(await http.get(`/api/v1/public/games/${game.uid}`))
    const page = await http.get('/', { headers: { accept: 'text/html' } })
    assert.equal(page.status, 200, JSON.stringify(page))
    const link = must(await http.get(`/api/v1/public/downloads/${file_uid}`)).url
    const bytes = await download(link, address)
    assert.equal(sha256(bytes), checksum, 'a download has a wrong checksum')
    ledger.reads++
  }

  async function edit() {
    const { edits } = ledger
    const number = ++edits.sent
    const { http } = newClient(url)
    const tagline = `line ${number}`
    must(await http.patch(`${GAMES}/${game.uid}`, { tagline }, owner))
    edits.acknowledged.push(number)
    // Any process must answer with it at once.
    const value = editIn(must(await newClient(url).http.get(`${GAMES}/${game.uid}`, owner)))
    edits.reads.push({ value, from: number, to: edits.sent })
  }

  /** As with real players, the same devices send events again and again. */
  const devices = Array.from({ length: 500 }, () => randomUUID())
  /** Stays the same in a retry, so that the service counts the event once. */
  let event_id = randomUUID()
  async function sendEvent() {
    const device_uid = devices[ledger.events.acknowledged % devices.length]
    const events = [{ event: 'boot_ok', device_uid, event_id, ms: 5 }]
    const headers = { 'x-app-id': game.uid, 'x-build-id': build_id }
    const answer = await newClient(url).http.post('/api/v1/public/events', { events }, { headers })
    assert.deepEqual(must(answer), { accepted: 1 })
    ledger.events.acknowledged++
    event_id = randomUUID()
  }

  async function signIn() {
    const { app_id, ticket_key: identity } = sign_in
    const { id: account } = store.control.account({ name: 'Player' })
    store.control.own({ account, app_id })
    const { ticket } = store.control.ticket({ app_id, account, identity, bytes: 64 })
    const answer = await newClient(url).http.post(`/api/v1/extstore/${sign_in.uid}/auth`, {
      ticket,
    })
    // The simulated store runs in this process. Beside other tests it may exceed the time budget
    // of a sign-in, although no component of the service is at fault.
    if (!IS_FULL_RUN && answer.body.error?.code === STORE_TIMEOUT_CODE)
      throw new Unavailable('the store did not answer in time')
    ledger.sign_ins.push({ token: must(answer).token, account: String(account) })
  }

  return { read, edit, sendEvent, signIn }
}

/** Checks that everything acknowledged is stored once and unchanged; returns the channel moves. */
async function checkLedger(
  all: LoadedService,
  { files, edits, events, sign_ins }: Ledger,
  { game, build_id, sign_in }: Targets,
): Promise<number> {
  const { sql, url } = all
  await checkEdits(url, game, edits)
  await checkEditHistory(sql, game.uid, edits)
  const [stored] = await sql`
    select count(*)::int as count
    from events
    where build_uid = ${build_id}`
  assert.equal(
    stored!.count,
    events.acknowledged,
    'the stored events are not the acknowledged events',
  )
  await checkSessions(sql, sign_ins)
  await checkTokens(url, sign_in, sign_ins)
  await eventually(
    'every scan',
    async () => (await sql`select from files where scan = 'scanning'`).length === 0,
    300,
  )
  await checkFiles(url, files)
  return checkChannels(sql, files)
}

/** The number of the edit that a listing shows. */
const editIn = ({ tagline }: { tagline: string | null }) =>
  Number(tagline?.slice('line '.length) || 0)

/** Records every tagline that is committed, in the order of the commits. */
async function keepEditHistory(sql: Constellation['sql'], game_uid: string) {
  await sql.unsafe(`
    create table if not exists edit_history (
      seq bigint generated always as identity,
      game_uid uuid,
      tagline text
    );
    create or replace function keep_edit() returns trigger language plpgsql as $$
    begin
      insert into edit_history (game_uid, tagline) values (new.uid, new.tagline);
      return new;
    end $$;
    create or replace trigger keep_edit after update on all_listings
    for each row when (new.uid = '${game_uid}' and old.tagline is distinct from new.tagline)
    execute function keep_edit()`)
}

/** Every acknowledged edit was committed once and in order, and every read was of its time. */
async function checkEditHistory(
  sql: Constellation['sql'],
  game_uid: string,
  { acknowledged, reads }: EditLedger,
) {
  const rows = await sql<{ tagline: string }[]>`
    select tagline from edit_history where game_uid = ${game_uid} order by seq`
  const committed = rows.map(editIn)
  const was_acknowledged = new Set(acknowledged)
  assert.deepEqual(
    committed.filter((number) => was_acknowledged.has(number)),
    acknowledged,
    'the committed edits are not the acknowledged edits in their order',
  )
  for (const { value, from, to } of reads)
    assert.ok(value >= from && value <= to, `edit ${from} was acknowledged, but ${value} was read`)
}

async function checkEdits(url: string, game: Listing, edits: EditLedger) {
  const { sent } = edits
  const acknowledged = edits.acknowledged.at(-1) ?? 0
  const { body } = await retryWhileDown('read the game', () =>
    clientAt('127.0.0.1', url).get(`${GAMES}/${game.uid}`, game.owner),
  )
  const stored = editIn(body.data)
  assert.ok(
    stored >= acknowledged && stored <= sent,
    `edit ${acknowledged} was acknowledged, but edit ${stored} is stored`,
  )
}

/** Every token that was issued has a session of its player, which nobody ended. */
async function checkSessions(sql: Constellation['sql'], sign_ins: Ledger['sign_ins']) {
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }
  const issued = sign_ins.map(({ token, account }) => ({ ...claimsOf(token), account }))
  const rows = await sql<{ jti: string; extstore_id: string }[]>`
    select jti, extstore_id
    from extstore_sessions
    where revoked_at is null and jti = any(${issued.map(({ jti }) => jti)}::uuid[])`
  const players = new Map(rows.map(({ jti, extstore_id }) => [jti, extstore_id]))
  assert.deepEqual(
    issued.filter(({ jti, account }) => players.get(jti) !== account),
    [],
    'an issued token has no session of its player',
  )
}

/** A long run outlives its first tokens. The clocks of its processes may differ by minutes. */
function mayHaveExpired(token: string): boolean {
  const payload = Buffer.from(token.split('.')[1]!, 'base64url').toString()
  const { exp } = JSON.parse(payload) as { exp: number }
  return exp * 1000 < Date.now() + 5 * MINUTE_MS
}

async function checkTokens(
  url: string,
  { uid, auth_key }: SignInGame,
  sign_ins: Ledger['sign_ins'],
) {
  for (const { token } of sign_ins) {
    const { status, body } = await retryWhileDown('verify a token', () =>
      clientAt('127.0.0.1', url).post(
        `/api/v1/extstore/${uid}/server/verify`,
        { token },
        { token: auth_key },
      ),
    )
    // This many requests reach the rate limit.
    if (status === 429) break
    const is_intact = body.data.valid || (mayHaveExpired(token) && !body.data.revoked)
    assert.ok(is_intact, `an issued token is not valid: ${JSON.stringify(body)}`)
  }
}

async function checkFiles(url: string, files: Ledger['files']) {
  for (const { file_uid, checksum, owner } of files) {
    const { address, http } = newClient(url)
    const answer = await retryWhileDown('request a download link', () =>
      http.get(`/api/v1/private/downloads/${file_uid}`, owner),
    )
    const link = must(answer).url
    const bytes = await retryWhileDown('download a file', () => download(link, address))
    assert.equal(sha256(bytes), checksum, `file ${file_uid} has a wrong checksum`)
  }
}

/**
 * Checks that each file moved its channel at most once, always forward, and to the newest build.
 */
async function checkChannels(sql: Constellation['sql'], files: Ledger['files']): Promise<number> {
  let total = 0
  for (const [game_uid, uploaded] of Map.groupBy(files, (file) => file.game_uid)) {
    const moves = await sql`
      select file_uid, string_to_array(version, '.')::int[] as version_numbers
      from channel_history
      where event = 'upload' and game_uid = ${game_uid}
      order by seq`
    assert.equal(
      new Set(moves.map(({ file_uid }) => file_uid)).size,
      moves.length,
      'a file moved its channel twice',
    )
    const versions = moves.map(({ version_numbers }) => version_numbers[1] as number)
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
      'a channel moved backward',
    )
    const [newest] = await sql`
      select max((string_to_array(version, '.')::int[])[2]) as version
      from builds
      where game_uid = ${game_uid}
        and uid in (
          select build_uid
          from files
          where uid in ${sql(uploaded.map(({ file_uid }) => file_uid))}
        )`
    assert.ok(
      versions.at(-1)! >= newest!.version,
      `version 1.${newest!.version} was acknowledged, but the channel is at 1.${versions.at(-1)}`,
    )
    total += moves.length
  }
  return total
}
