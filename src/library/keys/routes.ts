import { type Static, Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, player } from '../../accounts/sessions/schemes.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import {
  Body,
  Checked,
  Nullable,
  nameSchemas,
  OneOf,
  route,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount, perIp } from '../../core/security/limits.ts'
import { invalidField, requiredText, wholeNumber } from '../../listings/fields/text.ts'
import { findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import type { ListingFor } from '../../listings/listing/queries.ts'
import { findEdition } from '../copy-queries.ts'
import { type BatchRow, countBatches, insertBatch, readBatches, revokeBatch } from './queries.ts'
import { hashKey, redeemKey } from './redeem.ts'
import { createKey, keyLimits, spellKey } from './redeem-key.ts'

const ListingParams = Type.Object({ uid: Type.String() })
const url = `/api/v1/private/games/:uid/key-batches`
const auth = developer('mcp:keys.manage')
const at = (field: string) => ({ refusal: 'INVALID_KEY_BATCH' as const, field })

const BatchData = Type.Object({
  uid: Uid,
  label: Type.String(),
  edition: Nullable(Type.Object({ uid: Uid, name: Type.String() })),
  state: OneOf(['open', 'expired', 'revoked']),
  size: Type.Integer({ description: 'How many keys were made' }),
  redeemed: Type.Integer({ description: 'How many of them were redeemed' }),
  last_redeemed_at: Nullable(Timestamp),
  created_by: Nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
})
nameSchemas({ KeyBatch: BatchData })
const BatchesData = Type.Object({ batches: Type.Array(BatchData) })

function showBatch({ revoked_at, ...row }: BatchRow): Static<typeof BatchData> {
  const is_expired = row.expires_at !== null && row.expires_at <= new Date()
  return {
    ...row,
    state: revoked_at ? 'revoked' : is_expired ? 'expired' : 'open',
    last_redeemed_at: row.last_redeemed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  }
}

const listOf = async (sql: Sql, uid: string) => ({
  batches: (await readBatches(sql, uid)).map(showBatch),
})

export const listKeyBatchesRoute = route({
  method: 'GET',
  url,
  summary: 'List the batches of redeem keys of a listing, with how many were redeemed',
  auth,
  params: ListingParams,
  data: BatchesData,
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ sql, who, params }) {
    const listing = ownedBy(await findForEditor(sql, who, params.uid))
    return listOf(sql, listing.uid)
  },
})

/** A key is a gift, and only owners give copies. */
function ownedBy(listing: ListingFor): ListingFor {
  return listing.is_owner ? listing : refuse('OWNER_ONLY')
}

const BatchBody = {
  label: Checked(
    Type.String({ maxLength: keyLimits.label, description: 'For you; nobody else sees it' }),
  ),
  size: Checked(Type.Integer({ minimum: 1, maximum: keyLimits.per_batch })),
  edition: Type.Optional(
    Nullable(Type.String({ maxLength: 64, description: 'The uid or slug of an edition' })),
  ),
  expires_at: Type.Optional(Nullable(Timestamp)),
}

function checkExpiry(expires_at: string | null | undefined): Date | null {
  if (!expires_at) return null
  const date = new Date(expires_at)
  return date > new Date()
    ? date
    : invalidField(at('expires_at'), explain('key_expiry', 'send a time in the future'))
}

type NewBatchBody = {
  label: unknown
  size: unknown
  edition?: string | null | undefined
  expires_at?: string | null | undefined
}

