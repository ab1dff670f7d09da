import type { Command } from '../command.ts'
import { table } from '../documents/text.ts'
import { type Data, isObject } from '../http/api.ts'
import { formatSize, later, t } from '../messages.ts'

export const info: Command = {
  name: 'info',
  summary: later('info'),
  examples: ['slipway info', 'slipway info --json'],
  async run(context) {
    const api = await context.api()
    const data = await api.get('/tool/info')
    return { json: { ok: true, info: data }, lines: lines(data) }
  },
}

function lines(data: Data): string[] {
  const channels = list(data.channels)
  const lint = isObject(data.lint) ? data.lint : {}
  const media = isObject(data.media) ? data.media : {}
  const messages = (items: unknown) =>
    list(items).flatMap(({ message, details }) => [
      `  - ${String(message)}`,
      ...(Array.isArray(details) ? details.map((text) => `      ${String(text)}`) : []),
    ])
  return [
    `${String(data.name)}`,
    ...table([
      ...(data.store_name ? [[t('info-store'), String(data.store_name)]] : []),
      [t('info-page'), String(data.url)],
      [t('info-uid'), String(data.game_uid)],
      [t('info-visibility'), `${String(data.visibility)}, ${String(data.status)}`],
      [t('info-builds'), String(data.builds)],
      [t('info-images'), imagesOf(media)],
      ...storageRow(data.storage),
      [t('info-channels'), channels.length ? '' : t('info-no-channels')],
    ]),
    ...table(
      channels.map(({ channel, app, version, build_id }) => [
        '',
        String(channel),
        String(app ?? ''),
        String(version ?? ''),
        String(build_id),
      ]),
    ),
    lint.ready ? t('info-ready') : t('info-not-ready'),
    ...messages(lint.errors),
    ...(list(lint.warnings).length ? [t('info-recommended'), ...messages(lint.warnings)] : []),
  ]
}

const imagesOf = (media: Data): string =>
  [
    media.cover ? t('info-cover') : t('info-no-cover'),
    media.thumbnail ? t('info-thumbnail') : t('info-no-thumbnail'),
    t('count-gallery-images', { count: list(media.gallery).length }),
  ].join(', ')

/** A store from before quotas does not say what it stores. */
function storageRow(storage: unknown): string[][] {
  const { developers } = isObject(storage) ? storage : {}
  if (!isObject(developers)) return []
  const used = formatSize(Number(developers.used_bytes))
  const { limit_bytes } = developers
  if (limit_bytes === null) return [[t('info-storage'), used]]
  return [
    [t('info-storage'), t('info-storage-of', { used, limit: formatSize(Number(limit_bytes)) })],
  ]
}

const list = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isObject) : [])
