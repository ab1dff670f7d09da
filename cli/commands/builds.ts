import type { Command, Context, Outcome } from '../command.ts'
import { count, table } from '../documents/text.ts'
import { UsageError } from '../errors.ts'
import { type Data, isObject } from '../http/api.ts'
import { normalizePlatform, platformFlags } from '../publish/registration.ts'

export const buildsList: Command = {
  name: 'builds list',
  summary: 'List the builds of your game, newest first',
  flags: [
    { name: 'version', value: '<version>', summary: 'Only this version' },
    ...platformFlags,
    { name: 'page', value: '<n>', summary: 'Page, from 1 to 10000', default: '1' },
    { name: 'page-size', value: '<n>', summary: 'Builds per page, from 1 to 100', default: '20' },
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
    total > builds.length ? [`page ${page} of ${pages}, ${count(total, 'build')} in total`] : []
  const lines = [...table([HEADINGS, ...builds.map(toRow)]), ...page_lines]
  return {
    json: { ok: true, builds, page: data.page, page_size: data.page_size, total: data.total },
    lines: builds.length ? lines : ['no builds'],
  }
}

const HEADINGS = ['VERSION', 'PLATFORM', 'CHANNEL', 'APP', 'SCAN', 'SYMBOLS', 'BUILD']

function toRow(build: Data): string[] {
  const [newest] = Array.isArray(build.files) ? build.files.filter(isObject) : []
  return [
    String(build.version),
    [build.os, build.arch].filter(Boolean).join('/') || '-',
    String(build.channel),
    String(build.app || '-'),
    newest ? String(newest.scan) : 'no file',
    String(build.symbols),
    String(build.build_id),
  ]
}

function wholeNumber(name: string, text: string, max: number): string {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > max)
    throw new UsageError(`--${name}: use a whole number from 1 to ${max}, not "${text}"`)
  return String(value)
}
