/**
 * How browsers name each system in their User-Agent. Android also names Linux, and iPhones also
 * name Mac OS, so those two come first.
 */
const systems = [
  [/android/i, 'android'],
  [/iphone|ipad/i, 'ios'],
  [/windows/i, 'windows'],
  [/mac os/i, 'macos'],
  [/linux|x11|cros/i, 'linux'],
] as const

/**
 * The operating system that a User-Agent names, if any. This file must not import anything, because
 * scripts of pages contain it.
 */
export const browserSystem = (user_agent: string) =>
  systems.find(([pattern]) => pattern.test(user_agent))?.[1]
