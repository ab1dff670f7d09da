import type { Command, Context, Outcome } from '../command.ts'
import { readAppId, readEngineVersion } from '../documents/build-file.ts'
import { type FilesFile, listedItems, readFilesFile } from '../documents/files-file.ts'
import { uploadPackage } from '../http/upload.ts'
import { describePackage, makePackage, removeTemporary } from '../publish/package.ts'
import {
  type BuildResult,
  type BuildSelector,
  findRegistered,
  idLines,
  platformName,
  readGame,
  register,
  zipFilename,
} from '../publish/publish.ts'
import {
  appFlags,
  engineFlag,
  platformFlags,
  registrationBody,
  symbolsFlag,
} from '../publish/registration.ts'
import { readMinutes } from '../publish/scan.ts'
import { findSymbols, uploadSymbols } from '../publish/symbols.ts'
import { warnings } from '../terminal/warnings.ts'
import { awaitClean, waitFlags } from './push.ts'

export const addfiles: Command = {
  name: 'addfiles',
  summary: 'Zip and upload the files that an addfiles.yml lists',
  details: [
    'Uses the build that is registered for this version and platform, or registers one. Names in ' +
      'the zip start at root, by default the folder of the file.',
  ],
  flags: [
    { name: 'asset', value: '<file>', summary: 'The addfiles.yml', required: true },
    ...platformFlags,
    ...appFlags,
    engineFlag,
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
  const { text, ui, env } = context
  const given = Object.fromEntries(
    ['os', 'arch', 'channel'].flatMap((name) =>
      text(name) === undefined ? [] : [[name, text(name)!]],
    ),
  )
  const file = readFilesFile(text('asset')!, ui, given)
  const wanted = wantedBuild(file, context)
  const symbols_path = text('symbols') ?? file.symbols
  const symbols = symbols_path ? findSymbols(symbols_path) : []
  const minutes = readMinutes(text('wait-minutes'))
  const items = listedItems(file)
  const body = newBuild(wanted, file, context)
  const api = await context.api()
  const { vanity_name, asset_type } = await readGame(api, items)
  for (const line of warnings(items, { os: wanted.os, type: wanted.type, asset_type }))
    ui.warn(line)
  try {
    const registered = await findRegistered(api, wanted)
    const zip = await makePackage(
      items,
      zipFilename([vanity_name, wanted.app, wanted.version, wanted.os, wanted.arch]),
      context,
    )
    ui.note(`packed ${describePackage(zip)}`)
    const build = registered ?? (await register(api, body))
    const { os, arch, channel, app } = wanted
    const { file_uid, checksum } = await uploadPackage(
      api,
      zip,
      { build_id: build.build_id, os, arch, channel, app },
      env,
    )
    ui.note(`uploaded ${zip.filename} for ${platformName(wanted)}`)
    const result: BuildResult = { ...build, os, arch, channel, file_uid, checksum }
    if (symbols.length) result.symbols = (await uploadSymbols(api, build.build_id, symbols)).length
    await awaitClean(context, api, result, minutes)
    return { json: { ok: true, builds: [result] }, lines: idLines([result]) }
  } finally {
    removeTemporary()
  }
}

function wantedBuild(file: FilesFile, { text }: Context): BuildSelector {
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
  })
}
