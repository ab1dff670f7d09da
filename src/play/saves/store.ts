import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { bodyChunks } from '../../core/http/read-body.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { ObjectTooLarge } from '../../core/storage/storage.ts'
import { checkQuota, readRoom, reserveQuota } from '../../listings/storage/quota.ts'
import { saveKey } from './key.ts'
import {
  bytesReplaced,
  deleteOldVersions,
  deleteSaves,
  insertSave,
  listSlots,
  lockSaves,
  type SaveOwner,
  type SaveRow,
} from './queries.ts'
import { checkPreconditions, MAX_SAVE_BYTES, MAX_SLOTS, type Preconditions } from './slot-rules.ts'

/** Bytes in storage that no record refers to yet. */
type StoredBytes = { uid: string; size: number; sha256: string }

/**
 * Stores the body of a request as the next version of a slot. Bytes are stored first and recorded
 * afterwards; what no record refers to is removed by the sweep.
 */
export async function storeSave(
  core: Core,
  owner: SaveOwner,
  slot: string,
  request: IncomingMessage,
): Promise<SaveRow> {
  const stored = await storeBytes(core, owner, request)
  crashPoint('save-stored')
  const preconditions = request.headers as Preconditions
  const recording = recordSave(core, owner, { slot, stored, preconditions })
  const { save, removed } = await recording.catch(async (error) => {
    // After any other error the transaction may have been committed; then the sweep decides.
    if (error instanceof Refusal) await core.storage.discard(saveKey({ ...owner, ...stored }))
    throw error
  })
  crashPoint('save-recorded')
  if (save.uid !== stored.uid) await core.storage.discard(saveKey({ ...owner, ...stored }))
  await removeBytes(core, owner, removed)
  return save
}

async function storeBytes(
  core: Core,
  owner: SaveOwner,
  request: IncomingMessage,
): Promise<StoredBytes> {
  const source = bodyChunks(request)
  if (Number(request.headers['content-length'] ?? 0) > MAX_SAVE_BYTES) refuseTooLarge()
  const uid = uuidv7()
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }
  const key = saveKey({ ...owner, uid })
  try {
    const options = { max_bytes: MAX_SAVE_BYTES, fresh: true }
    const { size } = await core.storage.put(key, hashed(), options)
    if (size > 0) return { uid, size, sha256: hash.digest('hex') }
  } catch (error) {
    if (!(error instanceof ObjectTooLarge)) throw error
    return refuseTooLarge()
  }
  await core.storage.discard(key)
  return refuse('MALFORMED', undefined, 'body: send the bytes of the save; DELETE empties a slot')
}

const refuseTooLarge = () =>
  refuse('BODY_TOO_LARGE', undefined, `A save may have at most ${MAX_SAVE_BYTES} bytes`)

type NewVersion = { slot: string; stored: StoredBytes; preconditions: Preconditions }

/** The version, and those that it pushed out. */
async function recordSave(
  core: Core,
  owner: SaveOwner,
  { slot, stored, preconditions }: NewVersion,
): Promise<{ save: SaveRow; removed: string[] }> {
  await checkRoom(core, owner, { slot, size: stored.size })
  return transact(core.sql, async (tx) => {
    const files = await addedFiles(tx, owner, { slot, size: stored.size })
    if (!(await reserveQuota(core, tx, files))) refuse('STORAGE_QUOTA_EXCEEDED')
    await lockSaves(tx, owner)
    const slots = await listSlots(tx, owner)
    const current = slots.find((other) => other.slot === slot)
    // A client that did not get the answer sends the same again, and has what it wanted.
    if (current?.sha256 === stored.sha256) return { save: current, removed: [] }
    checkPreconditions(preconditions, current)
    if (!current && slots.length >= MAX_SLOTS) refuse('TOO_MANY_SAVES')
    const version = (current?.version ?? 0) + 1
    const save = await insertSave(tx, owner, { ...stored, slot, version })
    if (!save) refuse('NOT_FOUND')
    return { save, removed: await deleteOldVersions(tx, owner, save) }
  })
}

type Addition = { slot: string; size: number }

/** What a save adds to the files of players; what it replaces makes room for it. */
const addedFiles = async (sql: Sql | Tx, owner: SaveOwner, { slot, size }: Addition) =>
  ({
    game_uid: owner.game_uid,
    sender: 'players',
    bytes: size - (await bytesReplaced(sql, owner, slot)),
  }) as const

/** Refuses with the reason before a transaction begins, which checks again what is nearly full. */
async function checkRoom(core: Core, owner: SaveOwner, addition: Addition): Promise<void> {
  const files = await addedFiles(core.sql, owner, addition)
  if ((await readRoom(core, files)) === 'none') await checkQuota(core, files)
}

/** Empties a slot if it is as the client expects. */
export async function removeSlot(
  core: Core,
  owner: SaveOwner,
  slot: string,
  preconditions: Preconditions,
): Promise<void> {
  const removed = await transact(core.sql, async (tx) => {
    await lockSaves(tx, owner)
    const current = (await listSlots(tx, owner)).find((other) => other.slot === slot)
    if (!current) refuse('NOT_FOUND')
    checkPreconditions(preconditions, current)
    const uids = await deleteSaves(tx, owner, slot)
    crashPoint('save-removing')
    return uids
  })
  crashPoint('save-removed')
  await removeBytes(core, owner, removed)
}

/** Removes the bytes of versions whose records are gone. */
export async function removeBytes(
  { storage }: Core,
  { game_uid }: Pick<SaveOwner, 'game_uid'>,
  uids: string[],
): Promise<void> {
  for (const uid of uids) await storage.remove(saveKey({ uid, game_uid }))
}
