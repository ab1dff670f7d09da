import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type GamePlayer, gamePlayer } from '../../bugs/reports/schemes.ts'
import { attachment, FILE_POLICY } from '../../core/http/file-headers.ts'
import { FileBytes, nameSchemas, route, Timestamp } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { perAccount, perIp } from '../../core/security/limits.ts'
import { sendObject } from '../../core/storage/send-object.ts'
import { saveKey } from './key.ts'
import {
  hasGame,
  listSlots,
  listVersions,
  readSave,
  type SaveOwner,
  type SaveRow,
} from './queries.ts'
import {
  etagOf,
  MAX_SAVE_BYTES,
  MAX_SLOTS,
  MAX_VERSIONS,
  type Preconditions,
  SLOT_PATTERN,
  saveSeconds,
} from './slot-rules.ts'
import { removeSlot, storeSave } from './store.ts'

const url = '/api/v1/public/games/:game_uid/saves'
const game = { game_uid: Type.String() }
const Slot = Type.String({
  pattern: SLOT_PATTERN,
  description: 'Up to 32 lowercase letters, digits, hyphens and underscores',
})
const slotParams = Type.Object({ ...game, slot: Slot })
const Etag = Type.String({ description: 'The SHA-256 of the bytes in hexadecimal, in quotes' })
const SaveData = Type.Object({
  slot: Type.String(),
  version: Type.Integer({ description: 'Counts up with every change of the slot' }),
  etag: Etag,
  size: Type.Integer({ description: 'In bytes' }),
  saved_at: Timestamp,
})
const SlotData = Type.Object({
  ...SaveData.properties,
  versions: Type.Integer({ description: 'How many versions are kept, this one included' }),
})
const SlotsData = Type.Object({
  items: Type.Array(SlotData),
  max_slots: Type.Integer(),
  max_bytes: Type.Integer({ description: 'Of one save' }),
  max_versions: Type.Integer({ description: 'Of one slot' }),
})
nameSchemas({ Save: SaveData, SaveSlot: SlotData, SaveSlots: SlotsData })

const toSave = ({ slot, version, size, saved_at, sha256 }: SaveRow) => ({
  slot,
  version,
  etag: etagOf({ sha256 }),
  size,
  saved_at: saved_at.toISOString(),
})

/** A game saves now and then; a loop that saves with every frame is refused. */
const reading = [perIp(600, { bucket: 'read saves' }), perAccount(240, { bucket: 'read saves' })]
const writing = [perIp(300, { bucket: 'write saves' }), perAccount(60, { bucket: 'write saves' })]
const common = { auth: gamePlayer, cors: true, cache: 'private, no-cache' } as const
const errors: ErrorName[] = ['NOT_FOUND', 'FORBIDDEN']
const ifMatch = Type.Optional(
  Type.String({ description: 'Only if the current version has this ETag; * for any' }),
)
const ifNoneMatch = Type.Optional(
  Type.String({ description: '* to write only into an empty slot' }),
)

/** Saves belong to an account of the store; players of the external store link theirs. */
async function ownerOf({ sql }: Core, { user_uid, game_uid }: GamePlayer): Promise<SaveOwner> {
  if (!(await hasGame(sql, game_uid))) refuse('NOT_FOUND')
  return user_uid
    ? { user_uid, game_uid }
    : refuse(
        'FORBIDDEN',
        undefined,
        'Saves belong to an account of this store; the player links theirs in the account settings',
      )
}

export const listSavesRoute = route({
  ...common,
  method: 'GET',
  url,
  summary: 'List the saves of the player',
  limits: reading,
  params: Type.Object(game),
  data: SlotsData,
  errors,
  async handle({ core, sql, who }) {
    const slots = await listSlots(sql, await ownerOf(core, who))
    return {
      items: slots.map((row) => ({ ...toSave(row), versions: row.versions })),
      max_slots: MAX_SLOTS,
      max_bytes: MAX_SAVE_BYTES,
      max_versions: MAX_VERSIONS,
    }
  },
})

