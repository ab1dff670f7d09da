import type { Command, Context, Outcome } from '../command.ts'
import { table } from '../documents/text.ts'
import { UsageError } from '../errors.ts'
import { type Data, isObject } from '../http/api.ts'
import { later, t } from '../messages.ts'
import { normalizePlatform, platformFlags } from '../publish/registration.ts'

export const buildsList: Command = {
  name: 'builds list',
  summary: later('builds-list'),
  flags: [
    { name: 'version', value: '<version>', summary: later('builds-list-version') },
    ...platformFlags,
    { name: 'page', value: '<n>', summary: later('builds-list-page'), default: '1' },
    { name: 'page-size', value: '<n>', summary: later('builds-list-page-size'), default: '20' },
  ],
  examples: ['slipway builds list --channel beta', 'slipway builds list --version 1.2.0 --json'],
  run: listBuilds,
}

async function listBuilds(context: Context): Promise<Outcome> {
  const { text } = context
  const platform = normalizePlatform({
    os: text('os'),
    arch: text('arch'),
    channel: text('channel'),
  })
  const page = wholeNumber('page', text('page')!, 10_000)
  const page_size = wholeNumber('page-size', text('page-size')!, 100)
  const filter = { version: text('version') ?? '', ...platform, page, page_size }
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''))
  const api = await context.api()
  const data = await api.get(`/tool/builds?${query}`)
  const builds = Array.isArray(data.builds) ? data.builds.filter(isObject) : []
  const total = Number(data.total ?? builds.length)
  const pages = Math.ceil(total / Number(page_size))
  const page_lines =
    total > builds.length
      ? [
          t('builds-page', {
            page,
            pages: String(pages),
            builds: t('count-builds', { count: total }),
          }),
        ]
      : []
  const lines = [...table([headings(), ...builds.map(toRow)]), ...page_lines]
  return {
    json: { ok: true, builds, page: data.page, page_size: data.page_size, total: data.total },
    lines: builds.length ? lines : [t('builds-none')],
  }
}

const headings = () => [
  t('builds-version'),
  t('builds-platform'),
  t('builds-channel'),
  t('builds-app'),
  t('builds-scan'),
  t('builds-symbols'),
  t('builds-build'),
]

function toRow(build: Data): string[] {
  const [newest] = Array.isArray(build.files) ? build.files.filter(isObject) : []
  return [
    String(build.version),
    [build.os, build.arch].filter(Boolean).join('/') || '-',
    String(build.channel),
    String(build.app || '-'),
    newest ? String(newest.scan) : t('builds-no-file'),
    String(build.symbols),
    String(build.build_id),
  ]
}

function wholeNumber(name: string, text: string, max: number): string {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > max)
    throw new UsageError(t('whole-number', { flag: name, min: '1', max: String(max), text }))
  return String(value)
}
