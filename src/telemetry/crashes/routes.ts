import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requestSeconds } from '../../builds/limits.ts'
import { transact } from '../../core/database/transaction.ts'
import { readForm } from '../../core/http/multipart.ts'
import { anyone, Nullable, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { isUuid, sha256 } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import { requireSynchronousCommit } from '../events/queries.ts'
import { game } from '../schemes.ts'
import { type Artifact, findLink, type LinkRow, useLink } from './queries.ts'
import { readSentCrash } from './read-queries.ts'
import { MAX_ARTIFACT, receiveReport, removeStored, type Stored, storeArtifact } from './receive.ts'
import { attachOne, recordCrash } from './record.ts'

const Text = Type.String()
const url = '/api/v1/public/crashes'
/** As long as a reporter waits for what became of its report. */
const SHOWN_MINUTES = 15
const FORM_BYTES = 1024 * 1024

const LinkData = Type.Object({
  url: Text,
  method: Type.Literal('PUT'),
  expires_at: Timestamp,
  max_bytes: Type.Integer(),
  filename: Text,
})

export const postCrash = route({
  method: 'POST',
  url,
  summary: 'Send a crash report',
  description:
    'JSON {has_dump, has_log, app_name, app_version, engine_version, os, arch, user_message, anonymous, device_uid, metadata}, answered with single-use links ' +
    'for the dump and the log; or multipart/form-data with the parts metadata (the same as JSON), dump and log.',
  auth: game,
  limits: [perIp(60, { bucket: 'crashes' })],
  raw_body: true,
  receive_seconds: requestSeconds,
  status: 201,
  data: Type.Object({
    id: Uid,
    uploads: Type.Object({ dump: Type.Optional(LinkData), log: Type.Optional(LinkData) }),
  }),
  errors: ['TOO_MANY_EVENTS', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  handle: async ({ core, who, request }) =>
    recordCrash(core, await receiveReport(core, request, who)),
})

export const putCrashUpload = route({
  method: 'PUT',
  url: '/api/v1/public/crash-uploads/:token',
  summary:
    'Send the dump or log of a crash report to its link, as the body itself or as the file part of a form',
  auth: anyone,
  limits: [perIp(60, { bucket: 'crash uploads' })],
  raw_body: true,
  receive_seconds: requestSeconds,
  params: Type.Object({ token: Text }),
  data: Type.Object({ received: Type.Integer() }),
  errors: ['NOT_FOUND', 'CONFLICT', 'FILE_MISSING', 'BODY_TOO_LARGE'],
  async handle({ core, params, request }) {
    const token_hash = sha256(params.token)
    const link =
      (await findLink(core.sql, token_hash)) ??
      refuse('NOT_FOUND', undefined, 'This link does not exist, or its time is over')
    if (link.used) refuse('CONFLICT', undefined, 'This link was used already')
    const stored = await receiveArtifact(core, request, link.kind)
    await settleLink(core, link, token_hash, stored)
    return { received: stored.size }
  },
})

async function receiveArtifact(
  core: Core,
  request: FastifyRequest,
  kind: Artifact,
): Promise<Stored> {
  const form = /^multipart\/form-data\b/i.test(String(request.headers['content-type'] ?? ''))
  if (Number(request.headers['content-length'] ?? 0) > MAX_ARTIFACT + (form ? FORM_BYTES : 0))
    refuse('BODY_TOO_LARGE')
  const stored = form
    ? await receivePart(core, request, kind)
    : await storeArtifact(core, kind, request.raw)
  if (stored && stored.size > 0) return stored
  if (stored) await removeStored(core, { [kind]: stored })
  return refuse(
    'FILE_MISSING',
    undefined,
    'Send the bytes as the body, or as the file part of a form',
  )
}

async function receivePart(
  core: Core,
  request: FastifyRequest,
  kind: Artifact,
): Promise<Stored | undefined> {
  let stored: Stored | undefined
  try {
    for await (const part of readForm(request.raw, { max_bytes: MAX_ARTIFACT + FORM_BYTES }))
      if (part.name === 'file' && !('value' in part) && !stored)
        stored = await storeArtifact(core, kind, part.bytes)
    return stored
  } catch (error) {
    if (stored) await removeStored(core, { [kind]: stored })
    throw error
  }
}

/** Nothing is left of whoever came second. */
async function settleLink(
  core: Core,
  { crash_uid, kind }: LinkRow,
  token_hash: Buffer,
  stored: Stored,
): Promise<void> {
  try {
    await transact(core.sql, async (tx) => {
      await requireSynchronousCommit(tx)
      // The report before its link: in this order a report that is sent again locks them too.
      if (!(await attachOne(core, tx, crash_uid, kind, stored)))
        refuse('CONFLICT', undefined, `This report has its ${kind} already`)
      if (!(await useLink(tx, token_hash)))
        refuse('CONFLICT', undefined, 'This link was used already')
    })
  } catch (error) {
    // As for a report: what may have been kept is left to the sweep.
    if (error instanceof Refusal) await removeStored(core, { [kind]: stored })
    throw error
  }
}

const sent = async (core: Core, id: string) =>
  (isUuid(id) && (await readSentCrash(core.sql, id, SHOWN_MINUTES))) || refuse('NOT_FOUND')

export const readSentReport = route({
  method: 'GET',
  url: `${url}/:report_id`,
  summary:
    'What ended the program, for a reporter that waits for it; a quarter of an hour, and nothing of the developer’s symbols',
  auth: anyone,
  limits: [perIp(120, { bucket: 'sent crashes' })],
  params: Type.Object({ report_id: Text }),
  data: Type.Object({
    id: Uid,
    analysis: Nullable(Type.Object({ crash_reason: Text, crash_address: Text })),
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, params }) {
    const { uid, analysis } = await sent(core, params.report_id)
    const { crash_reason, crash_address } = analysis ?? {}
    return {
      id: uid,
      analysis:
        crash_reason === undefined || crash_address === undefined
          ? null
          : { crash_reason, crash_address },
    }
  },
})

export const readSentStack = route({
  method: 'GET',
  url: `${url}/:report_id/stack`,
  summary: 'Where the program was, by module and offset',
  auth: anyone,
  limits: [perIp(120, { bucket: 'sent crashes' })],
  params: Type.Object({ report_id: Text }),
  envelope: false,
  produces: 'text/plain',
  errors: ['NOT_FOUND'],
  async handle({ core, params, reply }) {
    const { analysis } = await sent(core, params.report_id)
    if (!analysis?.frames?.length) refuse('NOT_FOUND', undefined, 'There is no stack yet')
    const lines = analysis.frames.map(
      ({ module, offset }, i) => `${i}  ${module || '(no module)'} + ${offset}`,
    )
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
  },
})
