import { sha256 } from '../../uploads/zips.ts'
import type { Fixture, RecordedRead } from './previous-release.ts'

/** The address in answers is this setting, and not where the service listens. */
export const BASE_URL = 'http://store.example'

const VOLATILE = /(^|_)(url|expires_at|last_used_at|current|server_time)$/

async function fetchFrom(service: string, address: string, headers: Record<string, string> = {}) {
  const { pathname, search } = new URL(address, BASE_URL)
  const response = await fetch(new URL(pathname + search, service), { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`${address}: ${response.status} ${bytes}`)
  const is_json = response.headers.get('content-type')?.startsWith('application/json')
  return { bytes, data: is_json ? JSON.parse(bytes.toString()).data : undefined }
}

/** What a path answers: its data, or the hash of what is not JSON. */
export async function readAnswer(
  service: string,
  { path, as }: Pick<RecordedRead, 'path' | 'as'>,
  callers: Fixture['callers'],
): Promise<{ data: any } | { sha256: string }> {
  const { bytes, data } = await fetchFrom(service, path, as ? callers[as] : {})
  return data === undefined ? { sha256: sha256(bytes) } : { data }
}

/** The hash of a file, by the link that a path answers with. */
export async function downloadHash(
  service: string,
  { path, as }: Pick<RecordedRead, 'path' | 'as'>,
  callers: Fixture['callers'],
): Promise<string> {
  const { data } = await fetchFrom(service, path, as ? callers[as] : {})
  return sha256((await fetchFrom(service, data.url)).bytes)
}

/**
 * The places where an answer lacks what the previous release had. A newer version may add fields,
 * and links differ in every answer.
 */
export function findMissing(actual: any, expected: any, path = ''): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return [`${path}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`]
    return expected.flatMap((item, index) => findMissing(actual[index], item, `${path}[${index}]`))
  }
  if (expected !== null && typeof expected === 'object')
    return Object.entries(expected).flatMap(([name, value]) =>
      VOLATILE.test(name) ? [] : findMissing(actual?.[name], value, `${path}.${name}`),
    )
  return actual === expected
    ? []
    : [`${path}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`]
}