/** Makes the keys of a batch and returns them; only their hashes are stored. */
async function makeBatch(tx: Tx, who: Identity, listing: ListingFor, body: NewBatchBody) {
  const { uid: game_uid } = listing
  const label = requiredText(at('label'), body.label, keyLimits.label)
  const size = wholeNumber(at('size'), body.size, 1, keyLimits.per_batch)
  const expires_at = checkExpiry(body.expires_at)
  const edition = body.edition ? await findEdition(tx, game_uid, body.edition) : undefined
  if (body.edition && !edition)
    invalidField(at('edition'), explain('no_edition', 'this listing has no such edition'))
  if ((await countBatches(tx, game_uid)) >= keyLimits.batches)
    invalidField(
      at('label'),
      explain('key_batches', `a listing has at most ${keyLimits.batches} batches of keys`, {
        count: keyLimits.batches,
      }),
    )
  const keys = Array.from({ length: size }, createKey)
  const batch = {
    uid: uuidv7(),
    game_uid,
    edition_uid: edition?.uid ?? null,
    label,
    size,
    created_by: who.user_uid,
    expires_at,
  }
  await insertBatch(tx, batch, keys.map(hashKey))
  await recordAudit(tx, {
    user_uid: who.user_uid,
    game_uid,
    action: 'library.make-keys',
    detail: { batch: batch.uid, size },
  })
  return { batch_uid: batch.uid, game_uid, keys: keys.map(spellKey) }
}

export const addKeyBatchRoute = route({
  method: 'POST',
  url,
  summary: 'Make a batch of redeem keys; the answer is the only time that they are shown',
  auth,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  params: ListingParams,
  body: Body(BatchBody),
  status: 201,
  data: Type.Object({ batch: BatchData, keys: Type.Array(Type.String()) }),
  errors: ['NOT_FOUND', 'OWNER_ONLY', 'INVALID_KEY_BATCH'],
  async handle({ sql, who, params, body }) {
    const made = await transact(sql, async (tx) =>
      makeBatch(tx, who, ownedBy(await lockForEditor(tx, who, params.uid)), body),
    )
    const [batch] = await readBatches(sql, made.game_uid, made.batch_uid)
    return { batch: showBatch(batch ?? refuse('NOT_FOUND')), keys: made.keys }
  },
})

export const revokeKeyBatchRoute = route({
  method: 'DELETE',
  url: `${url}/:batch_uid`,
  summary: 'Revoke the keys of a batch that were not redeemed; copies stay with their owners',
  auth,
  step_up: true,
  params: Type.Object({ uid: Type.String(), batch_uid: Type.String() }),
  data: BatchesData,
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ sql, who, params }) {
    const uid = await transact(sql, async (tx) => {
      const listing = ownedBy(await lockForEditor(tx, who, params.uid))
      const { batch_uid } = params
      if (!isUuid(batch_uid) || !(await revokeBatch(tx, listing.uid, batch_uid)))
        refuse('NOT_FOUND')
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: listing.uid,
        action: 'library.revoke-keys',
        detail: { batch: batch_uid },
      })
      return listing.uid
    })
    return listOf(sql, uid)
  },
})

const TRIES_PER_HOUR = 10

export const redeemRoute = route({
  method: 'POST',
  url: '/api/v1/private/redeem',
  summary: 'Redeem a key: its copy goes to your library',
  description:
    'Keys have 20 characters in groups of five; case, dashes and spaces do not matter. ' +
    `${TRIES_PER_HOUR} tries an hour, by account and by address.`,
  auth: player('player:write'),
  limits: [perIp(TRIES_PER_HOUR, { seconds: HOUR }), perAccount(TRIES_PER_HOUR, { seconds: HOUR })],
  body: Body({ key: Type.String({ maxLength: 100 }) }),
  data: Type.Object({
    game_uid: Uid,
    name: Type.String(),
    vanity_name: Type.String(),
    developer: Type.Object({ username: Type.String() }),
  }),
  errors: ['EMAIL_NOT_VERIFIED', 'KEY_NOT_VALID', 'CONFLICT'],
  async handle({ sql, who, body }) {
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    const { game_uid, name, vanity_name, username } = await transact(sql, (tx) =>
      redeemKey(tx, body.key, who.user_uid),
    )
    return { game_uid, name, vanity_name, developer: { username } }
  },
})

export const keyRoutes = [listKeyBatchesRoute, addKeyBatchRoute, revokeKeyBatchRoute, redeemRoute]
