import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import type { Core } from '../runtime/core.ts'
import { refuse } from '../runtime/errors.ts'
import { retention } from '../runtime/retention.ts'
import { sha256, uuidOf } from '../security/crypto.ts'
import { IDEMPOTENCY_FIELD } from '../security/sealed-columns.ts'
import type { Sealed } from '../security/secrets.ts'
import type { Sql, Tx } from './sql.ts'

export const MAX_IDEMPOTENCY_KEY = 255
const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${MAX_IDEMPOTENCY_KEY}}$`)

/** The header, as the API description has it. */
export const IdempotencyKeyHeader = Type.String({
  minLength: 1,
  maxLength: MAX_IDEMPOTENCY_KEY,
  description:
    'Any text you choose for this request. A repetition with the same key and content within ' +
    `${retention.idempotency_key_hours} hours gets the first answer, and nothing is made twice`,
})

/** The kind of a request and its caller. Keys of others never collide with theirs. */
type KeyScope = { kind: string; caller: string }

/** Identifies a request that may be repeated; undefined if it has no key. */
export function idempotencyUid(
  headers: IncomingHttpHeaders,
  { kind, caller }: KeyScope,
): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    refuse(
      'MALFORMED',
      undefined,
      `Idempotency-Key: 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters`,
    )
  const hex = sha256(JSON.stringify([kind, caller, key])).toString('hex')
  return uuidOf(hex.slice(0, 32))
}

/** A request with a key and content that is known already; undefined if it has no key. */
export function keyedRequest(
  headers: IncomingHttpHeaders,
  scope: KeyScope,
  content: unknown,
): KeyedRequest | undefined {
  const uid = idempotencyUid(headers, scope)
  return uid === undefined ? undefined : { uid, fingerprint: fingerprintOf(content) }
}

/** The same for two requests with the same content, in whatever order it names its fields. */
export const fingerprintOf = (content: unknown): string =>
  sha256(JSON.stringify(content, sortFields)).toString('hex')

const sortFields = (_name: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

export type KeyedRequest = { uid: string; fingerprint: string }
export type EarlierAnswer = { uid: string; fingerprint: string } & Sealed

/** The answer to an earlier request with this key; it may have had other content. */
export async function findEarlierAnswer(
  sql: Sql | Tx,
  uid: string,
): Promise<EarlierAnswer | undefined> {
  const [row] = await sql<EarlierAnswer[]>`
    select uid, fingerprint, key_version, sealed
    from idempotency_keys
    where uid = ${uid}
      and created_at > now() - ${retention.idempotency_key_hours} * interval '1 hour'`
  return row
}

/** Opens an earlier answer; refuses if the request differs from the one that got it. */
export function openEarlierAnswer<Answer>(
  { secrets }: Pick<Core, 'secrets'>,
  earlier: EarlierAnswer,
  fingerprint: string,
): Answer {
  if (earlier.fingerprint !== fingerprint) refuse('IDEMPOTENCY_KEY_REUSED')
  return JSON.parse(secrets.open(earlier.uid, IDEMPOTENCY_FIELD, earlier))
}

/**
 * Makes an answer once per key. It is recorded in the transaction that makes it, so a client that
 * lost the connection during the commit can repeat the request. A second request waits for the
 * first. What is refused, or answers undefined, is not recorded and may be repeated.
 */
export async function answerOnce<Answer>(
  core: Pick<Core, 'secrets'>,
  tx: Tx,
  keyed: KeyedRequest | undefined,
  make: () => Promise<Answer>,
): Promise<{ answer: Answer; is_repeated: boolean }> {
  if (!keyed) return { answer: await make(), is_repeated: false }
  const { uid, fingerprint } = keyed
  await tx`select pg_advisory_xact_lock(hashtextextended(${uid}, 94))`
  const earlier = await findEarlierAnswer(tx, uid)
  if (earlier) return { answer: openEarlierAnswer(core, earlier, fingerprint), is_repeated: true }
  const answer = await make()
  if (answer !== undefined) await recordAnswer(core, tx, keyed, answer)
  return { answer, is_repeated: false }
}

async function recordAnswer(
  { secrets }: Pick<Core, 'secrets'>,
  tx: Tx,
  { uid, fingerprint }: KeyedRequest,
  answer: unknown,
): Promise<void> {
  const { key_version, sealed } = secrets.seal(uid, IDEMPOTENCY_FIELD, JSON.stringify(answer))
  await tx`
    insert into idempotency_keys (uid, fingerprint, key_version, sealed)
    values (${uid}, ${fingerprint}, ${key_version}, ${sealed})
    on conflict (uid) do update
    set fingerprint = excluded.fingerprint, key_version = excluded.key_version,
      sealed = excluded.sealed, created_at = excluded.created_at`
}

/** Lets a key be used again, because what it answered came to nothing. */
export async function forgetAnswer(sql: Sql | Tx, uid: string): Promise<void> {
  await sql`delete from idempotency_keys where uid = ${uid}`
}

export async function sweepIdempotencyKeys(tx: Tx): Promise<void> {
  await tx`
    delete from idempotency_keys
    where created_at < now() - ${retention.idempotency_key_hours} * interval '1 hour'`
}
