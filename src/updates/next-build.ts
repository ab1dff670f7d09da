import { isSamePlace, readStaged } from '../builds/channels/staged-queries.ts'
import type { VisibleFile } from '../builds/files/queries.ts'
import type { Core } from '../core/runtime/core.ts'
import type { NextBuild } from './manifest.ts'

/** The address of the manifest of a build for a platform. */
export function manifestUrl(
  { addresses }: Pick<Core, 'addresses'>,
  game_uid: string,
  build_id: string,
  { os, arch, app }: Pick<VisibleFile, 'os' | 'arch' | 'app'>,
): string {
  const path = `/api/v1/public/games/${game_uid}/builds/${build_id}/manifest`
  return `${addresses.base_url}${path}?${new URLSearchParams({ os, arch, app })}`
}

/** What a channel delivers to a part of the devices instead of this file. */
export async function findNext(
  core: Core,
  file: VisibleFile,
  channel: string,
): Promise<NextBuild | null> {
  const { game_uid } = file
  const staged = (await readStaged(core.sql, game_uid)).find((release) =>
    isSamePlace(release, { ...file, channel }),
  )
  if (!staged) return null
  const { build_uid: build_id, version, percent } = staged
  return { build_id, version, percent, manifest_url: manifestUrl(core, game_uid, build_id, file) }
}
