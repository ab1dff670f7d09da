import {
  type Platform,
  readApp,
  readBuildType,
  readChecksum,
  readFilePlatform,
} from '../builds/builds/fields.ts'
import { type Build, findBuild, findNamedBuild } from '../builds/builds/queries.ts'
import type { Sql } from '../core/database/sql.ts'
import { refuse } from '../core/runtime/errors.ts'
import { isUuid } from '../core/security/crypto.ts'
import { invalidField } from '../listings/fields/text.ts'

const MAX_FILENAME = 255

/** Where an upload goes: a build, and what the file says beyond it. */
export type Target = Platform & { build: Build; checksum: string; filename: string }
export type Fields = Record<string, string | undefined>

/** Whether the fields that came so far already name everything, so that a bad upload is refused before its bytes are sent. */
export const isComplete = ({ checksum, build_id, build, build_type, version }: Fields) =>
  checksum !== undefined &&
  (build_id !== undefined ||
    (build !== undefined && build_type !== undefined && version !== undefined))

export async function findTarget(
  sql: Sql,
  game_uid: string,
  fields: Fields,
  filename: string,
): Promise<Target> {
  const platform = readFilePlatform(fields)
  const checksum = readChecksum(fields.checksum)
  const build = await identify(sql, game_uid, fields, platform)
  return {
    build,
    checksum,
    filename: zipName(filename),
    os: platform.os || build.os,
    arch: platform.arch || build.arch,
    channel: platform.channel || build.channel,
  }
}

/** A build of another app is no build of the app that is named. */
async function identify(
  sql: Sql,
  game_uid: string,
  fields: Fields,
  platform: Platform,
): Promise<Build> {
  const { app } = readApp(fields)
  const { build_id, build, build_type, version } = fields
  if (build_id) {
    const found = isUuid(build_id) ? await findBuild(sql, game_uid, build_id) : undefined
    return found && (!app || found.app === app) ? found : refuse('BUILD_NOT_REGISTERED')
  }
  if (!build || !build_type || !version) refuse('BUILD_NOT_SPECIFIED')
  const type = readBuildType({ refusal: 'BUILD_NOT_SPECIFIED', field: 'build_type' }, build_type)
  return (
    (await findNamedBuild(sql, game_uid, { app, build, build_type: type, version, ...platform })) ??
    refuse('BUILD_NOT_REGISTERED')
  )
}

/** The name alone, without the folders some clients send before it. */
export function zipName(sent: string): string {
  const name = sent.split(/[/\\]/).at(-1)!.trim()
  const at = { refusal: 'INVALID_UPLOAD', field: 'file' } as const
  if (!/\.zip$/i.test(name) || name.length > MAX_FILENAME || /[\p{Cc}\p{Cs}]/u.test(name))
    invalidField(at, 'the file must be a .zip')
  return name
}
