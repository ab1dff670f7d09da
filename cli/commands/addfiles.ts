import type { Command, Context, Outcome } from '../command.ts'
import { readAppId, readEngineVersion } from '../documents/build-file.ts'
import { type FilesFile, listedItems, readFilesFile } from '../documents/files-file.ts'
import { later } from '../messages.ts'
import { describePackage, makePackage, removeTemporary } from '../publish/package.ts'
import {
  type BuildSelector,
  findRegistered,
  readGame,
  register,
  zipFilename,
} from '../publish/publish.ts'
import {
  appFlags,
  coepFlag,
  engineFlag,
  type Platform,
  platformFlags,
  registrationBody,
  symbolsFlag,
} from '../publish/registration.ts'
import { readMinutes } from '../publish/scan.ts'
import { findSymbols } from '../publish/symbols.ts'
import { warnAboutWebBuild } from '../publish/web-build.ts'
import { warnings } from '../terminal/warnings.ts'
import { uploadBuild, waitFlags } from './push.ts'

export const addfiles: Command = {
  name: 'addfiles',
  summary: later('addfiles'),
  details: [later('addfiles-details')],
  flags: [
    { name: 'asset', value: '<file>', summary: later('addfiles-asset'), required: true },
    ...platformFlags,
    ...appFlags,
    engineFlag,
    coepFlag,
    symbolsFlag,
    ...waitFlags,
  ],
  examples: [
    'slipway addfiles --asset addfiles.yml',
    'slipway addfiles --asset addfiles.yml --symbols build/symbols --wait',
  ],
  run: runAddfiles,
}

async function runAddfiles(context: Context): Promise<Outcome> {
  const { text, ui } = context
  const file = readFilesFile(text('asset')!, ui, platformFromFlags(context))
  const selector = selectBuild(file, context)
  const { version, type, os, arch, channel, app } = selector
  const symbols_path = text('symbols') ?? file.symbols
  const symbols = symbols_path ? findSymbols(symbols_path) : []
  const minutes = readMinutes(text('wait-minutes'))
  const items = listedItems(file)
  const body = newBuild(selector, file, context)
  const api = await context.api()
  const { vanity_name, asset_type, web_limits } = await readGame(api, items)
  for (const line of warnings(items, { os, type, asset_type })) ui.warn(line)
  if (os === 'web') await warnAboutWebBuild({ path: file.root, items }, web_limits, context)
  try {
    const registered = await findRegistered(api, selector)
    if (registered && body.coep) await register(api, coepOnly(selector, body.coep))
    const filename = zipFilename([vanity_name, app, version, os, arch])
    const zip = await makePackage(items, filename, context)
    ui.note(describePackage(zip))
    const build = { ...(registered ?? (await register(api, body))), os, arch, channel }
    const target = { build_id: build.build_id, os, arch, channel, app }
    return await uploadBuild(context, api, { build, zip, target, symbols, minutes })
  } finally {
    removeTemporary()
  }
}

function platformFromFlags({ text }: Context): Partial<Platform> {
  const values = ['os', 'arch', 'channel'].map((name) => [name, text(name)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function selectBuild(file: FilesFile, { text }: Context): BuildSelector {
  const app =
    text('app') === undefined
      ? { app: file.app, app_name: text('app-name') ?? file.app_name }
      : readAppId({ app: text('app'), app_name: text('app-name') })
  return { ...file.platform, ...app, version: file.version, type: file.type }
}

/** The registration of a build without a description. */
function newBuild(
  { version, type, os, arch, channel, app, app_name }: BuildSelector,
  file: FilesFile,
  { text }: Context,
): Record<string, unknown> {
  const title = `${version} ${os}/${arch}`
  const engine_version =
    text('engine-version') === undefined
      ? file.engine_version
      : readEngineVersion(text('engine-version'))
  return registrationBody({
    build: title,
    build_type: type,
    version,
    title,
    description: title,
    os,
    arch,
    channel,
    app,
    app_name,
    engine_version,
    coep: text('coep') ?? file.coep,
  })
}

/** A registered build keeps its title and description. */
const coepOnly = (
  { version, type, os, arch, channel, app }: BuildSelector,
  coep: unknown,
): Record<string, unknown> =>
  registrationBody({ version, build_type: type, os, arch, channel, app, coep })
