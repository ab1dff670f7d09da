import type { FastifyRequest } from 'fastify'
import type { OperatingSystem } from '../listings/fields/versions.ts'

/**
 * How browsers name each system in their User-Agent. Android also names Linux, and iPhones also
 * name Mac OS, so those two come first.
 */
const systems: [RegExp, OperatingSystem][] = [
  [/android/i, 'android'],
  [/iphone|ipad/i, 'ios'],
  [/windows/i, 'windows'],
  [/mac os/i, 'macos'],
  [/linux|x11|cros/i, 'linux'],
]

/** The operating system of the visitor, if their browser names one. */
export function visitorSystem({ headers }: FastifyRequest): OperatingSystem | null {
  const user_agent = headers['user-agent'] ?? ''
  return systems.find(([pattern]) => pattern.test(user_agent))?.[1] ?? null
}
