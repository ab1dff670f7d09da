import { type Api, gzippedJson, isObject } from '../http/api.ts'
import type { Target } from '../http/upload.ts'
import type { HashedItem } from './hash-items.ts'

/** What the store has of the new build, by the index of the entry. */
export type DeltaAnswer = {
  known: Map<number, { file_uid: string; path: string }>
  bases: Map<number, { path: string; size: number; sha256: string }>
  /** By the path of the base. */
  signatures: Map<string, Buffer>
  base_file_uid: string
}

/** More than the signatures of an answer, and a line for each entry. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

type Request = { target: Target; filename: string; items: HashedItem[]; signatures: boolean }

/** Undefined if the game has no build yet, or the answer ended early. */
export async function requestDelta(
  api: Api,
  { target, filename, items, signatures }: Request,
): Promise<DeltaAnswer | undefined> {
  const { build_id, os, arch, channel, app } = target
  const platform = Object.fromEntries(
    Object.entries({ os, arch, channel, app }).filter(([, value]) => value),
  )
  const entries = items.map(({ path, size, executable, sha256 }) => ({
    path,
    size,
    mode: executable ? 0o755 : 0o644,
    sha256,
  }))
  const text = await api.text({
    method: 'POST',
    to: 'upload',
    path: '/tool/upload/deltas',
    body: gzippedJson({ build_id, filename, ...platform, signatures, entries }),
    headers: { 'content-encoding': 'gzip' },
    max_answer_bytes: MAX_ANSWER_BYTES,
  })
  return readAnswer(text)
}

type Line = {
  index?: unknown
  base?: { file_uid?: string } | null
  known?: unknown
  path?: unknown
  signature?: unknown
  end?: unknown
}

/** Something between us and the store may answer in its place. */
function parseLine(line: string): Line {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}

export function readAnswer(text: string): DeltaAnswer | undefined {
  const answer: DeltaAnswer = {
    known: new Map(),
    bases: new Map(),
    signatures: new Map(),
    base_file_uid: '',
  }
  let is_complete = false
  for (const line of text.split('\n')) {
    if (line === '') continue
    const { index, base, known, path, signature, end } = parseLine(line)
    if (end) is_complete = true
    else if (typeof signature === 'string')
      answer.signatures.set(String(path), Buffer.from(signature, 'base64'))
    else if (typeof index !== 'number') answer.base_file_uid = base?.file_uid ?? ''
    else if (isObject(known)) answer.known.set(index, known as never)
    else if (isObject(base)) answer.bases.set(index, base as never)
  }
  return is_complete && answer.base_file_uid ? answer : undefined
}
