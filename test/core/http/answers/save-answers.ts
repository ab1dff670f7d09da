import { randomUUID } from 'node:crypto'
import { MIB } from '../../../../src/core/runtime/units.ts'
import type { Call, startApp } from '../../../support/app.ts'
import { makePublic, must } from '../../../support/builders.ts'
import { GAMES, type Producer, type World } from './private-world.ts'

type App = Pick<Awaited<ReturnType<typeof startApp>>, 'a' | 'post' | 'call' | 'sql'>
type Request = Call & { path?: string }

/** A player of a new public game with one save, and requests about it. */
async function saving({ a, post, call, sql }: App) {
  const listing = await a.listing()
  await makePublic(sql, listing.uid)
  const person = await a.verified()
  const { token } = must(await post(`${GAMES}/${listing.uid}/player-token`, undefined, person))
  const path = `/api/v1/public/games/${listing.uid}/saves`
  const write = (slot: string) => call('PUT', `${path}/${slot}`, { raw: randomUUID(), token })
  must(await write('a'))
  return { path, slot: `${path}/a`, token: token as string, write, person, listing }
}

type Saving = Awaited<ReturnType<typeof saving>>
const asPlayer =
  (request: (made: Saving) => Request | Promise<Request>) =>
  async (app: App): Promise<Request> => {
    const made = await saving(app)
    return { token: made.token, ...(await request(made)) }
  }
/** The game was deleted after the token was issued. */
const deletedGame = async (app: App): Promise<Request> => {
  const { path, token, listing } = await saving(app)
  must(await app.call('DELETE', `${GAMES}/${listing.uid}`, { token: listing.owner.token }))
  return { path, token }
}
const missing = asPlayer(({ path }) => ({ path: `${path}/none` }))
const pastEnd = { range: 'bytes=1000-' }
const another = { 'if-match': '"another"' }

/** Requests for the answers of the routes of saves in the public description. */
export const saveAnswers: Record<string, (app: App) => Promise<Request>> = {
  'get_games_game_uid_saves 200': asPlayer(({ path }) => ({ path })),
  'get_games_game_uid_saves 404': deletedGame,
  'get_games_game_uid_saves_slot 200': asPlayer(({ slot }) => ({ path: slot })),
  'get_games_game_uid_saves_slot 404': missing,
  'get_games_game_uid_saves_slot 416': asPlayer(({ slot }) => ({ path: slot, headers: pastEnd })),
  'put_games_game_uid_saves_slot 200': asPlayer(({ slot }) => ({ path: slot, raw: 'x' })),
  'put_games_game_uid_saves_slot 404': async (app) => {
    const { path, token } = await deletedGame(app)
    return { path: `${path}/a`, token: token!, raw: 'x' }
  },
  'put_games_game_uid_saves_slot 409': asPlayer(async ({ path, write }) => {
    for (let n = 1; n < 10; n++) must(await write(`slot-${n}`))
    return { path: `${path}/one-more`, raw: 'x' }
  }),
  'put_games_game_uid_saves_slot 412': asPlayer(({ slot }) => ({
    path: slot,
    raw: 'x',
    headers: another,
  })),
  'put_games_game_uid_saves_slot 413': asPlayer(({ slot }) => ({
    path: slot,
    raw: new Uint8Array(5 * MIB + 1),
  })),
  'put_games_game_uid_saves_slot 415': asPlayer(({ slot }) => ({
    path: slot,
    raw: 'x',
    headers: { 'content-encoding': 'br' },
  })),
  'delete_games_game_uid_saves_slot 200': asPlayer(({ slot }) => ({ path: slot })),
  'delete_games_game_uid_saves_slot 404': missing,
  'delete_games_game_uid_saves_slot 412': asPlayer(({ slot }) => ({
    path: slot,
    headers: another,
  })),
  'get_games_game_uid_saves_slot_versions 200': asPlayer(({ slot }) => ({
    path: `${slot}/versions`,
  })),
  'get_games_game_uid_saves_slot_versions 404': asPlayer(({ path }) => ({
    path: `${path}/none/versions`,
  })),
  'get_games_game_uid_saves_slot_versions_version 200': asPlayer(({ slot }) => ({
    path: `${slot}/versions/1`,
  })),
  'get_games_game_uid_saves_slot_versions_version 404': asPlayer(({ slot }) => ({
    path: `${slot}/versions/2`,
  })),
  'get_games_game_uid_saves_slot_versions_version 416': asPlayer(({ slot }) => ({
    path: `${slot}/versions/1`,
    headers: pastEnd,
  })),
}

/** The save of a person, by its uid. */
const ownSave: Producer = async (world: World) => {
  const { person } = await saving(world)
  const { items } = must(await world.get('/api/v1/private/account/played-games', person))
  return { token: person.token, values: { save_uid: items[0].saves[0].uid } }
}

const sharing =
  (shared: boolean): Producer =>
  async (world) => {
    const { token, values } = await world.played()
    const path = `${GAMES}/${values.uid}/play-sharing`
    must(await world.put(path, { shared }, { token }))
    return { token, values }
  }

/** The same for the private routes about saves and about what games know. */
export const ownSaveAnswers: Record<string, Producer> = {
  'get_private_account_saves_save_uid 200': ownSave,
  'get_private_account_saves_save_uid 416': async (world, described) => ({
    ...(await ownSave(world, described)),
    headers: pastEnd,
  }),
  'delete_private_games_uid_saves 200': async (world) => {
    const { person, listing } = await saving(world)
    return { token: person.token, values: { uid: listing.uid } }
  },
  'put_private_games_uid_play_sharing 200': async (world, described) => ({
    ...(await sharing(true)(world, described)),
    body: { shared: false },
  }),
  'post_private_games_uid_play_token 200': sharing(true),
  'post_private_games_uid_play_token 403': sharing(false),
}
