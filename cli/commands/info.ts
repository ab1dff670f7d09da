import type { Command } from '../command.ts'
import { count, table } from '../documents/text.ts'
import { type Data, isObject } from '../http/api.ts'

export const info: Command = {
  name: 'info',
  summary: 'Show the game that your deploy key belongs to',
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
  const messages = (items: unknown) => list(items).map(({ message }) => `  - ${String(message)}`)
  return [
    `${String(data.name)}`,
    `page        ${String(data.url)}`,
    `game uid    ${String(data.game_uid)}`,
    `visibility  ${String(data.visibility)}, ${String(data.status)}`,
    `builds      ${String(data.builds)}`,
    `images      ${[
      media.cover ? 'cover' : 'no cover',
      media.thumbnail ? 'thumbnail' : 'no thumbnail',
      count(list(media.gallery).length, 'gallery image'),
    ].join(', ')}`,
    ...(channels.length ? ['channels'] : ['channels    none yet']),
    ...table(
      channels.map(({ channel, app, version, build_id }) => [
        '',
        String(channel),
        String(app ?? ''),
        String(version ?? ''),
        String(build_id),
      ]),
    ),
    lint.ready ? 'the page is ready to go public' : 'before the page can go public:',
    ...messages(lint.errors),
    ...(list(lint.warnings).length ? ['recommended:', ...messages(lint.warnings)] : []),
  ]
}

const list = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isObject) : [])
