import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertUser, linkExtstore, unlinkExtstore } from '../../src/accounts/people/queries.ts'
import type { Identity } from '../../src/accounts/sessions/identity.ts'
import { limitConcurrency } from '../../src/core/runtime/concurrency.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { Refusal } from '../../src/core/runtime/errors.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import {
  replaceAuthKey,
  replaceTicketKey,
  replaceWebApiKey,
  revealAuthKey,
  turnOff,
  turnOn,
} from '../../src/extstore/sign-in/keys.ts'
import { deleteOldSessions, forgetUser } from '../../src/extstore/sign-in/queries.ts'
import { readLink } from '../../src/extstore/sign-in/settings-queries.ts'
import { insertListing } from '../../src/listings/listing/queries.ts'
import { type Service, startService } from '../../src/service.ts'
import { type Answer, client } from '../support/app.ts'
import { newAddress } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { claimsOf, sharedExtstoreApp } from './fixtures.ts'
import {
  anyCommand,
  anyPause,
  begin,
  type Command,
  type Expected,
  type Model,
  step,
  sweep,
} from './model.ts'

const WAVES = loopCount({ short: 4, full: 320 })
const HISTORIES = 32
const STEPS = 8
/** More requests at once would wait for the simulated store longer than the service allows it. */
const CONCURRENCY = 8

const startApp = sharedExtstoreApp({ SLIPWAY_ROLES: 'api' })
type ExtstoreApp = Awaited<ReturnType<typeof startApp>>

/** A game in the real service, and what its clients know about it. */
type TestedGame = {
  uid: string
  app_id: number
  who: Identity
  web_api_key: string
  players: string[]
  tokens: string[]
  used: string[]
  ticket_key: string
  old_ticket_key: string
  auth_key: string
  old_auth_key: string
}

async function newGames({ core, sql, store }: ExtstoreApp, count: number): Promise<TestedGame[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const [uid, user_uid, app_id] = [uuidv7(), uuidv7(), ++made]
      const who = { user_uid, game_uid: null, kind: 'session' } as Identity
      await insertUser(sql, {
        uid: user_uid,
        username: user_uid,
        email: `${user_uid}@example.com`,
        password_hash: '',
      })
      await insertListing(sql, {
        uid,
        owner_uid: user_uid,
        vanity_name: uid,
        name: 'Game',
        tagline: '',
        description: '',
        asset_type: 'game',
      })
      await sql`
        insert into extstore_links (game_uid, app_id, app_name)
        values (${uid}, ${app_id}, 'App')`
      store.control.app({ app_id })
      const web_api_key = store.control.key({ apps: [app_id] }).key
      const players = [0, 1].map(
        () => store.control.account({ id: String(76561198100000000n + BigInt(++made)) }).id,
      )
      for (const account of players) store.control.own({ account, app_id })
      await turnOn(core, who, uid, web_api_key)
      const game = {
        uid,
        app_id,
        who,
        web_api_key,
        players,
        tokens: [],
        used: [],
        ticket_key: '',
        old_ticket_key: 'svc_',
        auth_key: '',
        old_auth_key: 'none',
      }
      await readKeys(core, game)
      return game
    }),
  )
}
let made = 2_000_000

async function readKeys(core: ExtstoreApp['core'], game: TestedGame) {
  const { ticket_key } = (await readLink(core.sql, game.uid))!
  const auth_key = await revealAuthKey(core, game.who, game.uid)
  if (ticket_key !== game.ticket_key && game.ticket_key) game.old_ticket_key = game.ticket_key
  if (auth_key !== game.auth_key && game.auth_key) game.old_auth_key = game.auth_key
  Object.assign(game, { ticket_key, auth_key })
}

const resultOf = ({ status, body }: Answer): Expected => {
  if (status !== 200) return { code: body.error.code }
  const { data } = body
  if ('revoked' in data && !('valid' in data)) return { count: data.revoked }
  const { valid, expired, revoked, svc_user, claims } = data
  return {
    valid,
    expired,
    revoked,
    svc_user: svc_user !== undefined,
    buid: claims?.buid !== undefined,
  }
}

