import type { Identity } from '../accounts/sessions/identity.ts'
import { authorizeFileAccess } from '../builds/channels/access.ts'
import { readVisibleFiles, type VisibleFile } from '../builds/files/queries.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal } from '../core/runtime/errors.ts'
import { findPlayable, type PlayedBuild, type PlayingPerson } from './access.ts'
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

/**
 * The newest build of the channel that the person is on, the stable one for most people; or the
 * chosen file, if they see it.
 */
export async function offerPlay(
  core: Core,
  who: Identity | null,
  game_uid: string,
  file_uid?: string,
): Promise<PlayOffer | NothingToPlay> {
  const { sql, addresses } = core
  const { access } = await authorizeFileAccess(sql, who, game_uid)
  const visible = await readVisibleFiles(sql, game_uid, access, { file_uid })
  const files = visible.filter(({ playable }) => playable)
  const [file] = files.toSorted((a, b) => rank(b) - rank(a))
  if (!file) return 'no_build'
  if (!addresses.play_url) return 'not_set_up'
  const person = who && personOf(who)
  const build = await findPlayable(core, game_uid, file.uid, person)
  if (!build) return who ? 'purchase' : 'sign_in'
  const origin = playOrigins(addresses.play_url).of(game_uid)
  const url =
    build.is_open || !person
      ? `${origin}/${file.uid}/`
      : startLink(core, addresses.play_url, game_uid, {
          file_uid: file.uid,
          ...person,
        })
  return { file, build, origin, url }
}

/** The path of a game that anyone may play, on its own origin. */
export async function openPath(core: Core, game_uid: string): Promise<string | undefined> {
  try {
    const offer = await offerPlay(core, null, game_uid)
    return typeof offer === 'object' ? `/${offer.file.uid}/` : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const personOf = ({ user_uid, kind, credential_uid }: Identity): PlayingPerson => ({
  user_uid,
  session_uid: kind === 'session' ? credential_uid : null,
})

/** Members of a beta play it; otherwise the head of a channel comes before an older file. */
const rank = ({ channels }: VisibleFile) =>
  channels.includes('beta') ? 2 : channels.includes('stable') ? 1 : 0
