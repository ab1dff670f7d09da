import type { Core } from '../../core/runtime/core.ts'
import { HOUR, MINUTE } from '../../core/runtime/units.ts'
import { limitKey, networkOf } from '../../core/security/client-address.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { deviceHash, isKnownDevice, signInClient } from '../devices/devices.ts'
import type { RequestSource } from '../security-events/record.ts'

/** What is guessed. Each has its own counts. */
const pairLimits = {
  login: { points: 10, seconds: 15 * MINUTE },
  'second step': { points: 10, seconds: 15 * MINUTE },
  'device code': { points: 10, seconds: 15 * MINUTE },
  /** Not a guess, but every request sends a mail. */
  reset: { points: 10, seconds: HOUR },
} as const
export type GuessedSecret = keyof typeof pairLimits

const addressLimit = { points: 60, seconds: 15 * MINUTE }

/** From so many failures within an hour on, an account is slowed down. */
export const SLOW_AFTER = 100
const SLOW_WINDOW = HOUR
const FAILURES_PER_STEP = 10
export const MAX_DELAY = 5 * MINUTE

/**
 * The rule: how many seconds must pass between two attempts, by the failures of an account within
 * an hour from everywhere. It doubles with every ten failures.
 */
export function delayAfter(failures: number): number {
  if (failures < SLOW_AFTER) return 0
  const doublings = Math.floor((failures - SLOW_AFTER) / FAILURES_PER_STEP)
  return Math.min(2 ** doublings, MAX_DELAY)
}

export type Guess = {
  secret: GuessedSecret
  /** The uid of the account, or what stands for a name without one. */
  account: string
  ip: string
  /**
   * A device on which the account has signed in. Only its own failures count against it, so that
   * nobody else can lock it out.
   */
  known_device?: string | undefined
  /**
   * The session of a person who confirms that it is them. Its failures count together, from
   * wherever they come: it may be stolen. Those of other people do not matter.
   */
  session_uid?: string | undefined
}

type SignedIn = { user_uid: string; credential_uid: string }

/** An attempt of a person who is signed in, at their own account. */
export const ownGuess = (
  secret: GuessedSecret,
  { user_uid, credential_uid }: SignedIn,
  ip: string,
): Guess => ({ secret, account: user_uid, ip, session_uid: credential_uid })

type Target = { user_uid: string } | { login: string }

/** An attempt at the account of a person, or at a name that may have none. */
export async function guessOf(
  { core, request }: RequestSource,
  target: Target,
): Promise<Omit<Guess, 'secret'>> {
  const client = signInClient(request)
  if ('login' in target)
    return { account: sha256(target.login.toLowerCase()).toString('hex'), ip: client.ip }
  const { user_uid } = target
  const is_known = await isKnownDevice(core.sql, user_uid, client)
  const known_device = is_known ? deviceHash(user_uid, client.device!).toString('hex') : undefined
  const session_uid = (request.who as SignedIn | null)?.credential_uid
  return { account: user_uid, ip: client.ip, known_device, session_uid }
}

/**
 * Limits how often a secret is guessed: by address, by account together with the network and the
 * session or with the known device, and by account. An attempt is counted before it is checked and
 * given back on success, so that parallel guesses cannot exceed a limit.
 */
export async function withGuessingLimits<T>(
  core: Core,
  guess: Guess,
  check: () => Promise<T>,
): Promise<T> {
  const giveBack = await takeAttempt(core, guess)
  const result = await check()
  await giveBack()
  return result
}

/** Counts an attempt, and returns what gives it back. */
export async function takeAttempt(core: Core, guess: Guess): Promise<() => Promise<void>> {
  const { limiter } = core
  const { secret, account, ip, known_device, session_uid } = guess
  const takePair = (other: string) =>
    limiter.take(`${secret} pair`, `${account} ${other}`, pairLimits[secret])
  const givePair = (other: string) => limiter.give(`${secret} pair`, `${account} ${other}`)
  if (known_device) {
    await takePair(known_device)
    return async () => givePair(known_device)
  }
  const others = [networkOf(ip), ...(session_uid ? [session_uid] : [])]
  await limiter.take(`${secret} address`, limitKey(ip), addressLimit)
  for (const other of others) await takePair(other)
  if (!session_uid) await slowDown(core, secret, account)
  return async () => {
    await Promise.all([
      limiter.give(`${secret} address`, limitKey(ip)),
      ...others.map(givePair),
      ...(session_uid ? [] : [limiter.give(`${secret} failures`, account)]),
    ])
  }
}

/** Refuses an attempt that comes too early. It is not checked, so it is no failure. */
async function slowDown({ limiter }: Core, secret: GuessedSecret, account: string): Promise<void> {
  const failures = await limiter.count(`${secret} failures`, account, SLOW_WINDOW)
  const seconds = delayAfter(failures - 1)
  if (!seconds) return
  try {
    await limiter.take(`${secret} delay`, account, { points: 1, seconds })
  } catch (refusal) {
    await limiter.give(`${secret} failures`, account)
    throw refusal
  }
}