/** Executes a command against the service, through one of its processes. */
async function act(
  app: ExtstoreApp,
  { url, core }: Service,
  game: TestedGame,
  command: Command,
): Promise<Expected> {
  const { post } = client(url)
  const base = `/api/v1/extstore/${game.uid}`
  const server = (path: string, body: object, token = game.auth_key) =>
    post(`${base}/server/${path}`, body, { token, headers: newAddress() })
  const issued = (answer: Answer): Expected => {
    if (answer.status !== 200) return resultOf(answer)
    const { token, extstore_id, svc_user_uid } = answer.body.data
    game.tokens.push(token)
    assert.equal(claimsOf(token).buid, svc_user_uid)
    return {
      issued: {
        player: game.players.indexOf(extstore_id),
        linked: svc_user_uid === game.who.user_uid,
      },
    }
  }
  const refresh = (token: number) =>
    post(`${base}/refresh`, { token: game.tokens[token] }, { headers: newAddress() })
  switch (command.do) {
    case 'sign-in': {
      const identity = command.ticket === 'old-key' ? game.old_ticket_key : game.ticket_key
      const fresh = app.store.control.ticket({
        app_id: game.app_id,
        account: game.players[command.player]!,
        identity,
        bytes: 32,
      }).ticket
      const ticket = command.ticket === 'used' ? (game.used.at(-1) ?? 'abcd') : fresh
      if (command.ticket === 'fresh') game.used.push(ticket)
      return issued(await post(`${base}/auth`, { ticket }, { headers: newAddress() }))
    }
    case 'refresh':
      return issued(await refresh(command.token))
    case 'refresh-race': {
      const both = await Promise.all([refresh(command.token), refresh(command.token)])
      const winner = both.find(({ status }) => status === 200)
      // The loser of a race gets 4248. If both fail, both get the same error.
      const loser = both.find((answer) => answer !== winner)!
      assert.equal(loser.body.error.code, winner ? 4248 : both[0]!.body.error.code)
      return issued(winner ?? loser)
    }
    case 'verify':
      return resultOf(await server('verify', { token: game.tokens[command.token] }))
    case 'verify-old-key':
      return resultOf(
        await server('verify', { token: game.tokens[command.token] }, game.old_auth_key),
      )
    case 'revoke':
      return resultOf(await server('revoke', { jti: claimsOf(game.tokens[command.token]!).jti }))
    case 'revoke-player':
      return resultOf(await server('revoke', { extstore_id: game.players[command.player] }))
    case 'own':
      app.store.control[command.owns ? 'own' : 'disown']({
        account: game.players[command.player]!,
        app_id: game.app_id,
      })
      return { done: true }
    case 'link':
      await core.sql.begin((tx) =>
        linkExtstore(tx, game.who.user_uid, game.players[command.player]!),
      )
      return { done: true }
    case 'unlink-account':
      await core.sql.begin(async (tx) => {
        await unlinkExtstore(tx, game.who.user_uid)
        await forgetUser(tx, game.who.user_uid)
      })
      return { done: true }
    default:
      return changeKeys(core, game, command.do)
  }
}

async function changeKeys(
  core: ExtstoreApp['core'],
  game: TestedGame,
  action: Command['do'],
): Promise<Expected> {
  const { uid, who, web_api_key } = game
  try {
    if (action === 'turn-on') await turnOn(core, who, uid, web_api_key)
    if (action === 'turn-off') await turnOff(core, who, uid)
    if (action === 'new-auth-key') await replaceAuthKey(core, who, uid)
    if (action === 'new-ticket-key') await replaceTicketKey(core, who, uid)
    if (action === 'replace-web-api-key') await replaceWebApiKey(core, who, uid, web_api_key)
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code }
    throw error
  }
  if (action !== 'turn-off') await readKeys(core, game)
  return { done: true }
}

/**
 * A command about a token refers to an existing one, modulo their number. Before the first token it
 * becomes a sign-in.
 */
function applicable(model: Model, command: Command): Command {
  if (!('token' in command)) return command
  if (!model.tokens.length) return { do: 'sign-in', player: command.token % 2, ticket: 'fresh' }
  return { ...command, token: command.token % model.tokens.length }
}

test(`the service matches its model over ${WAVES * HISTORIES} random histories`, async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const app = await startApp()
  const processes: Service[] = [
    { url: app.url, core: app.core, drain: async () => {}, stop: async () => {} },
  ]
  const start = async () => {
    processes[1] = await startService(readConfig(app.settings), { strict: true })
  }
  await start()
  cleanup(t, () => processes[1]!.stop())
  const anyStep = fc.record({ command: anyCommand, through: fc.nat(1) })
  // The histories of a wave share the clock and run concurrently, each with its own game.
  const wave = fc.record({
    histories: fc.array(fc.array(anyStep, { minLength: STEPS, maxLength: STEPS }), {
      minLength: HISTORIES,
      maxLength: HISTORIES,
    }),
    pauses: fc.array(anyPause, { minLength: STEPS, maxLength: STEPS }),
    restart_at: fc.nat(8 * STEPS),
  })
  await fc.assert(
    fc.asyncProperty(wave, async ({ histories, pauses, restart_at }) => {
      const games = await newGames(app, histories.length)
      const models = histories.map(begin)
      for (let at = 0; at < STEPS; at++) {
        t.mock.timers.tick(pauses[at]!)
        if (at === restart_at) {
          await processes[1]!.stop()
          await start()
        }
        while (
          (await deleteOldSessions(app.sql, new Date(Date.now() - 30 * 86_400_000), 5000)) > 0
        );
        for (const model of models) sweep(model, Date.now())
        const take = async (steps: (typeof histories)[number], i: number) => {
          const { through } = steps[at]!
          const command = applicable(models[i]!, steps[at]!.command)
          const expected = step(models[i]!, command, Date.now())
          const answered = await act(app, processes[through]!, games[i]!, command)
          assert.deepEqual(
            answered,
            expected,
            `history ${i}, step ${at}: ${JSON.stringify(command)}`,
          )
        }
        const limited = limitConcurrency(CONCURRENCY)
        await Promise.all(histories.map((steps, i) => limited(() => take(steps, i))))
      }
    }),
    { numRuns: WAVES, endOnFailure: true },
  )
})
