import type { MediaKind } from '../../src/listings/media/image-rules.ts'
import type { Arguments, Command, Context, Outcome } from '../command.ts'
import {
  type BuildFile,
  readAppId,
  readBuildFile,
  readEngineVersion,
} from '../documents/build-file.ts'
import {
  findImage,
  type Image,
  type Media,
  missingImages,
  readMedia,
  sendImages,
} from '../documents/images.ts'
import { UsageError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { later, t } from '../messages.ts'
import { removeTemporary } from '../publish/package.ts'
import { type BuildResult, idLines, platformName, register } from '../publish/publish.ts'
import {
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
import { findSymbols, uploadSymbols } from '../publish/symbols.ts'

export const build: Command = {
  name: 'build',
  summary: later('build'),
  details: [later('build-details-output'), later('build-details-platforms')],
  flags: [
    { name: 'asset', value: '<file>', summary: later('build-asset'), required: true },
    ...platformFlags,
    ...appFlags,
    engineFlag,
    coepFlag,
    symbolsFlag,
  ],
  examples: [
    'slipway build --asset build.yml',
    'slipway build --asset build.yml --os linux --channel beta',
  ],
  run: runBuild,
}

async function runBuild(context: Context): Promise<Outcome> {
  const { text, ui } = context
  const file = readBuildFile(text('asset')!, ui)
  const platforms = choosePlatforms(file, context)
  const symbols_path = text('symbols') ?? file.symbols
  if (symbols_path && platforms.length !== 1)
    throw new UsageError(t('build-symbols-platform'), t('build-symbols-platform-hint'))
  const symbols = symbols_path ? findSymbols(symbols_path) : []
  const bodies = (platforms.length ? platforms : [undefined]).map((platform) =>
    registration(file, platform, context),
  )
  const images = findImages(file)
  const api = await context.api()
  try {
    const builds: BuildResult[] = []
    for (const body of bodies) {
      const build = await register(api, body)
      ui.note(t('registered', { version: file.version, platform: platformName(build) }))
      builds.push(build)
    }
    if (symbols.length)
      builds[0]!.symbols = (await uploadSymbols(api, builds[0]!.build_id, symbols)).length
    const media = await uploadImages(api, images)
    return { json: { ok: true, builds, ...(media ? { media } : {}) }, lines: idLines(builds) }
  } finally {
    removeTemporary()
  }
}

/** Platform flags replace the list of the file; without --os the file must name exactly one. */
export function choosePlatforms(
  { platforms, file }: Pick<BuildFile, 'platforms' | 'file'>,
  { text }: Arguments,
): Platform[] {
  const flags = { os: text('os'), arch: text('arch'), channel: text('channel') }
  if (Object.values(flags).every((value) => value === undefined)) return platforms
  const only_platform = platforms.length === 1 ? platforms[0]! : undefined
  const os = flags.os ?? only_platform?.os
  if (!os)
    throw new UsageError(
      platforms.length
        ? t('build-os-several', { path: file.path })
        : t('build-os-none', { path: file.path }),
      t('build-os-hint'),
    )
  const same_os =
    only_platform && (!flags.os || normalizePlatform({ os: flags.os }).os === only_platform.os)
      ? only_platform
      : undefined
  const arch = flags.arch ?? same_os?.arch ?? DEFAULT_ARCH
  const channel = flags.channel ?? only_platform?.channel ?? DEFAULT_CHANNEL
  return [normalizePlatform({ os, arch, channel })]
}

function registration(
  file: BuildFile,
  platform: Platform | undefined,
  { text }: Arguments,
): Record<string, unknown> {
  const { title, version, description, type: build_type, video: demo_url, changelog } = file
  const app =
    text('app') === undefined && text('app-name') === undefined
      ? { app: file.app, app_name: file.app_name }
      : flaggedApp(file, text)
  return registrationBody({
    build: title,
    build_type,
    version,
    title,
    description,
    ...platform,
    ...app,
    demo_url,
    engine_version:
      text('engine-version') === undefined
        ? file.engine_version
        : readEngineVersion(text('engine-version')),
    coep: text('coep') ?? file.coep,
    ...(changelog.length ? { changelog_items: changelog } : {}),
  })
}

const flaggedApp = (file: { app: string; app_name: string }, text: Arguments['text']) =>
  readAppId({
    app: text('app') ?? file.app,
    app_name: text('app-name') ?? (text('app') === undefined ? file.app_name : ''),
  })

type Images = { cover?: Image; thumbnail?: Image; gallery: Image[] }

/** Checks every image before the first one is sent. */
function findImages({ media }: BuildFile): Images {
  return {
    ...(media.cover ? { cover: findImage(media.cover, 'cover') } : {}),
    ...(media.thumbnail ? { thumbnail: findImage(media.thumbnail, 'thumbnail') } : {}),
    gallery: media.gallery.map((path) => findImage(path, 'gallery')),
  }
}

/** Sends the images that the page does not have yet, so that a second run changes nothing. */
async function uploadImages(
  api: Api,
  { cover, thumbnail, gallery }: Images,
): Promise<Media | undefined> {
  const covers = cover ? [cover] : []
  const thumbnails = thumbnail ? [thumbnail] : []
  const named = covers.length + thumbnails.length + gallery.length
  if (named === 0) return undefined
  let media = await readMedia(api)
  const missing: [MediaKind, Image[]][] = [
    ['cover', missingImages(covers, [media.cover])],
    ['thumbnail', missingImages(thumbnails, [media.thumbnail])],
    [
      'gallery',
      missingImages(
        gallery,
        media.gallery.map(({ url }) => url),
      ),
    ],
  ]
  for (const [kind, images] of missing)
    if (images.length) media = await sendImages(api, kind, images)
  const sent = missing.reduce((sum, [, images]) => sum + images.length, 0)
  const images = t('count-images', { count: sent })
  api.ui.note(t('images-sent', { images, count: String(named - sent) }))
  return media
}
