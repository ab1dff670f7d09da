import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, parse, relative, resolve } from 'node:path'
import { isMap, isSeq, stringify } from 'yaml'
import { MAX_CHANGELOG, MAX_DESCRIPTION, MAX_TITLE } from '../../src/builds/build-limits.ts'
import { readBuildType } from '../../src/builds/builds/fields.ts'
import { MAX_VERSION, markdown, requiredText } from '../../src/listings/fields/text.ts'
import { galleryLimits } from '../../src/listings/media/image-rules.ts'
import type { Arguments, Command, Outcome } from '../command.ts'
import { readAppId, readBuildFile, readEngineVersion } from '../documents/build-file.ts'
import { readYaml } from '../documents/yaml.ts'
import { UsageError } from '../errors.ts'
import { later, t } from '../messages.ts'
import {
  appFlags,
  checkWithServerRule,
  DEFAULT_ARCH,
  DEFAULT_CHANNEL,
  engineFlag,
  normalizePlatform,
  platformFlags,
  symbolsFlag,
} from '../publish/registration.ts'
import { posixPath, readTree, unreadable } from '../zip/tree.ts'

const BUILD_FILE = 'build.yml'
const FILES_FILE = 'addfiles.yml'
const versionFlag = {
  name: 'version',
  value: '<version>',
  summary: later('flag-build-version'),
  default: '0.0.1',
}

export const genbuild: Command = {
  name: 'genbuild',
  is_local: true,
  summary: later('genbuild'),
  flags: [
    versionFlag,
    engineFlag,
    {
      name: 'images',
      value: '<dir>',
      summary: later('genbuild-images'),
    },
    ...appFlags,
    { name: 'force', summary: later('genbuild-force') },
  ],
  examples: ['slipway genbuild --version 1.0.0', 'slipway genbuild --images store --force'],
  async run(context) {
    const path = join(context.cwd, BUILD_FILE)
    if (existsSync(path) && !context.has('force'))
      throw new UsageError(t('genbuild-exists'), t('genbuild-exists-hint'))
    const images = context.text('images')
    const media = images ? findImages(images, context.cwd) : {}
    const asset = {
      title: t('genbuild-title'),
      type: 'game',
      description: t('genbuild-description'),
      ...commonFields(context),
      platforms: [{ os: 'windows', arch: DEFAULT_ARCH, channel: DEFAULT_CHANNEL }],
      ...(Object.keys(media).length ? { media } : {}),
    }
    const done = t('file-written', { path: BUILD_FILE })
    return writeDocument(path, BUILD_FILE, { version: 'v1', spec: 'build', asset }, done)
  },
}

export const addchangelog: Command = {
  name: 'addchangelog',
  is_local: true,
  summary: later('addchangelog'),
  flags: [
    { name: 'title', value: '<title>', summary: later('addchangelog-title'), required: true },
    {
      name: 'description',
      value: '<text>',
      summary: later('addchangelog-description'),
      required: true,
    },
  ],
  examples: ['slipway addchangelog --title "New level" --description "The lighthouse."'],
  async run({ cwd, text, ui }) {
    const path = join(cwd, BUILD_FILE)
    const at = (field: string) => ({ refusal: 'INVALID_REGISTRATION', field }) as const
    const title = checkWithServerRule(() => requiredText(at('--title'), text('title'), MAX_TITLE))
    const description = checkWithServerRule(() =>
      markdown(at('--description'), text('description'), MAX_DESCRIPTION),
    )
    const { changelog } = readBuildFile(path, ui)
    if (changelog.length >= MAX_CHANGELOG)
      throw new UsageError(t('addchangelog-full', { max: String(MAX_CHANGELOG) }))
    // Changed in place, so that comments and order stay as they were written.
    const { document } = readYaml(path)
    const asset = document.get('asset')
    const entry = document.createNode({ title, description })
    if (isMap(asset) && isSeq(asset.get('changelog'))) document.addIn(['asset', 'changelog'], entry)
    else document.setIn(['asset', 'changelog'], [entry])
    save(path, String(document))
    return {
      json: { ok: true, file: BUILD_FILE, entries: changelog.length + 1 },
      lines: [t('addchangelog-done', { count: changelog.length + 1 })],
    }
  },
}

