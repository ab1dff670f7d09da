import { HOUR_MS } from '../../src/core/runtime/units.ts'
import { fc } from '../support/property.ts'

/** A model of sign-in without database, keys and store. Times are in milliseconds. */

const RETENTION_MS = 30 * 24 * HOUR_MS

export type Token = {
  player: number
  generation: number
  exp: number
  revoked: boolean
  gone: boolean
  linked: boolean
}
export type Model = {
  on: boolean
  generation: number
  ticket_key: number
  owns: boolean[]
  /** The player that the user has linked, if any. */
  linked: number | null
  tokens: Token[]
  /** The number of tickets that were sent. */
  tickets: number
}

export const begin = (): Model => ({
  on: true,
  generation: 0,
  ticket_key: 0,
  owns: [true, true],
  linked: null,
  tokens: [],
  tickets: 0,
})

export type Command =
  | { do: 'sign-in'; player: number; ticket: 'fresh' | 'used' | 'old-key' }
  | { do: 'refresh' | 'refresh-race' | 'verify' | 'revoke'; token: number }
  | { do: 'verify-old-key'; token: number }
  | { do: 'revoke-player' | 'link'; player: number }
  | { do: 'own'; player: number; owns: boolean }
  | {
      do:
        | 'new-auth-key'
        | 'new-ticket-key'
        | 'replace-web-api-key'
        | 'turn-off'
        | 'turn-on'
        | 'unlink-account'
    }

/** The expected result: an error code, or the content of a success. */
export type Expected =
  | { code: number }
  | { issued: { player: number; linked: boolean } }
  | { valid: boolean; expired: boolean; revoked: boolean; svc_user: boolean; buid: boolean }
  | { count: number }
  | { done: true }

const refused = (code: number): Expected => ({ code })

/** Applies a command to the model and returns the expected response. */
export function step(model: Model, command: Command, now: number): Expected {
  switch (command.do) {
    case 'sign-in':
      return signIn(model, command, now)
    case 'refresh':
    case 'refresh-race':
      return refresh(model, command.token, now)
    case 'verify':
      return verify(model, command.token, now)
    case 'verify-old-key':
      return refused(model.on ? 4249 : 4245)
    case 'revoke':
      return revoke(model, (token) => token === model.tokens[command.token])
    case 'revoke-player':
      return revoke(model, ({ player }) => player === command.player)
    case 'own':
      model.owns[command.player] = command.owns
      return { done: true }
    case 'link':
      // A user can link one account; linking another is refused until the first is unlinked.
      if (model.linked === null) model.linked = command.player
      return { done: true }
    case 'unlink-account':
      model.linked = null
      return { done: true }
    default:
      return changeKeys(model, command.do)
  }
}

function signIn(
  model: Model,
  { player, ticket }: Extract<Command, { do: 'sign-in' }>,
  now: number,
): Expected {
  if (!model.on) return refused(4245)
  if (ticket !== 'fresh') return refused(4246)
  model.tickets++
  return model.owns[player] ? issue(model, player, now) : refused(4247)
}

function issue(model: Model, player: number, now: number): Expected {
  const linked = model.linked === player
  model.tokens.push({
    player,
    generation: model.generation,
    exp: Math.floor(now / 1000) * 1000 + HOUR_MS,
    revoked: false,
    gone: false,
    linked,
  })
  return { issued: { player, linked } }
}

function refresh(model: Model, index: number, now: number): Expected {
  const token = model.tokens[index]!
  if (!model.on) return refused(4245)
  if (
    token.generation !== model.generation ||
    token.revoked ||
    token.gone ||
    now >= token.exp + 24 * HOUR_MS
  )
    return refused(4248)
  if (!model.owns[token.player]) return refused(4247)
  token.revoked = true
  return issue(model, token.player, now)
}

function verify(model: Model, index: number, now: number): Expected {
  const token = model.tokens[index]!
  if (!model.on) return refused(4245)
  if (token.generation !== model.generation) return refused(4248)
  const [expired, revoked] = [now >= token.exp, token.revoked || token.gone]
  const valid = !expired && !revoked
  const svc_user = valid && model.linked === token.player
  return { valid, expired, revoked, svc_user, buid: svc_user && token.linked }
}

function revoke(model: Model, chosen: (token: Token) => boolean): Expected {
  if (!model.on) return refused(4245)
  const active = model.tokens.filter(
    (token) =>
      chosen(token) && token.generation === model.generation && !token.revoked && !token.gone,
  )
  for (const token of active) token.revoked = true
  return { count: active.length }
}

function changeKeys(model: Model, action: Command['do']): Expected {
  if (action === 'turn-on' && model.on) return refused(4090)
  if (action !== 'turn-on' && !model.on) return refused(4245)
  if (action === 'turn-on' || action === 'turn-off') model.on = action === 'turn-on'
  if (action === 'turn-on' || action === 'new-auth-key') model.generation++
  if (action === 'turn-on' || action === 'new-ticket-key') model.ticket_key++
  return { done: true }
}

/** Applies the nightly job. */
export function sweep(model: Model, now: number) {
  for (const token of model.tokens) if (token.exp < now - RETENTION_MS) token.gone = true
}

const player = fc.nat(1)
const token = fc.nat(50)
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => ({ weight: 1, arbitrary })
const often = <T>(arbitrary: fc.Arbitrary<T>) => ({ weight: 6, arbitrary })
const plain = (
  name:
    | 'new-auth-key'
    | 'new-ticket-key'
    | 'replace-web-api-key'
    | 'turn-off'
    | 'turn-on'
    | 'unlink-account',
) => fc.constant<Command>({ do: name })

/**
 * Token numbers are taken modulo the number of tokens; before the first, the command is a sign-in.
 */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  often(
    fc.record({
      do: fc.constant('sign-in' as const),
      player,
      ticket: fc.constant('fresh' as const),
    }),
  ),
  rarely(
    fc.record({
      do: fc.constant('sign-in' as const),
      player,
      ticket: fc.constantFrom('used' as const, 'old-key' as const),
    }),
  ),
  often(fc.record({ do: fc.constantFrom('refresh' as const, 'refresh-race' as const), token })),
  often(fc.record({ do: fc.constant('verify' as const), token })),
  rarely(fc.record({ do: fc.constant('verify-old-key' as const), token })),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), token }) },
  rarely(fc.record({ do: fc.constantFrom('revoke-player' as const, 'link' as const), player })),
  rarely(fc.record({ do: fc.constant('own' as const), player, owns: fc.boolean() })),
  ...(
    ['new-auth-key', 'new-ticket-key', 'replace-web-api-key', 'turn-off', 'unlink-account'] as const
  ).map((name) => rarely(plain(name))),
  { weight: 2, arbitrary: plain('turn-on') },
)

/** The time between two commands: mostly short, sometimes at the limit of an hour or a day. */
export const anyPause = fc.oneof(
  fc.constantFrom(
    0,
    1,
    1000,
    HOUR_MS - 1000,
    HOUR_MS,
    23 * HOUR_MS,
    24 * HOUR_MS,
    25 * HOUR_MS - 1,
    25 * HOUR_MS,
  ),
  fc.nat(HOUR_MS),
  { weight: 1, arbitrary: fc.constant(31 * 24 * HOUR_MS) },
)
