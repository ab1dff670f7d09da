import { formatBytes } from '../../src/core/runtime/format-bytes.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { count, isUuid, table } from '../documents/text.ts'
import { exits, UsageError } from '../errors.ts'
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
  summary: 'Show a build, its files and their scan results',
  details: [
    `Exit code ${exits.not_clean} when the newest file of a platform was rejected, ` +
      'and with --wait also when it is not clean in time.',
  ],
  args: [{ name: '<build_id>', summary: 'The ID that build, addfiles and push print' }],
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
  throw new UsageError(`"${text}" is not a build ID`, 'slipway builds list shows them')
}

function lines(build: ScannedBuild): string[] {
  const current = new Set(currentFiles(build.files))
  return [
    `build    ${String(build.build_id)}`,
    `version  ${String(build.version)}, ${platformName(build)}`,
    `symbols  ${String(build.symbols)}`,
    `files    ${build.files.length ? count(build.files.length, 'file') : 'none yet'}`,
    ...table(
      build.files.map((file) => [
        '',
        file.scan,
        formatBytes(file.size),
        file.filename,
        platformName(file),
        note(file, current),
      ]),
    ),
  ]
}

const note = (file: ScannedFile, current: Set<ScannedFile>) =>
  file.findings ?? (current.has(file) ? '' : '(an earlier upload)')
