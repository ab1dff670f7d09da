import { compareBuildVersions } from '../../builds/channels/build-order.ts'
import { sha256 } from '../../core/security/crypto.ts'
import type { Analysis, FrameView } from '../dump/analyze.ts'

const TOP_FRAMES = 5
const MAX_TITLE = 200

export const groupKinds = ['frames', 'message'] as const
export type Group = { kind: (typeof groupKinds)[number]; group_key: Buffer; title: string }

/**
 * Functions that end the program. They are skipped, because crashes are distinguished by the caller
 * of these functions.
 */
const abortNames = [
  'raise',
  'abort',
  'kill',
  'pthread_kill(_implementation)?',
  'assert_fail',
  'assert_fail_base',
  'libc_message',
  'fortify_fail',
  'chk_fail',
  'terminate',
  'rethrow',
  'cxa_throw',
]
const abortFunction = new RegExp(
  `^(_*(GI_)?_*(${abortNames.join('|')})|std::terminate|RaiseException|` +
    'KiUserExceptionDispatcher|RtlRaiseException|__pthread_kill)\\b',
)

const keyOf = (kind: string, parts: string[]) => sha256([kind, ...parts].join('\n'))
const truncate = (text: string) =>
  text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE - 1)}…` : text

/**
 * A name that is stable across builds: the function without its arguments, or else the place in the
 * module.
 */
const stableName = ({ function: name, module, offset }: FrameView) =>
  name === undefined ? `${module}+${offset}` : name.replace(/\(.*$/s, '')

/**
 * Groups crashes with the same top frames. Frames found by scanning the stack are left out, because
 * they vary between crashes of the same cause.
 */
export function groupByFrames({ frames, crash_reason }: Analysis): Group | undefined {
  const reliable = frames.filter(
    ({ trust, module }, i) => (i === 0 || trust !== 'scan') && module !== '',
  )
  const first = reliable.findIndex((frame) => !abortFunction.test(stableName(frame)))
  const top = reliable.slice(Math.max(first, 0)).slice(0, TOP_FRAMES).map(stableName)
  if (top.length === 0) return undefined
  return {
    kind: 'frames',
    group_key: keyOf('frames', top),
    title: truncate(`${top[0]}: ${crash_reason}`),
  }
}

export type ReportedError = { message: string; app_version: string; os: string }

/**
 * Groups crashes without an analyzed dump by message, version and system. Addresses in the message
 * are masked, because they differ each time.
 */
export function groupByMessage({ message, app_version, os }: ReportedError): Group {
  const normalized = message
    .trim()
    .replace(/0x[0-9a-f]{4,16}/gi, '0x?')
    .replace(/\s+/g, ' ')
  const title = normalized || 'No message'
  return {
    kind: 'message',
    group_key: keyOf('message', [normalized, app_version, os]),
    title: truncate(`${title} (${[app_version, os].filter(Boolean).join(', ')})`),
  }
}

export type Resolution = { status: string; resolved_at: Date | null; resolved_in: string | null }

/**
 * Whether a build should contain the fix of a resolved crash: it has the version of the fix or a
 * later one, or, if no version was given, it was created after the crash was resolved.
 */
export function isRegression(
  { status, resolved_at, resolved_in }: Resolution,
  build: { version: string; created_at: Date },
): boolean {
  if (status !== 'resolved') return false
  if (resolved_in !== null) return compareBuildVersions(build.version, resolved_in) >= 0
  return resolved_at !== null && build.created_at > resolved_at
}
