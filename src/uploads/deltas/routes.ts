import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { appFields, platformFields } from '../../builds/builds/schema.ts'
import { deployKey } from '../../builds/keys/schemes.ts'
import { nameSchemas, route } from '../../core/http/route.ts'
import { enforceHourlyLimit } from '../rate-limits.ts'
import { senderByDeployKey, uploadRouteOptions } from '../uploader-auth.ts'
import { deltaAnswer } from './answer.ts'
import { planDelta, readDeltaRequest } from './plan.ts'

const NDJSON = 'application/x-ndjson'
const Text = (description: string) => Type.String({ description })

const DeltaRequestBody = Type.Object({
  build_id: Type.String({ format: 'uuid', description: 'The build that is uploaded' }),
  filename: Text('The name of the zip'),
  ...platformFields,
  app: appFields.app,
  base_file_uid: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'The file to compare with; by default the newest of the same platform',
    }),
  ),
  signatures: Type.Optional(
    Type.Boolean({ description: 'false leaves the signatures out; they are sent by default' }),
  ),
  entries: Type.Array(
    Type.Object({
      path: Text('The path in the zip; a folder ends with a slash'),
      size: Type.Integer({ description: 'In bytes' }),
      mode: Type.Optional(Type.Integer({ description: 'The permissions as a number' })),
      sha256: Text('SHA-256 in lowercase hex'),
    }),
  ),
})
nameSchemas({ DeltaRequest: DeltaRequestBody })

export const planDeltaUpload = route({
  ...uploadRouteOptions,
  method: 'POST',
  url: '/api/v1/tool/upload/deltas',
  summary: 'Ask what the store already has of a new build',
  description:
    'Answers with lines of JSON: the base, then for each entry that a clean file of the same ' +
    'game has where it is, for others the entry of the base that is most like it, then the ' +
    'signatures of those entries, and `{"end": true}`. The base is null if there is none.',
  auth: deployKey,
  envelope: false,
  produces: NDJSON,
  described: { body: { 'application/json': DeltaRequestBody } },
  errors: [
    'EMAIL_NOT_VERIFIED',
    'BUILD_NOT_SPECIFIED',
    'BUILD_NOT_REGISTERED',
    'INVALID_UPLOAD',
    'MALFORMED',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'TOO_MANY_UPLOADS',
    'DELTA_BASE_GONE',
  ],
  async handle({ core, who, request, reply }) {
    const { game_uid } = senderByDeployKey(who).uploader
    await enforceHourlyLimit(core, 'deltas', game_uid)
    const delta = await readDeltaRequest(core, request.raw, game_uid)
    const plan = await planDelta(core, game_uid, delta)
    const closing = new AbortController()
    reply.raw.once('close', () => closing.abort())
    const { signatures } = delta
    const { signal } = closing
    const lines = deltaAnswer(core, plan, { game_uid, signatures, signal })
    return reply.type(NDJSON).send(Readable.from(lines))
  },
})
