import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../demo/random.ts'
import type { Client } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { form } from '../uploads/forms.ts'
import { sha256 } from '../uploads/zips.ts'
import { retryWhileDown } from './client.ts'

/** The headers of a build machine. */
export type DeployKey = { headers: Record<string, string> }

export type ChunkedUpload = {
  http: Client
  deploy_key: DeployKey
  build_id: string
  bytes: Buffer
  random: Random
  /** The smallest and the largest size of a chunk. */
  chunk_bytes?: [number, number]
  /** Called after each chunk that the service acknowledged. */
  onChunk?: () => void
}

/**
 * Uploads a file in chunks of random sizes and returns its uid. Continues at the offset that the
 * service reports, and checks that no acknowledged byte is lost.
 */
export async function uploadInChunks(upload: ChunkedUpload): Promise<string> {
  const { http, bytes, random, onChunk = () => {} } = upload
  const session_id = await openSession(upload)
  // Use chunks of about the part size of an object store for a large file, so that it has several
  // parts.
  const {
    chunk_bytes = bytes.length > 10_000_000 ? [3_000_000, 9_000_000] : [100_000, 1_500_000],
  } = upload
  let offset = 0
  let acknowledged = 0
  for (;;) {
    const end = Math.min(bytes.length, offset + random.integer(...chunk_bytes))
    const chunk = chunkForm(upload, session_id, offset, end)
    const answer = await retryWhileDown('upload a chunk', () =>
      http.call('POST', '/api/v1/tool/upload/files', chunk),
    )
    if (answer.status < 300) onChunk()
    if (answer.status === 201 || answer.body.data?.file_uid) return answer.body.data.file_uid
    const { code } = answer.body.error ?? {}
    if (code === 4047) await pause(200)
    else if (answer.status === 202) {
      offset = answer.body.data.current_size
      acknowledged = offset
    } else {
      assert.deepEqual([answer.status, code], [409, 4044], JSON.stringify(answer.body))
      offset = answer.body.data.current_size
      assert.ok(
        offset >= acknowledged,
        `${acknowledged} bytes were acknowledged, but only ${offset} are stored`,
      )
    }
  }
}

async function openSession({ http, deploy_key, build_id, bytes }: ChunkedUpload): Promise<string> {
  const fields = new URLSearchParams({
    filename: 'game.zip',
    total_size: String(bytes.length),
    checksum: sha256(bytes),
    build_id,
  })
  const headers = {
    ...deploy_key.headers,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const call = { raw: String(fields), headers }
  return must(await http.call('POST', '/api/v1/tool/upload/sessions', call)).session_id
}

function chunkForm(
  { deploy_key, bytes }: ChunkedUpload,
  session_id: string,
  start: number,
  end: number,
) {
  const headers = {
    ...deploy_key.headers,
    'x-upload-session-id': session_id,
    'content-range': `bytes ${start}-${end - 1}/${bytes.length}`,
  }
  const part = { name: 'file', filename: 'x', bytes: bytes.subarray(start, end) }
  return form([part], { headers })
}
