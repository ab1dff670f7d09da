import type { Identity } from '../accounts/sessions/identity.ts'
import { authorizeFileAccess } from '../builds/channels/access.ts'
import { readVisibleFiles, type VisibleFile } from '../builds/files/queries.ts'
import type { Core } from '../core/runtime/core.ts'
import { findPlayable, type PlayedBuild } from './access.ts'
import { playOrigins } from './origin.ts'
import { startLink } from './start-link.ts'

/** A build that can be played here, and where. */
export type PlayOffer = {
  file: VisibleFile
  build: PlayedBuild
  /** The origin of the game. */
  origin: string
  /** The address of the game; of a game that not everyone may play, it works for minutes. */
  url: string
}

/** Why there is nothing to play. */
export type NothingToPlay = 'no_build' | 'not_set_up' | 'sign_in' | 'purchase'

/** The newest build of the channel that the person is on: the stable one for most people. */
export async function offerPlay(
  core: Core,
  who: Identity | null,
  game_uid: string,
): Promise<PlayOffer | NothingToPlay> {
  const { sql, addresses } = core
  const { access } = await authorizeFileAccess(sql, who, game_uid)
  const files = (await readVisibleFiles(sql, game_uid, access)).filter(({ playable }) => playable)
  const [file] = files.toSorted((a, b) => rank(b) - rank(a))
  if (!file) return 'no_build'
  if (!addresses.play_url) return 'not_set_up'
  const build = await findPlayable(core, game_uid, file.uid, who?.user_uid ?? null)
  if (!build) return who ? 'purchase' : 'sign_in'
  const origin = playOrigins(addresses.play_url).of(game_uid)
  const url =
    build.is_open || !who
      ? `${origin}/${file.uid}/`
      : startLink(core, addresses.play_url, game_uid, {
          file_uid: file.uid,
          user_uid: who.user_uid,
        })
  return { file, build, origin, url }
}

/** Members of a beta play it; otherwise the head of a channel comes before an older file. */
const rank = ({ channels }: VisibleFile) =>
  channels.includes('beta') ? 2 : channels.includes('stable') ? 1 : 0
