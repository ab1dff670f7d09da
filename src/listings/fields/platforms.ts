export const operatingSystems = ['windows', 'macos', 'linux', 'android', 'ios', 'web'] as const
export type OperatingSystem = (typeof operatingSystems)[number]
export const architectures = [
  'x86_64',
  'x86',
  'arm64',
  'arm32',
  'arm',
  'universal',
  'wasm32',
  'wasm',
] as const
export type Architecture = (typeof architectures)[number]
/** What most builds for a system are made for; empty where players choose no processor. */
export const usualArchitectures: Record<OperatingSystem, Architecture | ''> = {
  windows: 'x86_64',
  macos: 'universal',
  linux: 'x86_64',
  android: 'arm64',
  ios: 'arm64',
  web: '',
}
export const osAliases: Record<string, OperatingSystem> = {
  win: 'windows',
  win32: 'windows',
  win64: 'windows',
  darwin: 'macos',
  osx: 'macos',
  mac: 'macos',
}
