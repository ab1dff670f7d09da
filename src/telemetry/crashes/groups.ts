import { compareBuildVersions } from '../../builds/channels/build-order.ts'
import { sha256 } from '../../core/security/crypto.ts'
import type { Analysis, ShownFrame } from '../dump/analyze.ts'

const TOP_FRAMES = 5
const MAX_TITLE = 200

export type Group = { kind: 'frames' | 'message'; group_key: Buffer; title: string }

/** How programs end themselves: what matters is who called these. */
const endings =
  /^(_*(GI_)?_*(raise|abort|kill|pthread_kill(_implementation)?|assert_fail|assert_fail_base|libc_message|fortify_fail|chk_fail|terminate|rethrow|cxa_throw)|std::terminate|RaiseException|KiUserExceptionDispatcher|RtlRaiseException|__pthread_kill)\b/

const keyOf = (kind: string, parts: string[]) => sha256([kind, ...parts].join('\n'))
const short = (text: string) =>
  text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE - 1)}…` : text

/** What stays the same from build to build: the name without its arguments, or else the place in the module. */
const frameName = ({ function: name, module, offset }: ShownFrame) =>
  name === undefined ? `${module}+${offset}` : name.replace(/\(.*$/s, '')

/** Crashes whose top frames are the same are the same crash. Frames that were only found on the stack would tear a group apart. */
export function groupByFrames({ frames, crash_reason }: Analysis): Group | undefined {
  const believed = frames.filter(
    ({ trust, module }, i) => (i === 0 || trust !== 'scan') && module !== '',
  )
  const first = believed.findIndex((frame) => !endings.test(frameName(frame)))
  const top = believed.slice(Math.max(first, 0)).slice(0, TOP_FRAMES).map(frameName)
  if (top.length === 0) return undefined
  return {
    kind: 'frames',
    group_key: keyOf('frames', top),
    title: short(`${top[0]}: ${crash_reason}`),
  }
}

export type Said = { message: string; app_version: string; os: string }

/** Before the walk, and without a dump: what was said, in which version, on which system. Addresses differ each time and say nothing. */
export function groupByMessage({ message, app_version, os }: Said): Group {
  const said = message
    .trim()
    .replace(/0x[0-9a-f]{4,16}/gi, '0x?')
    .replace(/\s+/g, ' ')
  const title = said || 'No message'
  return {
    kind: 'message',
    group_key: keyOf('message', [said, app_version, os]),
    title: short(`${title} (${[app_version, os].filter(Boolean).join(', ')})`),
  }
}

export type Resolution = { status: string; resolved_at: Date | null; resolved_in: string | null }

/** A crash that was resolved is back when a build has it that holds the fix: of that version or later, or, where none was named, made after. */
export function isRegression(
  { status, resolved_at, resolved_in }: Resolution,
  build: { version: string; created_at: Date },
): boolean {
  if (status !== 'resolved') return false
  if (resolved_in !== null) return compareBuildVersions(build.version, resolved_in) >= 0
  return resolved_at !== null && build.created_at > resolved_at
}
