import assert from 'node:assert/strict'
import type { Sql, Tx } from '../../src/core/database/sql.ts'
import type { Core } from '../../src/core/runtime/core.ts'
import { OWNER_KEY } from '../../src/core/storage/owner-marker.ts'
import { isTrashKey } from '../../src/core/storage/trash-key.ts'
import { upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'
import { type Answer, type Client, eventually, outbox } from './app.ts'
import { form, picture } from './images.ts'

export const PASSWORD = 'correct horse battery'
/** Taxonomy values that satisfy the listing check. */
export const complete = {
  tags: ['one', 'two', 'three'],
  genres: ['rpg'],
  inputs: ['gamepad'],
  session_bucket: '1h',
  net: 'offline',
  players_min: 1,
  players_max: 1,
}
let made = 0

export type Person = { uid: string; username: string; email: string; token: string }

export type Listing = { uid: string; vanity_name: string; owner: Person }

/** Fields of the build registration, and the zip if its content matters. */
export type CleanBuild = {
  version?: string
  os?: string
  arch?: string
  channel?: string
  app?: string
  bytes?: Uint8Array
  [more: string]: unknown
}
const defaultZip = zip([{ name: 'game/play', body: 'a game' }])

export function must(answer: Answer): any {
  assert.ok(
    answer.status < 300,
    `expected success, got ${answer.status}: ${JSON.stringify(answer.body)}`,
  )
  return answer.body.data
}

/** The status and the error code of a response; the code is undefined if the request succeeded. */
export const refused = ({ status, body }: Answer) => [status, body.error?.code]

/**
 * The number of statements in this database that wait for a lock. It counts in the transaction that
 * holds the lock: in a pool whose other connections are all in use, the driver would send the query
 * behind a statement that waits.
 */
export async function lockWaits(tx: Tx): Promise<number> {
  // Within a transaction, the activity is otherwise read only once.
  await tx`select pg_stat_clear_snapshot()`
  const waiting = await tx`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return waiting.length
}

/**
 * The keys of all stored objects, or of those with a prefix, without the marker of the owner and
 * the trash.
 */
export const storedKeys = async ({ storage }: Pick<Core, 'storage'>, prefix = '') =>
  (await Array.fromAsync(storage.list(prefix)))
    .map(({ key }) => key)
    .filter((key) => key !== OWNER_KEY && !isTrashKey(key))

let addresses = 0

/** A header with an unused client address, to stay below the rate limits. */
export function newAddress() {
  addresses++
  const bytes = [addresses >> 16, addresses >> 8, addresses].map((number) => number & 255)
  return { 'x-forwarded-for': `10.${bytes.join('.')}` }
}

/** Publishes a listing without the checks of the publish route. */
export async function makePublic(sql: Sql, uid: string) {
  await sql`
    update listings
    set visibility = 'public', published_at = now(), public_since = now()
    where uid = ${uid}`
}

/** Adds a person to the admins of a listing, or only invites them. */
export async function addAdmin(sql: Sql, game_uid: string, user_uid: string, accepted = true) {
  const accepted_at = accepted ? new Date() : null
  await sql`insert into listing_admins ${sql({ game_uid, user_uid, accepted_at })}`
}

/** Suspends a person from everything. The caller clears the cache of identities. */
export async function suspendPerson(sql: Sql, user_uid: string) {
  await sql`
    update users
    set suspension = 'everything', suspension_statement = 'Spam'
    where uid = ${user_uid}`
}

/** Gives a player a copy of a listing. */
export async function addCopy(
  sql: Sql,
  game_uid: string,
  user_uid: string,
  source: 'free' | 'grant' | 'purchase',
) {
  await sql`insert into licences ${sql({ user_uid, game_uid, source })}`
}

/** The six-digit code in the text of a mail. */
export const codeIn = (text: string) => text.match(/\b\d{6}\b/)![0]

/** A code that differs from this one. */
export const wrongCode = (code: string) => (code === '000000' ? '000001' : '000000')

type UserFields = { username?: string; email?: string }
type ListingFields = { owner?: Person; name?: string; asset_type?: string }

/** The steps to an account: by the routes, or directly in the database. */
export type AccountSteps = {
  register: (fields: { username: string; email: string }) => Promise<Person>
  verifyEmail: (person: Person) => Promise<void>
  enableDeveloperMode: (person: Person) => Promise<void>
}

/** Creates accounts as people do. */
export function accountRoutes(http: Client, data_dir: string) {
  async function mailedCode({ email, token }: Person): Promise<string> {
    must(await http.post('/api/v1/private/account/email-code', {}, { token }))
    const mail = await eventually('the mail with the code', () =>
      outbox(data_dir).findLast(({ to }) => to === email),
    )
    return codeIn(mail.text)
  }
  const steps: AccountSteps = {
    async register({ username, email }) {
      const { user, session } = must(
        await http.post('/api/v1/private/account/register', {
          username,
          email,
          password: PASSWORD,
        }),
      )
      return { uid: user.uid, username, email, token: session.token }
    },
    async verifyEmail(person) {
      const code = await mailedCode(person)
      const { token } = person
      must(await http.post('/api/v1/private/account/verify-email', { code }, { token }))
    },
    async enableDeveloperMode({ token }) {
      const accepted = { enabled: true, accept_terms: true }
      must(await http.post('/api/v1/private/account/developer', accepted, { token }))
    },
  }
  return { ...steps, mailedCode }
}

/**
 * Creates what a test needs through the same routes that users call; accounts by other steps, if
 * given.
 */
export function builders(http: Client, data_dir: string, account_steps?: AccountSteps) {
  const { mailedCode, ...routes } = accountRoutes(http, data_dir)
  const steps = account_steps ?? routes

  async function user(fields: UserFields = {}): Promise<Person> {
    const username = fields.username ?? `person-${++made}`
    return steps.register({ username, email: fields.email ?? `${username}@example.com` })
  }

  async function verifyEmail(person: Person): Promise<Person> {
    await steps.verifyEmail(person)
    return person
  }

  async function enableDeveloperMode(person: Person): Promise<Person> {
    await steps.enableDeveloperMode(person)
    return person
  }

  const verified = async (fields?: UserFields) => verifyEmail(await user(fields))
  const developer = async (fields?: UserFields) => enableDeveloperMode(await user(fields))
  const verifiedDeveloper = async (fields?: UserFields) =>
    enableDeveloperMode(await verified(fields))

  /** Creates a draft of `owner`, or of a new developer. */
  async function listing({ owner, name, asset_type }: ListingFields = {}): Promise<Listing> {
    const creator = owner ?? (await developer())
    const { game_uid: uid, vanity_name } = must(
      await http.post(
        '/api/v1/private/games',
        { name: name ?? `Game ${++made}`, asset_type },
        { token: creator.token },
      ),
    )
    return { uid, vanity_name, owner: creator }
  }

  const key = async (kind: 'player' | 'agent', { token }: Person, scopes: string[], more = {}) =>
    must(
      await http.post(
        `/api/v1/private/account/${kind}-keys`,
        { name: 'test', scopes, ...more },
        { token },
      ),
    )

  /** Returns the request headers of a build machine of this listing. */
  async function deployer({ uid, owner }: Listing) {
    const { access_token, secret_key } = must(
      await http.post(`/api/v1/private/games/${uid}/deploy-keys`, undefined, {
        token: owner.token,
      }),
    )
    return {
      headers: { 'x-access-token': access_token as string, 'x-secret-key': secret_key as string },
    }
  }

  /** Uploads the images a public page needs: a cover, a thumbnail and four gallery images. */
  async function images({ uid, owner }: Listing) {
    const slots = {
      cover: [1024, 576, 1],
      thumbnail: [960, 540, 1],
      gallery: [1280, 720, 4],
    } as const
    let media: any
    for (const [kind, [width, height, count]] of Object.entries(slots)) {
      const files = await Promise.all(
        Array.from({ length: count }, async () => ({ bytes: await picture(width, height) })),
      )
      const sent = await form({ kind }, files)
      media = must(
        await http.post(`/api/v1/private/games/${uid}/media`, undefined, {
          token: owner.token,
          ...sent,
        }),
      )
    }
    return media as {
      cover: string
      thumbnail: string
      gallery: { uid: string; url: string; position: number }[]
    }
  }

  /**
   * Uploads a build with one file that passed its scan, like a build machine. The owner's email is
   * verified first.
   */
  async function cleanBuild(listing: Listing, { bytes = defaultZip, ...fields }: CleanBuild = {}) {
    const { email_verified } = must(await http.get('/api/v1/private/account', listing.owner))
    if (!email_verified) await verifyEmail(listing.owner)
    const ci = await deployer(listing)
    const { build_id } = must(
      await http.post(
        '/api/v1/tool/upload/build',
        { version: `1.0.${++made}`, os: 'linux', arch: 'x86_64', ...fields },
        ci,
      ),
    )
    const { file_uid } = must(
      await http.call(
        'POST',
        '/api/v1/tool/upload/files',
        upload(bytes, { build_id, app: fields.app }, ci),
      ),
    )
    await eventually('a clean scan', async () => {
      const { builds } = must(await http.get('/api/v1/tool/builds?page_size=100', ci))
      const file = builds
        .flatMap((build: any) => build.files)
        .find((candidate: any) => candidate.file_uid === file_uid)
      assert.notEqual(file?.scan, 'infected')
      assert.notEqual(file?.scan, 'error')
      return file?.scan === 'clean'
    })
    return { build_id, file_uid, ci } as { build_id: string; file_uid: string; ci: typeof ci }
  }

  return {
    cleanBuild,
    user,
    verified,
    developer,
    verifiedDeveloper,
    mailedCode,
    listing,
    key,
    deployer,
    images,
  }
}
