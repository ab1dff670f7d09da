import type { TestContext } from 'node:test'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { HOUR } from '../../src/core/runtime/units.ts'
import { startApp } from '../support/app.ts'
import { addAdmin, must, type Person } from '../support/builders.ts'

export const GAMES = '/api/v1/private/games'
export const PAGES = '/api/v1/public/games'
export const LIBRARY = '/api/v1/private/library'

type Game = { uid: string; vanity_name: string; owner: Person }

/** The real server, with fixtures for tests of players. */
export const startLibraryApp = async (t: TestContext) => libraryFixtures(await startApp(t))

export function libraryFixtures<App extends Awaited<ReturnType<typeof startApp>>>(app: App) {
  const { sql, a, post } = app

  /** Verifies the address without a mail. */
  async function verify(person: Person): Promise<Person> {
    await sql`update users set email_verified_at = now() where uid = ${person.uid}`
    clearIdentityCache()
    return person
  }

  const player = async () => verify(await a.user())

  async function show(uid: string, visibility = 'public') {
    await sql`
      update listings set visibility = ${visibility}, published_at = now(), public_since = now()
      where uid = ${uid}`
  }

  async function game(visibility = 'public', owner?: Person): Promise<Game> {
    const listing = await a.listing(owner ? { owner } : {})
    await show(listing.uid, visibility)
    return listing
  }

  async function admin(uid: string, accepted = true): Promise<Person> {
    const person = await player()
    await addAdmin(sql, uid, person.uid, accepted)
    return person
  }

  /** Claims a copy as players do, and sets the play time. */
  async function claimed(uid: string, who: Person, seconds = 0) {
    must(await post(`${GAMES}/${uid}/library`, undefined, who))
    await setPlayTime(uid, who, seconds)
    return who
  }

  async function setPlayTime(game_uid: string, { uid: user_uid }: Person, seconds: number) {
    await sql`
      insert into play_time (user_uid, game_uid, seconds, last_beat_at)
      values (${user_uid}, ${game_uid}, ${seconds}, now())
      on conflict (user_uid, game_uid) do update set seconds = excluded.seconds`
  }

  /** A player with a copy and some play time. */
  const fan = async (uid: string, seconds = HOUR) => claimed(uid, await player(), seconds)

  async function setPrice(uid: string, price_cents: number) {
    await sql`update listings set price_cents = ${price_cents} where uid = ${uid}`
  }

  async function sellEdition(game_uid: string, active = true) {
    const edition = {
      uid: crypto.randomUUID(),
      game_uid,
      slug: 'deluxe',
      name: 'Deluxe',
      kind: 'deluxe',
      price_cents: 999,
      active,
    }
    await sql`insert into editions ${sql(edition)}`
  }

  async function pageVersion(uid: string) {
    const [row] = await sql<{ version: string; updated_at: Date }[]>`
      select page_freshness(uid, version) as version, updated_at
      from listings
      where uid = ${uid}`
    return row!
  }

  return {
    ...app,
    verify,
    player,
    show,
    game,
    admin,
    claimed,
    setPlayTime,
    fan,
    setPrice,
    sellEdition,
    pageVersion,
  }
}
