import { defaultWebLimits, type WebLimits } from '../../src/listings/fields/web-build.ts'
import { isUuid } from '../documents/text.ts'
import { exits, Failure, UsageError } from '../errors.ts'
import { type Api, type Data, isObject, json } from '../http/api.ts'
import { formatSize, t } from '../messages.ts'
import type { Item } from '../zip/tree.ts'
import type { App, Platform } from './registration.ts'

/** A build in the output of build, addfiles and push. */
export type BuildResult = {
  build_id: string
  app_id?: string
  app?: string
  os?: string
  arch?: string
  channel?: string
  symbols?: number
  file_uid?: string
  checksum?: string
  /** How many bytes were sent, if it was only a part of the zip. */
  sent_bytes?: number
  scan?: string
  findings?: string
  /** Of the devices that get it, if not all do. */
  percent?: number
}

/** Reads the game of the key first, so that a wrong key or a tree over the limits fails early. */
export async function readGame(
  api: Api,
  items: readonly Item[],
): Promise<{
  vanity_name: string
  asset_type: string | undefined
  web_limits: WebLimits
  info: Data
}> {
  const info = await api.get('/tool/info')
  const { name, store_name, vanity_name, asset_type, limits } = info
  // Servers of earlier versions do not send the name of their store.
  if (typeof store_name === 'string')
    api.ui.note(t('publishing', { game: String(name), store: store_name }))
  const known_limits = (isObject(limits) ? limits : {}) as Record<string, number | undefined>
  const { max_zip_entries, max_unpacked_bytes } = known_limits
  const unpacked = items.reduce((sum, { size }) => sum + size, 0)
  const hint = t('exclude-hint')
  if (max_zip_entries && items.length > max_zip_entries)
    throw new UsageError(
      t('limit-entries', { count: items.length, max: String(max_zip_entries) }),
      hint,
    )
  if (max_unpacked_bytes && unpacked > max_unpacked_bytes)
    throw new UsageError(
      t('limit-unpacked', {
        size: formatSize(unpacked),
        max: formatSize(max_unpacked_bytes),
      }),
      hint,
    )
  return {
    vanity_name: String(vanity_name ?? 'build'),
    asset_type: typeof asset_type === 'string' ? asset_type : undefined,
    web_limits: {
      max_files: known_limits.max_played_files ?? defaultWebLimits.max_files,
      max_bytes: known_limits.max_played_bytes ?? defaultWebLimits.max_bytes,
      max_file_bytes: known_limits.max_played_file_bytes ?? defaultWebLimits.max_file_bytes,
    },
    info,
  }
}

export async function register(api: Api, body: Record<string, unknown>): Promise<BuildResult> {
  const data = await api.send({ method: 'POST', path: '/tool/upload/build', body: json(body) })
  return asResult(data)
}

/** A build from an answer. IDs are checked, because they go into lines that a CI sources. */
export function asResult(data: Data): BuildResult {
  const build_id = data.build_id ?? data.build_uid
  if (typeof build_id !== 'string' || !isUuid(build_id))
    throw new Failure(exits.refused, t('server-no-build-id'), t('server-no-build-id-hint'))
  const textField = (name: string) =>
    typeof data[name] === 'string' && data[name] !== '' ? { [name]: data[name] as string } : {}
  const app_id = isUuid(String(data.app_id)) ? textField('app_id') : {}
  return {
    build_id,
    ...app_id,
    ...textField('app'),
    ...textField('os'),
    ...textField('arch'),
    ...textField('channel'),
  }
}

export type BuildSelector = Platform & App & { version: string; type: string }
export type Row = Data & { build_type: string; app: string; files: Data[] }

const PAGE_SIZE = 100
const MAX_PAGES = 20

/** The builds of an app with their files, the one registered last first. */
export async function* registeredBuilds(api: Api, app: string): AsyncGenerator<Row> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const builds = await listBuilds(api, { app, page: String(page), page_size: `${PAGE_SIZE}` })
    yield* builds
    if (builds.length < PAGE_SIZE) return
  }
}

async function listBuilds(api: Api, filter: Record<string, string>): Promise<Row[]> {
  const query = new URLSearchParams(filter)
  const { builds } = await api.get(`/tool/builds?${query}`)
  return (Array.isArray(builds) ? builds.filter(isObject) : []).map(
    (row) => ({ ...row, files: Array.isArray(row.files) ? row.files.filter(isObject) : [] }) as Row,
  )
}

/** A build that is already registered keeps its title, description and changelog. */
export async function findRegistered(
  api: Api,
  selector: BuildSelector,
): Promise<BuildResult | undefined> {
  const { version, type, os, arch, channel, app } = selector
  const filter = { version, os, arch, channel, app, page_size: `${PAGE_SIZE}` }
  const rows = await listBuilds(api, filter)
  const row = rows.find((build) => build.build_type === type && (build.app ?? '') === app)
  return row ? asResult(row) : undefined
}

/** Lines that a CI can source: the IDs that a game sends with its crash reports. */
export function idLines(builds: readonly BuildResult[]): string[] {
  return builds.flatMap(({ app_id, build_id }) => [
    ...(app_id ? [`SVC_GAMES_APP_ID=${app_id}`] : []),
    `SVC_GAMES_BUILD_ID=${build_id}`,
  ])
}

export const platformOf = ({ os, arch }: Partial<Platform>) =>
  [os, arch].filter(Boolean).join('/') || t('platform-any')

export function platformName({
  os,
  arch,
  channel,
  app,
}: Partial<Platform> & { app?: string }): string {
  const values = { platform: platformOf({ os, arch }), channel: channel || 'stable' }
  return app ? t('platform-channel-app', { ...values, app }) : t('platform-channel', values)
}

/** The name of the zip, in characters that every system allows. */
export function zipFilename(parts: readonly string[]): string {
  const name = parts
    .filter(Boolean)
    .join('-')
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 200)
  return `${name || 'build'}.zip`
}
