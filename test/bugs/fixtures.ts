import { once } from 'node:events'
import { globSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { libraryFixtures } from '../library/fixtures.ts'
import { type Call, eventually, startApp } from '../support/app.ts'
import { must, newAddress, type Person } from '../support/builders.ts'
import { fieldsOf, form, type Part, type Upload } from '../uploads/forms.ts'

export const GAMES = '/api/v1/private/games'
export const ZERO = '00000000-0000-7000-8000-000000000000'

export type Files = { log?: Uint8Array | string; screenshot?: Uint8Array }

/** A report in the format that games send: the fields, then the files. */
export function report(fields: Upload = {}, { log, screenshot }: Files = {}): Call {
  const files: Part[] = [
    ...(log === undefined
      ? []
      : [{ name: 'log', filename: 'game.log', bytes: Buffer.from(log as string) }]),
    ...(screenshot ? [{ name: 'screenshot', filename: 'shot.png', bytes: screenshot }] : []),
  ]
  return form([...fieldsOf({ message: 'The door does not open', ...fields }), ...files])
}

/** The stored screenshots, of one game if given, as `game/ticket`. */
export const storedScreenshots = (data_dir: string, game_uid = '*') =>
  globSync(`${game_uid}/*`, { cwd: join(data_dir, 'objects/bugs') }).sort()

/** Starts the real server and adds helpers for the tests of the bug reporter. */
export async function startBugApp(t: TestContext, env: Record<string, string> = {}) {
  const app = libraryFixtures(await startApp(t, { PROXY_HOPS: '1', ...env }))
  const { post, put, get, call } = app

  const configure = async (game: { uid: string; owner: Person }, change: object) =>
    must(await put(`${GAMES}/${game.uid}/bug-reporter`, change, game.owner))

  /** A public game whose reporter is on. */
  async function buggyGame(change: object = {}) {
    const game = await app.game()
    return { ...game, ...(await configure(game, { enabled: true, ...change })) }
  }

  const tokenOf = async (uid: string, { token }: Person): Promise<string> =>
    must(await post(`${GAMES}/${uid}/player-token`, undefined, { token })).token

  /**
   * Uses a new client address for every report unless one is given, to stay below the rate limit.
   */
  const send = (uid: string, token: string | undefined, { headers, raw }: Call = report()) =>
    call('POST', `/api/v1/games/${uid}/bugs`, {
      raw,
      headers: { ...newAddress(), ...headers },
      token,
    })

  const sendFromStore = (uid: string, { token }: Person, { headers, raw }: Call = report()) =>
    call('POST', `${GAMES}/${uid}/bug-reports`, {
      raw,
      headers: { ...newAddress(), ...headers },
      token,
    })

  /**
   * Sends all but the last bytes of a report, runs `meanwhile` when its screenshot is stored, and
   * sends the rest.
   */
  async function sendSlowly(
    uid: string,
    token: string,
    { headers, raw }: Call,
    meanwhile: () => Promise<unknown>,
  ): Promise<IncomingMessage> {
    const body = Buffer.from(raw as Uint8Array)
    const before = storedScreenshots(app.data_dir).length
    const sent = request(`${app.url}/api/v1/games/${uid}/bugs`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': body.length },
    })
    sent.write(body.subarray(0, -10))
    await eventually(
      'the screenshot in the store',
      () => storedScreenshots(app.data_dir).length > before,
    )
    await meanwhile()
    sent.end(body.subarray(-10))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }

  /**
   * Files a report, as a new player unless one is given, and returns the ticket that the owner
   * reads.
   */
  async function ticket(game: { uid: string; owner: Person }, sent?: Call, by?: Person) {
    const player = by ?? (await app.player())
    const { bug_uid } = must(await send(game.uid, await tokenOf(game.uid, player), sent))
    return readTicket(game, bug_uid)
  }

  const readTicket = async (game: { uid: string; owner: Person }, bug_uid: string) =>
    must(await get(`${GAMES}/${game.uid}/bugs/${bug_uid}`, game.owner))

  const reporter = async (game: { uid: string; owner: Person }) =>
    must(await get(`${GAMES}/${game.uid}/bug-reporter`, game.owner))

  const deliveries = async (game: { uid: string; owner: Person }, status?: string) => {
    const filter = status ? `&status=${status}` : ''
    const url = `${GAMES}/${game.uid}/bug-reporter/deliveries?page_size=100${filter}`
    return must(await get(url, game.owner)).items as any[]
  }

  const settled = (game: { uid: string; owner: Person }, seconds?: number) =>
    eventually(
      'the deliveries to finish',
      async () => !(await deliveries(game, 'pending')).length && (await deliveries(game)),
      seconds,
    )

  return {
    ...app,
    configure,
    buggyGame,
    tokenOf,
    send,
    sendFromStore,
    sendSlowly,
    ticket,
    readTicket,
    reporter,
    deliveries,
    settled,
  }
}
