import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { MAX_CHANGELOG, MAX_DESCRIPTION, MAX_TITLE } from '../../src/builds/build-limits.ts'
import {
  type ChangelogItem,
  type Coep,
  readApp,
  readBuildType,
  readCoep,
} from '../../src/builds/builds/fields.ts'
import { normalizeVersion } from '../../src/listings/fields/engine-versions.ts'
import { MAX_VERSION, markdown, plainText, requiredText } from '../../src/listings/fields/text.ts'
import { galleryLimits } from '../../src/listings/media/image-rules.ts'
import { UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import {
  type App,
  checkWithServerRule,
  DEFAULT_ARCH,
  DEFAULT_CHANNEL,
  normalizePlatform,
  type Platform,
} from '../publish/registration.ts'
import type { Ui } from '../terminal/ui.ts'
import { checkField, listOf, type Mapping, mapping, readYaml, type YamlFile } from './yaml.ts'

export type BuildFile = App & {
  file: YamlFile
  title: string
  type: string
  description: string
  version: string
  engine_version: string
  coep: Coep | undefined
  platforms: Platform[]
  video: string
  changelog: ChangelogItem[]
  symbols: string | undefined
  media: { cover?: string; thumbnail?: string; gallery: string[] }
}

const buildKeys = [
  'title',
  'type',
  'asset_type',
  'description',
  'version',
  'engine_version',
  'coep',
  'platforms',
  'os',
  'arch',
  'channel',
  'app',
  'video',
  'changelog',
  'symbols',
  'media',
  'images',
]

/** Checks the version and the spec of a file, and reads its `asset`. */
export function readAsset(file: YamlFile, spec: string, keys: readonly string[], ui: Ui): Mapping {
  const top = mapping(file, [], file.data, { known: ['version', 'spec', 'asset'], ui })
  if (top.version !== 'v1')
    throw new UsageError(t('yaml-version', { place: file.place(['version']) }))
  if (top.spec !== spec)
    throw new UsageError(
      t('yaml-spec', { place: file.place(['spec']), spec }),
      t('yaml-spec-hint', { spec }),
    )
  return mapping(file, ['asset'], top.asset, { known: keys, ui })
}

/** Reads build.yml, which describes a build for one or several platforms. */
export function readBuildFile(path: string, ui: Ui): BuildFile {
  const file = readYaml(path)
  const asset = readAsset(file, 'build', buildKeys, ui)
  const text = (key: string, max: number) =>
    checkField(file, ['asset', key], (field) => requiredText(field, asset[key], max))
  return {
    file,
    title: text('title', MAX_TITLE),
    ...readCommon(file, asset, ui),
    description: checkField(file, ['asset', 'description'], (field) => {
      requiredText(
        field,
        typeof asset.description === 'string'
          ? asset.description.replace(/\s+/g, ' ')
          : asset.description,
        MAX_DESCRIPTION,
      )
      return markdown(field, asset.description, MAX_DESCRIPTION)
    }),
    platforms: readPlatforms(file, asset, ui),
    video: checkField(file, ['asset', 'video'], (field) => plainText(field, asset.video, 255)),
    changelog: readChangelog(file, asset, ui),
    media: readMedia(file, asset, ui),
  }
}

/** The fields that build.yml and addfiles.yml have in common. */
export function readCommon(file: YamlFile, asset: Mapping, ui: Ui) {
  if (asset.asset_type !== undefined)
    ui.warn(t('yaml-asset-type', { place: file.place(['asset', 'asset_type']) }))
  const type_key =
    asset.type === undefined && asset.asset_type !== undefined ? 'asset_type' : 'type'
  const app =
    asset.app === undefined || asset.app === ''
      ? {}
      : mapping(file, ['asset', 'app'], asset.app, { known: ['id', 'name'], ui })
  const symbols = checkField(file, ['asset', 'symbols'], (field) =>
    plainText(field, asset.symbols, 4096),
  )
  return {
    type: checkField(file, ['asset', type_key], (field) =>
      readBuildType(field, requiredText(field, asset[type_key], 32)),
    ),
    version: checkField(file, ['asset', 'version'], (field) =>
      requiredText(field, asset.version, MAX_VERSION),
    ),
    engine_version: readEngineVersion(
      asset.engine_version,
      `${file.place(['asset', 'engine_version'])}: `,
    ),
    coep: checkWithServerRule(() => readCoep(asset.coep), `${file.place(['asset', 'coep'])}: `),
    ...readAppId({ app: app.id, app_name: app.name }, `${file.place(['asset', 'app'])}: `),
    symbols: symbols ? locate(file, symbols) : undefined,
  }
}

export function readAppId(sent: { app: unknown; app_name: unknown }, where = ''): App {
  const { app, app_name } = checkWithServerRule(() => readApp(sent), where)
  return { app, app_name: app_name ?? '' }
}

export function readEngineVersion(value: unknown, where = ''): string {
  if (value === undefined || value === null || value === '') return ''
  const version = typeof value === 'string' ? normalizeVersion(value) : null
  if (version) return version
  throw new UsageError(t('yaml-engine-version', { where }))
}

/** Resolves a path in a file: relative to the file, or else to the current folder. */
export function locate(file: YamlFile, path: string): string {
  const beside_file = resolve(dirname(file.path), path)
  const in_current_folder = resolve(path)
  const use_current = !existsSync(beside_file) && existsSync(in_current_folder)
  return use_current ? in_current_folder : beside_file
}

const withDefaults = ({ os, arch, channel }: Platform): Platform => ({
  os,
  arch: arch || DEFAULT_ARCH,
  channel: channel || DEFAULT_CHANNEL,
})

function readPlatforms(file: YamlFile, asset: Mapping, ui: Ui): Platform[] {
  const listed = listOf(file, ['asset', 'platforms'], asset.platforms).map((value, i) => {
    const path = ['asset', 'platforms', i]
    const platform = normalizePlatform(
      mapping(file, path, value, { known: ['os', 'arch', 'channel'], ui }),
      `${file.place(path)}: `,
    )
    if (!platform.os) throw new UsageError(t('yaml-platform-os', { place: file.place(path) }))
    return withDefaults(platform)
  })
  const single = normalizePlatform(
    { os: asset.os, arch: asset.arch, channel: asset.channel } as Partial<Platform>,
    `${file.place(['asset', 'os'])}: `,
  )
  if (listed.length && single.os)
    throw new UsageError(t('yaml-platforms-or-os', { place: file.place(['asset', 'os']) }))
  if (listed.length) return listed
  return single.os ? [withDefaults(single)] : []
}

function readChangelog(file: YamlFile, asset: Mapping, ui: Ui): ChangelogItem[] {
  const path = ['asset', 'changelog']
  const items = listOf(file, path, asset.changelog)
  if (items.length > MAX_CHANGELOG)
    throw new UsageError(
      t('yaml-changelog', {
        place: file.place(path),
        max: String(MAX_CHANGELOG),
        count: String(items.length),
      }),
    )
  return items.map((value, i) => {
    const item = mapping(file, [...path, i], value, { known: ['title', 'description'], ui })
    return {
      title: checkField(file, [...path, i, 'title'], (field) =>
        requiredText(field, item.title, MAX_TITLE),
      ),
      description: checkField(file, [...path, i, 'description'], (field) =>
        markdown(field, item.description, MAX_DESCRIPTION),
      ),
    }
  })
}

function readMedia(file: YamlFile, asset: Mapping, ui: Ui): BuildFile['media'] {
  const path = ['asset', 'media']
  const media =
    asset.media === undefined || asset.media === ''
      ? {}
      : mapping(file, path, asset.media, { known: ['cover', 'thumbnail', 'gallery'], ui })
  const imagePath = (at: (string | number)[], value: unknown) =>
    locate(
      file,
      checkField(file, at, (field) => requiredText(field, value, 4096)),
    )
  const gallery = [
    ...listOf(file, [...path, 'gallery'], media.gallery).map((value, i) =>
      imagePath([...path, 'gallery', i], value),
    ),
    ...listOf(file, ['asset', 'images'], asset.images).map((value, i) =>
      imagePath(['asset', 'images', i], value),
    ),
  ]
  if (gallery.length > galleryLimits.max)
    throw new UsageError(
      t('yaml-gallery', {
        place: file.place(path),
        max: String(galleryLimits.max),
        count: String(gallery.length),
      }),
    )
  return {
    ...(media.cover ? { cover: imagePath([...path, 'cover'], media.cover) } : {}),
    ...(media.thumbnail ? { thumbnail: imagePath([...path, 'thumbnail'], media.thumbnail) } : {}),
    gallery,
  }
}
