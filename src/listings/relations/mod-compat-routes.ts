import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { route } from '../../core/http/route.ts'
import { findForEditor } from '../listing/edit.ts'
import { PrivateCompatData } from '../page/schema.ts'
import { modCompat } from './mod-compat.ts'
import { readMod } from './mod-compat-queries.ts'

export const modCompatRoute = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/mod-compat',
  summary: 'Check whether a mod works with the stable and beta builds of its games, by platform',
  auth: developer('mcp:read', 'mcp:build.write', 'mcp:catalog.write'),
  params: Type.Object({ uid: Type.String() }),
  query: Type.Object({
    game: Type.Optional(Type.String({ description: 'Only this game, by uid or vanity name' })),
  }),
  data: Type.Object({ mod_compat: Type.Array(PrivateCompatData) }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { games, ranges } = await readMod(sql, uid, who.user_uid, ['stable', 'beta'])
    const game_ref = query.game?.toLowerCase()
    return {
      mod_compat: modCompat(ranges, games).filter(
        ({ game }) =>
          game_ref === undefined || game.uid === game_ref || game.vanity_name === game_ref,
      ),
    }
  },
})
