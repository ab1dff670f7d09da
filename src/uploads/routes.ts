import { Type } from 'typebox'
import { website } from '../accounts/schemes.ts'
import { requestSeconds } from '../builds/limits.ts'
import { type Deployer, deployKey } from '../builds/schemes.ts'
import type { ErrorName } from '../core/errors.ts'
import { refuse } from '../core/errors.ts'
import { route, Uid } from '../core/route.ts'
import { findForEditor } from '../listings/edit.ts'
import { countForGame } from './limits.ts'
import type { Uploader } from './queries.ts'
import { receiveFile } from './receive.ts'

const Text = Type.String()
const Uploaded = Type.Object({
  file_uid: Uid,
  status: Text,
  message: Text,
  build_id: Uid,
  app_id: Uid,
  filename: Text,
  checksum: Text,
  channel: Text,
  os: Text,
  arch: Text,
  size: Type.Integer(),
})

const refusals: ErrorName[] = [
  'EMAIL_NOT_VERIFIED',
  'FILE_MISSING',
  'BUILD_MISSING',
  'BUILD_NOT_FOUND',
  'INVALID_UPLOAD',
  'UPLOAD_TOO_LARGE',
  'CHECKSUM_MISMATCH',
  'TOO_MANY_UPLOADS',
]
const receiving = { role: 'upload', raw_body: true, receive_seconds: requestSeconds } as const

const byKey = ({ game_uid, key_ref, issued_by }: Deployer): Uploader => ({
  game_uid,
  method: 'deploy_key',
  key_ref,
  uploaded_by: issued_by,
})

export const uploadFile = route({
  ...receiving,
  method: 'POST',
  url: '/api/v1/tool/upload/files',
  summary: 'Upload the zip of a build',
  auth: deployKey,
  data: Uploaded,
  status: 201,
  errors: refusals,
  async handle({ core, who, request }) {
    if (!who.owner_verified) refuse('EMAIL_NOT_VERIFIED', undefined, 'The owner of the game must verify their email address first')
    await countForGame(core, 'uploads', who.game_uid)
    return receiveFile(core, request.raw, byKey(who))
  },
})

export const uploadFileOnWebsite = route({
  ...receiving,
  method: 'POST',
  url: '/api/v1/private/games/:uid/files',
  summary: 'Upload the zip of a build from the website',
  auth: website,
  params: Type.Object({ uid: Text }),
  data: Uploaded,
  status: 201,
  errors: ['NOT_FOUND', ...refusals],
  async handle({ core, sql, who, params, request }) {
    const { uid: game_uid, owner_verified } = await findForEditor(sql, who, params.uid)
    if (!owner_verified) refuse('EMAIL_NOT_VERIFIED', undefined, 'The owner of the game must verify their email address first')
    await countForGame(core, 'uploads', game_uid)
    return receiveFile(core, request.raw, { game_uid, method: 'website', key_ref: null, uploaded_by: who.user_uid })
  },
})
