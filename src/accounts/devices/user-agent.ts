import { browserSystem } from './browser-system.ts'

/** Most browsers also name those that they are made from or compatible with, so these come last. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|OPT)\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\b(?:DuckDuckGo|Ddg)\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const

const systemNames = {
  android: 'Android',
  ios: 'iOS',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
} as const

/** The browser of a User-Agent, or the program that it names first; null without either. */
export const browserName = (user_agent: string): string | null =>
  browsers.find(([pattern]) => pattern.test(user_agent))?.[1] ??
  user_agent.match(/^([A-Za-z][\w.-]{0,30})(?:\/|$)/)?.[1] ??
  null

/** The operating system of a User-Agent; null if it names none. */
export function systemName(user_agent: string): string | null {
  const system = browserSystem(user_agent)
  return system ? systemNames[system] : null
}
