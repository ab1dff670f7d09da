import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import { ArchName, OsName } from '../../listings/fields/file-schema.ts'
import { scannerFor } from '../../scan/scanners.ts'
import { type FileRow, fileStates, findFiles, readLastScan, readScanQueue } from './queries.ts'
import { scanAgain } from './scan-again.ts'

const FILES = '/api/v1/private/operations/files'

const FileData = Type.Object({
  uid: Uid,
  filename: Type.String(),
  size: Type.Integer({ description: 'In bytes' }),
  sha256: Type.String(),
  state: OneOf(fileStates),
  finding: Type.Union([Type.String(), Type.Null()], {
    description: 'What the last scan found, or why it failed; null for neither',
  }),
  engine: Type.Union([Type.String(), Type.Null()], {
    description: 'The scanner of the last scan; null before the first',
  }),
  scanned_at: Type.Union([Timestamp, Type.Null()], { description: 'Null before the first scan' }),
  uploaded_at: Timestamp,
  bytes_stored: Type.Boolean({ description: 'Rejected files keep their record, not their bytes' }),
  version: Type.String(),
  os: OsName,
  arch: ArchName,
  channel: Type.String(),
  listing: Type.Object({
    uid: Uid,
    name: Type.String(),
    vanity_name: Type.String(),
    username: Type.String({ description: 'The owner' }),
    is_public: Type.Boolean(),
  }),
})

const ScannerData = Type.Object({
  engine: Type.String({ description: 'The scanner in use' }),
  last_scan_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When a file was last scanned; null before the first',
  }),
  waiting: Type.Integer({ description: 'Files that wait for a scan' }),
  scanning: Type.Integer({ description: 'Files that are scanned at the moment' }),
  oldest_wait_seconds: Type.Integer({ description: 'How long the oldest of them has waited' }),
})

function showFile(row: FileRow) {
  const { game_uid, name, vanity_name, username, is_public, ...file } = row
  return {
    ...file,
    scanned_at: row.scanned_at?.toISOString() ?? null,
    uploaded_at: row.uploaded_at.toISOString(),
    listing: { uid: game_uid, name, vanity_name, username, is_public },
  }
}

export const listFilesRoute = route({
  method: 'GET',
  url: FILES,
  summary: 'For operators: stored build files with the state of their scan, newest first',
  auth: operator,
  limits: [perAccount(120, { bucket: 'operations files' })],
  query: Type.Object({
    q: Type.String({
      default: '',
      maxLength: 200,
      description: 'How the file, its listing or its SHA-256 begins',
    }),
    state: Type.Optional(OneOf(fileStates, { description: 'The state of the scan' })),
    ...pageQuery,
  }),
  data: Type.Object({ items: Type.Array(FileData), ...pageData, scanner: ScannerData }),
  async handle({ core, sql, query }) {
    const { limit, offset, page, page_size } = paging(query)
    const { q, state } = query
    const [{ rows, total }, queue, last] = await Promise.all([
      findFiles(sql, { q: q.trim(), state, limit, offset }),
      readScanQueue(sql),
      readLastScan(sql),
    ])
    const { waiting, scanning, oldest_seconds } = queue
    const scanner = {
      engine: scannerFor(core.config).engine,
      last_scan_at: last?.at.toISOString() ?? null,
      waiting,
      scanning,
      oldest_wait_seconds: Math.round(oldest_seconds),
    }
    return { items: rows.map(showFile), total, page, page_size, scanner }
  },
})

export const scanFileAgainRoute = route({
  method: 'POST',
  url: `${FILES}/:uid/scan`,
  summary: 'For operators: scan a stored file again',
  description:
    'The file stays available meanwhile. If the scan finds a threat, the file is rejected, its ' +
    'bytes are removed and its owner is mailed. 409 if its bytes were removed before, or if it ' +
    'is in quarantine.',
  auth: operator,
  limits: [perAccount(600, { seconds: HOUR })],
  params: Type.Object({ uid: Uid }),
  status: 202,
  data: Type.Object({ uid: Uid }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle({ core, params: { uid } }) {
    await scanAgain(core, uid)
    return { uid }
  },
})

export const fileRoutes = [listFilesRoute, scanFileAgainRoute]
