import {
  MAIN_APP,
  type Platform,
  readApp,
  readBuildType,
  readChecksum,
  readFilePlatform,
} from '../builds/builds/fields.ts'
import { type Build, findBuild, findNamedBuild } from '../builds/builds/queries.ts'
import { readHead } from '../builds/channels/queries.ts'
import { NOTHING_BESIDE, readReleasePercent } from '../builds/channels/staged-release.ts'
import type { Sql } from '../core/database/sql.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { isUuid } from '../core/security/crypto.ts'
import { invalidField } from '../listings/fields/text.ts'

const MAX_FILENAME = 255

/** The build that an upload belongs to, with the platform, name and checksum of the file. */
export type UploadTarget = Platform & {
  build: Build
  checksum: string
  filename: string
  /** The part of the devices that the file is for; null if the uploader did not say. */
  release_percent: number | null
}
export type UploadFields = Record<string, string | undefined>
/** The fields of an upload; with `is_partial`, others may still follow its file. */
export type UploadForm = { fields: UploadFields; filename: string; is_partial?: boolean }

/** Whether the fields so far name a build, so that a bad upload is refused before its bytes. */
export const isComplete = ({ checksum, build_id, build, build_type, version }: UploadFields) =>
  checksum !== undefined &&
  (build_id !== undefined ||
    (build !== undefined && build_type !== undefined && version !== undefined))

export async function findTarget(
  sql: Sql,
  game_uid: string,
  form: UploadForm,
): Promise<UploadTarget> {
  const { fields, filename } = form
  const platform = readFilePlatform(fields)
  const checksum = readChecksum(fields.checksum)
  const release_percent = readReleasePercent(fields.percent)
  const build = await findTargetBuild(sql, game_uid, form, platform)
  const target = {
    build,
    checksum,
    filename: readZipName(filename),
    os: platform.os || build.os,
    arch: platform.arch || inheritedArch(build, platform),
    channel: platform.channel || build.channel,
    release_percent,
  }
  await checkStageable(sql, target)
  return target
}

/** A build is staged beside another one, which the other devices keep. */
async function checkStageable(sql: Sql, target: UploadTarget): Promise<void> {
  const { build, release_percent, os, arch, channel } = target
  if ((release_percent ?? 100) === 100) return
  const { uid, game_uid, app } = build
  const head = await readHead(sql, { game_uid, app, channel, os, arch })
  if (!head || head.uid === uid) refuse('INVALID_UPLOAD', { field: 'percent' }, NOTHING_BESIDE)
}

/**
 * A file without an architecture has that of its build. If the build has it only from its first
 * file, it says nothing about files for other systems.
 */
const inheritedArch = (build: Build, { os }: Platform) =>
  os === '' || os === build.os ? build.arch : build.registered_arch

/** A build of another app than the one the fields name, or without one the main app, is refused. */
async function findTargetBuild(
  sql: Sql,
  game_uid: string,
  { fields, is_partial = false }: UploadForm,
  platform: Platform,
): Promise<Build> {
  const { app } = readApp(fields)
  const { build_id, build, build_type, version } = fields
  if (build_id) {
    const match = isUuid(build_id) ? await findBuild(sql, game_uid, build_id) : undefined
    if (!match) refuse('BUILD_NOT_REGISTERED')
    const app_may_follow = is_partial && fields.app === undefined
    return match.app === app || app_may_follow ? match : refuseOtherApp(match)
  }
  if (!build || !build_type || !version) refuse('BUILD_NOT_SPECIFIED')
  const type = readBuildType({ refusal: 'BUILD_NOT_SPECIFIED', field: 'build_type' }, build_type)
  const name = { app, build, build_type: type, version, ...platform }
  return (await findNamedBuild(sql, game_uid, name)) ?? refuse('BUILD_NOT_REGISTERED')
}

export const refuseOtherApp = ({ app }: Build): never =>
  refuse(
    'BUILD_NOT_REGISTERED',
    { app },
    app === MAIN_APP
      ? 'This build belongs to the main app; leave app out'
      : `This build belongs to another app; send app=${app} with it`,
  )

/** The file name without the folders that some clients send with it. */
function readZipName(filename: string): string {
  const name = filename.split(/[/\\]/).at(-1)!.trim()
  const field = { refusal: 'INVALID_UPLOAD', field: 'file' } as const
  if (!/\.zip$/i.test(name) || name.length > MAX_FILENAME || /[\p{Cc}\p{Cs}]/u.test(name))
    invalidField(field, explain('not_zip', 'the file must be a .zip'))
  return name
}
