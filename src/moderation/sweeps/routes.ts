import { Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { moderator } from '../../accounts/people/moderator-access.ts'
import { listBlocked, unblockHash } from '../../builds/files/blocked-queries.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { grounds } from '../decisions.ts'
import { listMatches, listSweeps, readSweep, type SweepRow } from './queries.ts'
import { quarantineSweep, sweepByHash, sweepByRule } from './sweep.ts'
import {
  checkSubject,
  MAX_HASHES,
  MAX_RULE_BYTES,
  SHA256,
  sweepState,
  sweepStates,
} from './sweep-input.ts'

const MODERATION = '/api/v1/private/moderation'
const SWEEPS = `${MODERATION}/sweeps`
const BLOCKED = `${MODERATION}/blocked-hashes`
const MAX_TEXT = 4000
const limits = [perAccount(600)]

const sweepParams = Type.Object({ sweep_id: Type.String() })
const Hash = Type.String({ description: 'SHA-256 in hex' })
const text = (description: string) =>
  Type.Optional(Type.String({ maxLength: MAX_TEXT, description }))

const Sweep = {
  sweep_id: Uid,
  state: OneOf(sweepStates),
  sha256: Nullable(Type.Array(Hash)),
  yara: Nullable(Type.String()),
  files: Type.Integer({ description: 'How many files a rule scans; 0 for hashes' }),
  files_scanned: Type.Integer({ description: 'How many of them it has scanned' }),
  files_failed: Type.Integer({ description: 'How many of those could not be scanned' }),
  matching_files: Type.Integer({ description: 'How many files have a match' }),
  created_by: Nullable(Type.String({ description: 'Null for deleted accounts' })),
  created_at: Timestamp,
  quarantined_at: Nullable(Timestamp),
}

const sweepData = (sweep: SweepRow) => ({
  sweep_id: sweep.uid,
  state: sweepState(sweep),
  sha256: sweep.sha256,
  yara: sweep.rule,
  files: sweep.files,
  files_scanned: sweep.files_scanned,
  files_failed: sweep.files_failed,
  matching_files: sweep.matching_files,
  created_by: sweep.created_by,
  created_at: sweep.created_at.toISOString(),
  quarantined_at: sweep.quarantined_at?.toISOString() ?? null,
})

export const startSweepRoute = route({
  method: 'POST',
  url: SWEEPS,
  summary: 'For moderators: find stored files by the hashes of their content, or by a YARA rule',
  description:
    'Send either hashes or a rule. Changes nothing: read the matches, then quarantine all of them ' +
    'in one action. Hashes are found at once. A rule is tried on every clean file in the ' +
    'background; files larger than 16 MiB are scanned in parts. A rule that does not compile is ' +
    'refused with the message of the compiler.',
  auth: moderator,
  limits: [perAccount(60)],
  body: Body({
    sha256: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: MAX_HASHES,
        description: 'Hashes of whole files, or of files within them, in hex',
      }),
    ),
    yara: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_RULE_BYTES, description: 'YARA rules' }),
    ),
  }),
  status: 201,
  data: Type.Object({ sweep_id: Uid }),
  errors: ['MALFORMED'],
  async handle({ core, who, body }) {
    checkSubject(body)
    const { sha256, yara } = body
    return {
      sweep_id:
        yara === undefined
          ? await sweepByHash(core, who, sha256!)
          : await sweepByRule(core, who, yara),
    }
  },
})

export const listSweepsRoute = route({
  method: 'GET',
  url: SWEEPS,
  summary: 'For moderators: all sweeps, newest first',
  auth: moderator,
  limits,
  query: Type.Object(pageQuery),
  data: Type.Object({ items: Type.Array(Type.Object(Sweep)), ...pageData }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { items, total } = await listSweeps(sql, window)
    return { items: items.map(sweepData), total, page, page_size }
  },
})