export const setfiles: Command = {
  name: 'setfiles',
  is_local: true,
  summary: later('setfiles'),
  flags: [
    { name: 'files', value: '<dir>', summary: later('setfiles-files'), required: true },
    ...platformFlags.map((flag) => ({
      ...flag,
      default: { os: 'windows', arch: DEFAULT_ARCH, channel: DEFAULT_CHANNEL }[flag.name],
    })),
    versionFlag,
    { name: 'type', value: '<type>', summary: later('flag-type'), default: 'game' },
    engineFlag,
    symbolsFlag,
    ...appFlags,
  ],
  examples: ['slipway setfiles --files build/linux --os linux --version 1.0.0'],
  async run(context) {
    const { text, cwd } = context
    const folder = resolve(cwd, text('files')!)
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw unreadable(text('files')!, { code: existsSync(folder) ? 'ENOTDIR' : 'ENOENT' })
    const root = posixPath(relative(cwd, folder)) || '.'
    const { items } = readTree(folder)
    const files = items
      .filter(({ kind }) => kind !== 'folder')
      .map(({ path }) => ({ file: root === '.' ? path : `${root}/${path}` }))
    if (files.length === 0) throw new UsageError(t('setfiles-empty', { folder: text('files')! }))
    const type = checkWithServerRule(() =>
      readBuildType({ refusal: 'INVALID_REGISTRATION', field: '--type' }, text('type')),
    )
    const platform = normalizePlatform({
      os: text('os'),
      arch: text('arch'),
      channel: text('channel'),
    })
    const symbols = text('symbols')
    const asset = {
      type,
      ...commonFields(context),
      ...platform,
      ...(symbols ? { symbols } : {}),
      root,
      files,
    }
    return writeDocument(
      join(cwd, FILES_FILE),
      FILES_FILE,
      { version: 'v1', spec: 'addfiles', asset },
      t('setfiles-done', { files: t('count-files', { count: files.length }) }),
    )
  },
}

function commonFields({ text }: Arguments) {
  const version = checkWithServerRule(() =>
    requiredText(
      { refusal: 'INVALID_REGISTRATION', field: '--version' },
      text('version'),
      MAX_VERSION,
    ),
  )
  const engine_version = readEngineVersion(text('engine-version'))
  const { app: id, app_name: name } = readAppId({ app: text('app'), app_name: text('app-name') })
  return {
    version,
    ...(engine_version ? { engine_version } : {}),
    ...(id ? { app: { id, ...(name ? { name } : {}) } } : {}),
  }
}

type ListedMedia = { cover?: string; thumbnail?: string; gallery?: string[] }

/** The images of a folder: cover and thumbnail by name, the others for the gallery. */
function findImages(folder: string, cwd: string): ListedMedia {
  const full = resolve(cwd, folder)
  if (!statSync(full, { throwIfNoEntry: false })?.isDirectory())
    throw unreadable(folder, { code: existsSync(full) ? 'ENOTDIR' : 'ENOENT' })
  const images = readdirSync(full)
    .filter((name) => /\.(png|jpe?g|gif|webp)$/i.test(name))
    .sort()
  const stem = (name: string) => parse(name).name.toLowerCase()
  const named = (kind: 'cover' | 'thumbnail') => images.filter((name) => stem(name) === kind)
  for (const kind of ['cover', 'thumbnail'] as const)
    if (named(kind).length > 1)
      throw new UsageError(
        t('genbuild-two-images', { folder, kind, names: named(kind).join(', ') }),
      )
  const gallery = images.filter((name) => !['cover', 'thumbnail'].includes(stem(name)))
  if (gallery.length > galleryLimits.max)
    throw new UsageError(
      t('genbuild-many-images', {
        folder,
        count: String(gallery.length),
        max: String(galleryLimits.max),
      }),
    )
  const pathOf = (name: string) => posixPath(relative(cwd, join(full, name)))
  const [cover] = named('cover')
  const [thumbnail] = named('thumbnail')
  return {
    ...(cover ? { cover: pathOf(cover) } : {}),
    ...(thumbnail ? { thumbnail: pathOf(thumbnail) } : {}),
    ...(gallery.length ? { gallery: gallery.map(pathOf) } : {}),
  }
}

function writeDocument(path: string, name: string, content: unknown, done: string): Outcome {
  save(path, stringify(content, { lineWidth: 0 }))
  return { json: { ok: true, file: name }, lines: [done] }
}

function save(path: string, text: string) {
  try {
    writeFileSync(path, text)
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code)
    throw new UsageError(t('file-unwritable', { path, code }))
  }
}