/** Bytes of a game, which browsers save and never open. */
export function sendSave(
  { storage }: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  { game_uid, slot, sha256, size, uid }: SaveRow & { game_uid: string },
) {
  reply.headers({
    'content-disposition': attachment(`${slot}.save`),
    'content-security-policy': FILE_POLICY,
  })
  const key = saveKey({ uid, game_uid })
  return sendObject(storage, request, reply, {
    key,
    size,
    type: 'application/octet-stream',
    checksum: sha256,
  })
}

const file = {
  ...common,
  method: 'GET',
  limits: reading,
  envelope: false,
  produces: 'application/octet-stream',
  errors: [...errors, 'RANGE_NOT_SATISFIABLE'] as ErrorName[],
} as const

export const readSaveRoute = route({
  ...file,
  url: `${url}/:slot`,
  summary: 'Read a save of the player',
  description: 'Supports ranges, and If-None-Match with the ETag of an earlier answer.',
  params: slotParams,
  async handle({ core, sql, who, params, request, reply }) {
    const owner = await ownerOf(core, who)
    const save = (await readSave(sql, owner, params.slot)) ?? refuse('NOT_FOUND')
    return sendSave(core, request, reply, { ...owner, ...save })
  },
})

export const writeSaveRoute = route({
  ...common,
  method: 'PUT',
  url: `${url}/:slot`,
  summary: 'Write a save of the player: the bytes are the body',
  description:
    `Up to ${MAX_SLOTS} slots of 5 MiB. The last ${MAX_VERSIONS} versions of each are kept. With ` +
    'If-Match, a save that another device has changed meanwhile is not replaced (4219). Bytes ' +
    'that are the current version already make no new one.',
  limits: writing,
  params: slotParams,
  raw_body: true,
  stores_files: 'anyone',
  described: {
    body: { 'application/octet-stream': FileBytes('The save') },
    headers: { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch },
  },
  receive_seconds: saveSeconds,
  data: SaveData,
  errors: [
    ...errors,
    'SAVE_CHANGED',
    'TOO_MANY_SAVES',
    'MALFORMED',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'STORAGE_QUOTA_EXCEEDED',
  ],
  async handle({ core, who, params, request, reply }) {
    const owner = await ownerOf(core, who)
    const save = toSave(await storeSave(core, owner, params.slot, request.raw))
    reply.header('etag', save.etag)
    return save
  },
})

export const deleteSaveRoute = route({
  ...common,
  method: 'DELETE',
  url: `${url}/:slot`,
  summary: 'Delete a save of the player with all its versions',
  limits: writing,
  params: slotParams,
  described: { headers: { 'If-Match': ifMatch } },
  data: Type.Object({}),
  errors: [...errors, 'SAVE_CHANGED'],
  async handle({ core, who, params, request }) {
    const preconditions = request.headers as Preconditions
    await removeSlot(core, await ownerOf(core, who), params.slot, preconditions)
    return {}
  },
})

export const listSaveVersionsRoute = route({
  ...common,
  method: 'GET',
  url: `${url}/:slot/versions`,
  summary: 'List the versions of a save, the current one first',
  limits: reading,
  params: slotParams,
  data: Type.Object({ items: Type.Array(SaveData) }),
  errors,
  async handle({ core, sql, who, params }) {
    const versions = await listVersions(sql, await ownerOf(core, who), params.slot)
    if (!versions.length) refuse('NOT_FOUND')
    return { items: versions.map(toSave) }
  },
})

export const readSaveVersionRoute = route({
  ...file,
  url: `${url}/:slot/versions/:version`,
  summary: 'Read an earlier version of a save',
  params: Type.Object({
    ...slotParams.properties,
    version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  }),
  async handle({ core, sql, who, params, request, reply }) {
    const owner = await ownerOf(core, who)
    const save = (await readSave(sql, owner, params.slot, params.version)) ?? refuse('NOT_FOUND')
    return sendSave(core, request, reply, { ...owner, ...save })
  },
})

export const saveRoutes = [
  listSavesRoute,
  readSaveRoute,
  writeSaveRoute,
  deleteSaveRoute,
  listSaveVersionsRoute,
  readSaveVersionRoute,
]
