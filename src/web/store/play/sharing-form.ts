import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { t } from '../../../core/text/text.ts'
import { readPublicListing } from '../../../listings/page/routes.ts'
import { changeSharingRoute } from '../../../play/sharing/routes.ts'
import { readApi } from '../../call.ts'
import { isChecked } from '../../components/form.ts'
import { redirectTo } from '../../flash-message.ts'
import { postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'

const params = Type.Object({ game_id: Type.String() })

/** Who plays, for the game or no longer; the script of the page sends it while the game runs. */
export const submitSharing = postForm(
  '/games/:game_id/play-sharing',
  'Share who plays a game, or not',
  {
    auth: member,
    params,
    async handle({ request, reply, params: { game_id }, body }) {
      const shared = isChecked(body, 'shared')
      await readApi(request, changeSharingRoute, { params: { uid: game_id }, body: { shared } })
      const message = shared ? t('play-shared') : t('play-not-shared')
      return redirectTo(reply, await playPath(request, game_id), message)
    },
  },
)

async function playPath(request: FastifyRequest, game_id: string): Promise<string> {
  const listing = await readApi(request, readPublicListing, { params: { game_id } })
  return `/${listing.developer.username}/${listing.vanity_name}/play`
}
