import type { Core } from '../../core/runtime/core.ts'
import { HOUR, SECOND_MS } from '../../core/runtime/units.ts'
import { checkSignedQuery, signedQuery } from '../../core/security/signed-links.ts'

export const CRASH_LINK_SECONDS = HOUR
export const artifacts = ['dump', 'log', 'stack'] as const
export type Artifact = (typeof artifacts)[number]
const filenames = { dump: 'dump.dmp', log: 'log.txt', stack: 'stack.txt' } as const

export const artifactNamed = (filename: string): Artifact | undefined =>
  artifacts.find((kind) => filenames[kind] === filename)

const linkTarget = (id: string, kind: Artifact) => ({
  purpose: 'crash artifact',
  parts: [id, kind],
})

/** A link that opens one file of a crash report to anyone who has it. */
export function signCrashLink(core: Core, id: string, kind: Artifact, now: Date) {
  const expires = Math.floor(now.getTime() / SECOND_MS) + CRASH_LINK_SECONDS
  const filename = filenames[kind]
  const path = `${core.addresses.base_url}/crash-files/${id}/${filename}`
  return {
    url: `${path}?${signedQuery(core, linkTarget(id, kind), expires)}`,
    kind,
    filename,
    expires_at: new Date(expires * SECOND_MS).toISOString(),
    expires_in: CRASH_LINK_SECONDS,
  }
}

export const checkCrashLink = (
  core: Core,
  { id, kind }: { id: string; kind: Artifact },
  query: { expires: string; signature: string },
  now: Date,
): void => checkSignedQuery(core, linkTarget(id.toLowerCase(), kind), query, now)
