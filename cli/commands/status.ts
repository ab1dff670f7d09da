import type { Command, Context, Outcome } from '../command.ts'
import { isUuid, table } from '../documents/text.ts'
import { exits, UsageError } from '../errors.ts'
import { formatSize, later, t } from '../messages.ts'
import { platformName } from '../publish/publish.ts'
import {
  currentFiles,
  readBuild,
  readMinutes,
  requireClean,
  type ScannedBuild,
  type ScannedFile,
  waitForScan,
} from '../publish/scan.ts'
import { waitFlags } from './push.ts'

export const status: Command = {
  name: 'status',
  summary: later('status'),
  details: [later('status-details', { code: String(exits.not_clean) })],
  args: [{ name: '<build_id>', summary: later('status-build') }],
  flags: waitFlags,
  examples: ['slipway status 0198c0de-0000-7000-8000-000000000000 --wait'],
  run: runStatus,
}

async function runStatus(context: Context): Promise<Outcome> {
  const build_id = buildId(context.args[0]!)
  const minutes = readMinutes(context.text('wait-minutes'))
  const api = await context.api()
  if (context.has('wait') && (await readBuild(api, build_id)).files.length)
    await waitForScan(api, build_id, currentFiles, minutes)
  const build = await readBuild(api, build_id)
  const files = currentFiles(build.files)
  const judged = context.has('wait') ? files : files.filter(({ scan }) => scan !== 'scanning')
  if (!context.has('json')) context.ui.print(`${lines(build).join('\n')}\n`)
  requireClean(judged, { build })
  return { json: { ok: true, build }, lines: [] }
}

export function buildId(text: string): string {
  if (isUuid(text)) return text
  throw new UsageError(t('status-not-id', { text }), t('status-not-id-hint'))
}

function lines(build: ScannedBuild): string[] {
  const current = new Set(currentFiles(build.files))
  return [
    ...table([
      [t('status-label-build'), String(build.build_id)],
      [t('status-label-version'), `${String(build.version)}, ${platformName(build)}`],
      [t('status-label-symbols'), String(build.symbols)],
      [
        t('status-label-files'),
        build.files.length ? t('count-files', { count: build.files.length }) : t('status-no-files'),
      ],
    ]),
    ...table(
      build.files.map((file) => [
        '',
        file.scan,
        formatSize(file.size),
        file.filename,
        platformName(file),
        note(file, current),
      ]),
    ),
  ]
}

const note = (file: ScannedFile, current: Set<ScannedFile>) =>
  file.findings ?? (current.has(file) ? '' : t('status-earlier'))
