import { browserSystem } from '../../../accounts/devices/browser-system.ts'

/** What the User-Agent of a browser tells about its device. */
export type Device = { os: ReturnType<typeof browserSystem>; is_arm: boolean }

export const deviceOf = (user_agent = ''): Device => ({
  os: browserSystem(user_agent),
  is_arm: /android|iphone|ipad|aarch64|arm64/i.test(user_agent),
})

type PlatformFile = { os: string; arch: string }

/**
 * The file that a device most likely runs: one for its system, else one for any system. A browser
 * on a Mac does not name its processor, and a Mac with an ARM processor also runs other programs,
 * so a file for ARM comes last unless the browser names ARM.
 */
export function primaryFile<File extends PlatformFile>(
  files: readonly File[],
  { os, is_arm }: Device,
): File | undefined {
  const matching = os ? files.filter((file) => file.os === os || file.os === '') : files
  const rank = (file: File) => (file.os === '' ? 4 : archRank(file.arch, is_arm))
  return matching.toSorted((a, b) => rank(a) - rank(b))[0]
}

function archRank(arch: string, is_arm: boolean): number {
  if (arch === '' || arch === 'universal') return 0
  if (arch === 'arm64') return is_arm ? 0 : 3
  return arch === 'x86_64' ? 1 : 2
}