export const readSweepRoute = route({
  method: 'GET',
  url: `${SWEEPS}/:sweep_id`,
  summary: 'For moderators: a sweep and its matches',
  auth: moderator,
  limits,
  params: sweepParams,
  query: Type.Object(pageQuery),
  data: Type.Object({
    ...Sweep,
    items: Type.Array(
      Type.Object({
        file_uid: Uid,
        filename: Type.String(),
        game_uid: Uid,
        game_name: Type.String(),
        version: Type.String(),
        publisher: Nullable(Type.String()),
        scan: Type.String({ description: 'The state of the file' }),
        uploaded_at: Timestamp,
        path: Nullable(Type.String({ description: 'Null if the whole file matches' })),
        sha256: Hash,
      }),
    ),
    ...pageData,
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, params: { sweep_id }, query }) {
    const sweep = (isUuid(sweep_id) && (await readSweep(sql, sweep_id))) || refuse('NOT_FOUND')
    const { page, page_size, ...window } = paging(query)
    const { items, total } = await listMatches(sql, sweep_id, window)
    const rows = items.map((row) => ({ ...row, uploaded_at: row.uploaded_at.toISOString() }))
    return { ...sweepData(sweep), items: rows, total, page, page_size }
  },
})

export const quarantineSweepRoute = route({
  method: 'POST',
  url: `${SWEEPS}/:sweep_id/quarantine`,
  summary: 'For moderators: quarantine all matches of a sweep and block their hashes',
  description:
    'Stored together: each file is a decision of its own, with a statement of reasons for its ' +
    'publisher. Content that was uploaded since the preview is included. Later uploads of the ' +
    'hashes are refused (4099), and files that contain them are rejected by the scan.',
  auth: moderator,
  limits: [perAccount(60)],
  params: sweepParams,
  body: Body({
    ground: Type.Optional(
      Type.String({ description: `Required; the law or rule: ${grounds.join(', ')}` }),
    ),
    facts: text('Required; what the decision rests on'),
    statement: text('The sentence that each publisher gets; the facts without one'),
  }),
  status: 201,
  data: Type.Object({
    quarantined: Type.Integer({ description: 'How many files' }),
    blocked: Type.Integer({ description: 'How many hashes that were not blocked before' }),
  }),
  errors: ['NOT_FOUND', 'CONFLICT', 'GROUND_AND_FACTS_REQUIRED'],
  async handle({ core, who, params: { sweep_id }, body }) {
    if (!isUuid(sweep_id)) refuse('NOT_FOUND')
    return quarantineSweep(core, who, sweep_id, body)
  },
})

export const listBlockedRoute = route({
  method: 'GET',
  url: BLOCKED,
  summary: 'For moderators: hashes that no upload may contain, newest first',
  auth: moderator,
  limits,
  query: Type.Object(pageQuery),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        sha256: Hash,
        sweep_id: Nullable(Uid),
        blocked_by: Nullable(Type.String()),
        blocked_at: Timestamp,
      }),
    ),
    ...pageData,
  }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { items, total } = await listBlocked(sql, window)
    const rows = items.map(({ sweep_uid, blocked_at, ...row }) => ({
      ...row,
      sweep_id: sweep_uid,
      blocked_at: blocked_at.toISOString(),
    }))
    return { items: rows, total, page, page_size }
  },
})

export const unblockRoute = route({
  method: 'DELETE',
  url: `${BLOCKED}/:sha256`,
  summary: 'For moderators: allow uploads with a blocked hash again',
  description: 'Files in quarantine stay there until they are restored.',
  auth: moderator,
  limits,
  params: Type.Object({ sha256: Type.String() }),
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const sha256 = params.sha256.toLowerCase()
    if (!SHA256.test(sha256)) refuse('NOT_FOUND')
    await sql.begin(async (tx) => {
      if (!(await unblockHash(tx, sha256))) refuse('NOT_FOUND')
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: null,
        action: 'moderation.unblock-hash',
        detail: { sha256 },
      })
    })
    return {}
  },
})

export const sweepRoutes = [
  startSweepRoute,
  listSweepsRoute,
  readSweepRoute,
  quarantineSweepRoute,
  listBlockedRoute,
  unblockRoute,
]
