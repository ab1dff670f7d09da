import { setTimeout as pause } from 'node:timers/promises'
import { duration } from '../documents/text.ts'
import { exits, Failure, UsageError } from '../errors.ts'
import { type Api, type Data, isObject } from '../http/api.ts'
import { later, type Text, t } from '../messages.ts'
import type { Platform } from './registration.ts'

export type ScannedFile = {
  file_uid: string
  filename: string
  checksum: string
  os: string
  arch: string
  channel: string
  size: number
  scan: string
  findings?: string
}
export type ScannedBuild = Data & {
  os?: string
  arch?: string
  channel?: string
  files: ScannedFile[]
}

const FIRST_SECONDS = 0.5
const MAX_BACKOFF_SECONDS = 5
const PROGRESS_SECONDS = 30
export const WAIT_MINUTES = '60'

export async function readBuild(api: Api, build_id: string): Promise<ScannedBuild> {
  const data = await api.get(`/tool/builds/${encodeURIComponent(build_id)}`)
  const files = Array.isArray(data.files) ? data.files.filter(isObject) : []
  return { ...data, files: files as ScannedFile[] }
}

const accepted = ['clean', 'scanning', 'withdrawn']

/** The files of a system that the scanner has not rejected, on every channel, newest first. */
const acceptedOnSystem = <File extends Data>(
  files: readonly File[],
  { os, arch }: Platform,
): File[] =>
  files.filter(
    (file) => file.os === os && file.arch === arch && accepted.includes(String(file.scan)),
  )

/** The files of a platform that the scanner has not rejected, newest first. */
export const acceptedFiles = <File extends Data>(
  files: readonly File[],
  target: Platform,
): File[] => acceptedOnSystem(files, target).filter(({ channel }) => channel === target.channel)

/** The store composed the zip of a delta; then it also has the checksum of the one packed here. */
export const hasChecksum = (file: Data, checksum: string) =>
  file.checksum === checksum || file.source_checksum === checksum

/**
 * The file of a platform with this content, unless the build has newer content for the system on
 * any channel: then players get that, until this content is uploaded again.
 */
export function currentFile<File extends Data>(
  files: readonly File[],
  target: Platform,
  checksum: string,
): File | undefined {
  const newest = acceptedOnSystem(files, target)[0]
  if (!newest || !hasChecksum(newest, checksum)) return undefined
  return acceptedFiles(files, target).find((file) => hasChecksum(file, checksum))
}

/** The newest file of each platform; the server lists it first. */
export function currentFiles(files: readonly ScannedFile[]): ScannedFile[] {
  const seen = new Set<string>()
  return files.filter(({ os, arch, channel }) => {
    const platform = `${os} ${arch} ${channel}`
    return !seen.has(platform) && seen.add(platform)
  })
}

/** Polls until no file is being scanned, with a monotonic clock. */
export async function waitForScan(
  api: Api,
  build_id: string,
  choose: (files: ScannedFile[]) => ScannedFile[],
  minutes: number,
): Promise<ScannedFile[]> {
  const started = performance.now()
  let last_note = started
  api.ui.note(t('scan-waiting'))
  for (let wait = FIRST_SECONDS; ; wait = Math.min(MAX_BACKOFF_SECONDS, wait * 1.5)) {
    const files = choose((await readBuild(api, build_id)).files)
    if (files.length === 0) throw new Failure(exits.not_clean, t('scan-gone'), t('scan-gone-hint'))
    if (files.every(({ scan }) => scan !== 'scanning')) return files
    const now = performance.now()
    if (now - started > minutes * 60_000) return files
    if (now - last_note > PROGRESS_SECONDS * 1000) {
      last_note = now
      api.ui.note(t('scan-still', { time: duration((now - started) / 1000) }))
    }
    await pause(wait * 1000, undefined, { signal: api.signal })
  }
}

export function readMinutes(text: string | undefined): number {
  const minutes = Number(text ?? WAIT_MINUTES)
  if (Number.isFinite(minutes) && minutes > 0 && minutes <= 24 * 60) return minutes
  throw new UsageError(t('wait-minutes-invalid', { text: String(text) }))
}

/** Why a file is not clean, for people. */
export function verdict({ scan, findings, filename }: ScannedFile): string {
  const values = { file: filename, details: findings ?? t('scan-no-details') }
  if (scan === 'infected') return t('scan-infected', values)
  if (scan === 'error') return t('scan-error', values)
  if (scan === 'scanning') return t('scan-scanning', values)
  if (scan === 'withdrawn') return t('scan-withdrawn', values)
  return t('scan-other', { file: filename, scan })
}

const remedies: Record<string, Text> = {
  infected: later('scan-infected-hint'),
  error: later('scan-error-hint'),
  scanning: later('scan-scanning-hint'),
  withdrawn: later('scan-withdrawn-hint'),
}

/** Fails the command unless all files are clean. */
export function requireClean(files: readonly ScannedFile[], more: Data): void {
  const rejected =
    files.find(({ scan }) => scan === 'infected') ?? files.find(({ scan }) => scan !== 'clean')
  if (rejected)
    throw new Failure(exits.not_clean, verdict(rejected), remedies[rejected.scan]?.(), more)
}
