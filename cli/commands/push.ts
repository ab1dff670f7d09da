import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { compareBuildVersions } from '../../src/builds/channels/build-order.ts'
import { defaultWebLimits } from '../../src/listings/fields/web-build.ts'
import type { Command, Context, Flag, Outcome } from '../command.ts'
import { type DeltaSource, uploadDelta } from '../delta/upload-delta.ts'
import { readAppId, readEngineVersion } from '../documents/build-file.ts'
import { exits, UsageError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { type Target, uploadPackage } from '../http/upload.ts'
import { formatSize, later, t } from '../messages.ts'
import { readAvailability, requireStageable } from '../publish/availability.ts'
import {
  checkZip,
  describePackage,
  makePackage,
  type Package,
  removeTemporary,
  useZip,
} from '../publish/package.ts'
import {
  asResult,
  type BuildResult,
  idLines,
  platformName,
  type Row,
  readGame,
  register,
  registeredBuilds,
  zipFilename,
} from '../publish/publish.ts'
import {
  type App,
  appFlags,
  coepFlag,
  DEFAULT_ARCH,
  DEFAULT_CHANNEL,
  engineFlag,
  normalizePlatform,
  type Platform,
  platformFlags,
  registrationBody,
  symbolsFlag,
} from '../publish/registration.ts'
import {
  acceptedFiles,
  currentFile,
  hasChecksum,
  readBuild,
  readMinutes,
  requireClean,
  WAIT_MINUTES,
  waitForScan,
} from '../publish/scan.ts'
import { findSymbols, type SymbolBatch, uploadSymbols } from '../publish/symbols.ts'
import { warnAboutWebBuild } from '../publish/web-build.ts'
import { warnings } from '../terminal/warnings.ts'
import { readRule } from '../zip/ignore.ts'
import { checked, type Item, item, readTree, unreadable } from '../zip/tree.ts'

export const waitFlags: Flag[] = [
  {
    name: 'wait',
    summary: later('flag-wait', { code: String(exits.not_clean) }),
  },
  {
    name: 'wait-minutes',
    value: '<n>',
    summary: later('flag-wait-minutes'),
    default: WAIT_MINUTES,
  },
]

export const push: Command = {
  name: 'push',
  summary: later('push'),
  details: [later('push-details-content'), later('push-details-resume')],
  args: [{ name: '<dir>', summary: later('push-dir') }],
  flags: [
    {
      name: 'version',
      value: '<version>',
      summary: later('push-version'),
      required: true,
    },
    ...platformFlags.map((flag) => ({
      ...flag,
      ...(flag.name === 'os'
        ? { required: true }
        : { default: flag.name === 'arch' ? `${DEFAULT_ARCH}` : DEFAULT_CHANNEL }),
    })),
    { name: 'percent', value: '<n>', summary: later('push-percent') },
    { name: 'type', value: '<type>', summary: later('flag-type'), default: 'game' },
    { name: 'title', value: '<title>', summary: later('push-title') },
    { name: 'description', value: '<text>', summary: later('push-description') },
    ...appFlags,
    engineFlag,
    coepFlag,
    symbolsFlag,
    { name: 'executable', value: '<path>', summary: later('push-executable') },
    { name: 'args', value: '<arg>', summary: later('push-args'), many: true },
    {
      name: 'ignore',
      value: '<pattern>',
      summary: later('push-ignore'),
      many: true,
    },
    { name: 'wrap', value: '<folder>', summary: later('push-wrap') },
    { name: 'whole', summary: later('push-whole') },
    { name: 'base', value: '<dir>', summary: later('push-base') },
    { name: 'dry-run', summary: later('push-dry-run') },
    {
      name: 'if-changed',
      summary: later('push-if-changed'),
    },
    ...waitFlags,
  ],
  examples: [
    'slipway push build/linux --version 1.2.0 --os linux',
    'slipway push build/win --version 1.2.0 --os windows --channel beta --wait',
    'slipway push build/linux --version 1.3.0 --os linux --percent 10',
    'slipway push dist --version 1.2.0 --os web --if-changed --json',
  ],
  run: runPush,
}

type Plan = {
  target: Platform & App
  body: Record<string, unknown>
  symbols: SymbolBatch[]
  version: string
  type: string
  /** The part of the devices that gets the build. */
  percent: number | undefined
}

async function runPush(context: Context): Promise<Outcome> {
  const plan = readPlan(context)
  const minutes = readMinutes(context.text('wait-minutes'))
  const source = readSource(context)
  if (context.has('dry-run')) return dryRun(context, plan, source)
  const api = await context.api()
  const { vanity_name, asset_type, web_limits, info } = await readGame(api, source.items ?? [])
  const { percent } = plan
  if (percent !== undefined && percent < 100) requireStageable(info, plan.target)
  if (source.items)
    for (const line of warnings(source.items, { os: plan.target.os, type: plan.type, asset_type }))
      context.ui.warn(line)
  if (plan.target.os === 'web') await warnAboutWebBuild(source, web_limits, context)
  try {
    const zip = await packed(source, plan, vanity_name, context)
    const same = context.has('if-changed') ? await sameContent(api, plan, zip) : undefined
    if (same) {
      await awaitClean(context, api, same, minutes)
      return unchanged(same)
    }
    context.ui.note(describePackage(zip))
    const build = await register(api, plan.body)
    const target = { build_id: build.build_id, ...plan.target, percent: percent?.toString() }
    const { symbols } = plan
    const delta = deltaSource(context, source)
    return await uploadBuild(context, api, { build, zip, target, symbols, minutes, delta })
  } finally {
    removeTemporary()
  }
}

/** A zip that exists is sent as it is. */
function deltaSource({ has, text }: Context, { items }: Source): DeltaSource | undefined {
  if (!items || has('whole')) return undefined
  return { items, base_folder: text('base'), wrap: text('wrap') }
}

function readPlan(context: Context): Plan {
  const { text } = context
  const platform = normalizePlatform({
    os: text('os'),
    arch: text('arch'),
    channel: text('channel'),
  })
  const app = readAppId({ app: text('app'), app_name: text('app-name') })
  const named = {
    version: text('version')!.trim(),
    build_type: text('type'),
    title: text('title'),
    description: text('description'),
  }
  const body = registrationBody({
    ...named,
    ...platform,
    ...app,
    engine_version: readEngineVersion(text('engine-version')),
    coep: text('coep'),
    launch: readLaunch(context),
  })
  const symbols = text('symbols')
  return {
    target: { ...platform, ...app },
    body,
    symbols: symbols ? findSymbols(symbols) : [],
    version: named.version,
    type: String(body.build_type ?? 'game'),
    percent: readPercent(text('percent')),
  }
}

function readPercent(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (percent >= 1 && percent <= 100) return percent
  throw new UsageError(t('push-percent-invalid', { text }))
}

/** How players' programs start the build. */
function readLaunch({ text, list }: Context): Record<string, unknown> | undefined {
  const executable = text('executable')
  const args = list('args')
  if (executable) return { executable, args }
  if (args.length) throw new UsageError(t('push-args-alone'))
  return undefined
}

type Source = { path: string; items?: Item[] | undefined; ignored: number }

function readSource({ args, list, text, ui }: Context): Source {
  const path = args[0]!
  const stats = statSync(path, { throwIfNoEntry: false })
  const base = text('base')
  if (base !== undefined && !statSync(base, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(t('push-base-not-folder', { path: base }), t('push-base-hint'))
  if (!stats) throw unreadable(path, { code: 'ENOENT' })
  const wrap = text('wrap')
  if (wrap !== undefined && (!/^[^/\\]+$/.test(wrap) || wrap === '.' || wrap === '..'))
    throw new UsageError(t('push-wrap-invalid'))
  if (stats.isDirectory()) {
    const tree = readTree(
      path,
      list('ignore').flatMap((line) => readRule(line, '') ?? []),
    )
    for (const path of tree.skipped) ui.warn(t('push-skipped', { path }))
    return { path, items: wrapped(tree.items, wrap), ignored: tree.ignored }
  }
  if (!stats.isFile()) throw new UsageError(t('push-not-file', { path }))
  if (/\.zip$/i.test(path)) {
    if (wrap) throw new UsageError(t('push-wrap-zip'))
    return { path, ignored: 0 }
  }
  return { path, items: wrapped([item(basename(path), path, stats)], wrap), ignored: 0 }
}

function wrapped(items: Item[], wrap: string | undefined): Item[] {
  if (!wrap) return checked(items)
  const folder: Item = {
    path: `${wrap}/`,
    source: '',
    kind: 'folder',
    size: 0,
    executable: true,
    changed_ms: 0,
  }
  return checked([folder, ...items.map((item) => ({ ...item, path: `${wrap}/${item.path}` }))])
}

function packed(
  { path, items }: Source,
  { target, version }: Plan,
  game: string,
  context: Context,
): Promise<Package> {
  if (!items) return useZip(path, statSync(path), context)
  const filename = zipFilename([game, target.app, version, target.os, target.arch])
  return makePackage(items, filename, context)
}

type BuildUpload = {
  build: BuildResult
  zip: Package
  target: Target
  symbols: SymbolBatch[]
  minutes: number
  delta?: DeltaSource | undefined
}

/**
 * Uploads the zip and the symbols of a registered build; with --wait, waits for the scan. A zip
 * that the build already has for the platform, and nothing newer, is not uploaded again.
 */
export async function uploadBuild(
  context: Context,
  api: Api,
  { build, zip, target, symbols, minutes, delta }: BuildUpload,
): Promise<Outcome> {
  const { ui, env } = context
  const { files } = await readBuild(api, build.build_id)
  // Sent again for another part of the devices; the store keeps the file that it has.
  const stored = target.percent ? undefined : currentFile(files, target, zip.checksum)
  const sent =
    stored || !delta ? undefined : await uploadDelta(api, zip, target, { env, source: delta })
  const { file_uid, checksum } = stored ?? sent ?? (await uploadPackage(api, zip, target, env))
  ui.note(
    stored
      ? t('already-uploaded', { platform: platformName(target) })
      : t('uploaded', { file: zip.filename, platform: platformName(target) }),
  )
  const result: BuildResult = { ...build, file_uid, checksum }
  if (target.percent && target.percent !== '100') {
    result.percent = Number(target.percent)
    const { percent, channel } = target
    ui.note(t('uploaded-staged', { percent, channel: channel || DEFAULT_CHANNEL }))
  }
  if (sent) result.sent_bytes = sent.sent
  if (symbols.length) result.symbols = (await uploadSymbols(api, build.build_id, symbols)).length
  await awaitClean(context, api, result, minutes)
  return { json: { ok: true, builds: [result] }, lines: idLines([result]) }
}

/** With --wait: waits for the scan of a build's file and fails unless it is clean. */
async function awaitClean(
  { has, ui }: Context,
  api: Api,
  result: BuildResult,
  minutes: number,
): Promise<void> {
  if (!has('wait')) return
  const [file] = await waitForScan(
    api,
    result.build_id,
    (files) => files.filter((file) => file.file_uid === result.file_uid),
    minutes,
  )
  Object.assign(result, {
    scan: file!.scan,
    ...(file!.findings ? { findings: file!.findings } : {}),
  })
  requireClean([file!], { builds: [result] })
  const availability = await readAvailability(api, result, file!)
  ui.note(availability ? t('scan-clean-available', { availability }) : t('scan-clean'))
}

/**
 * The newest build with a file for the platform, if that file has the same bytes: by version, then
 * by registration, as channels choose.
 */
async function sameContent(
  api: Api,
  { target }: Plan,
  { checksum }: Package,
): Promise<BuildResult | undefined> {
  let newest: { build: Row; file: Row['files'][number] } | undefined
  // The build that was registered last comes first.
  for await (const build of registeredBuilds(api, target.app)) {
    const [file] = acceptedFiles(build.files, target)
    const version = newest && String(newest.build.version)
    if (file && (!version || compareBuildVersions(String(build.version), version) > 0))
      newest = { build, file }
  }
  if (!newest || !hasChecksum(newest.file, checksum)) return undefined
  const { file_uid, checksum: stored } = newest.file
  return { ...asResult(newest.build), file_uid: String(file_uid), checksum: String(stored) }
}

const unchanged = (same: BuildResult): Outcome => ({
  json: { ok: true, unchanged: true, builds: [same] },
  lines: [t('unchanged', { build: same.build_id }), ...idLines([same])],
})

async function dryRun(
  context: Context,
  { target, body, symbols, type, percent }: Plan,
  { path, items, ignored }: Source,
): Promise<Outcome> {
  const { ui } = context
  if (!items) await checkZip(path, statSync(path), context)
  const files = items?.filter(({ kind }) => kind !== 'folder') ?? []
  const bytes = items ? items.reduce((sum, item) => sum + item.size, 0) : statSync(path).size
  if (items) for (const line of warnings(items, { os: target.os, type })) ui.warn(line)
  if (target.os === 'web') await warnAboutWebBuild({ path, items }, defaultWebLimits, context)
  if (items && files.length === 0)
    throw new UsageError(t('nothing-to-upload'), t('nothing-to-upload-hint'))
  const size = formatSize(bytes)
  const packing = { files: t('count-files', { count: files.length }), size }
  const summary = !items
    ? t('dry-send', { path, size })
    : ignored
      ? t('dry-pack-ignored', { ...packing, ignored: String(ignored) })
      : t('dry-pack', packing)
  return {
    json: {
      ok: true,
      dry_run: true,
      registration: body,
      ...(percent === undefined ? {} : { percent }),
      files: files.map(({ path: name, size }) => ({ path: name, size })),
      bytes,
      ignored,
    },
    lines: [
      t('dry-register', { version: String(body.version), platform: platformName(target) }),
      summary,
      ...files.map(fileLine),
      ...(symbols.length ? [t('dry-symbols', { count: symbols.length })] : []),
      t('dry-nothing'),
    ],
  }
}

function fileLine({ path, size, executable, target }: Item): string {
  const mark = target ? ` -> ${target}` : executable ? ' *' : ''
  return `  ${formatSize(size).padStart(10)}  ${path}${mark}`
}
