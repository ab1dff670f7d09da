import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { editListing, findForEditor } from '../../listings/listing/edit.ts'
import { findBuild } from '../builds/queries.ts'
import { SymbolData, shownSymbol } from '../builds/schema.ts'
import { deleteSymbols, listSymbols } from './queries.ts'
import { symbolKey } from './symbols.ts'

const Text = Type.String()
const url = '/api/v1/private/games/:uid/builds/:build_id/symbols'
const params = Type.Object({ uid: Text, build_id: Text })

export const listSymbolsRoute = route({
  method: 'GET',
  url,
  summary: 'The debug symbols of a build',
  auth: developer('mcp:read', 'mcp:build.write'),
  params,
  data: Type.Object({ symbols: Type.Array(SymbolData) }),
  errors: ['NOT_FOUND', 'UNKNOWN_BUILD'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const build = isUuid(params.build_id) ? await findBuild(sql, uid, params.build_id) : undefined
    return {
      symbols: (await listSymbols(sql, uid, (build ?? refuse('UNKNOWN_BUILD')).uid)).map(
        shownSymbol,
      ),
    }
  },
})

const removal = (path: string, summary: string, fields: typeof params) =>
  route({
    method: 'DELETE',
    url: path,
    summary,
    auth: developer('mcp:build.write'),
    params: fields,
    data: Type.Object({ deleted: Type.Integer() }),
    errors: ['NOT_FOUND'],
    async handle({ core, who, params }) {
      const { symbol_uid } = params as { symbol_uid?: string }
      if (!isUuid(params.build_id) || (symbol_uid !== undefined && !isUuid(symbol_uid)))
        refuse('NOT_FOUND')
      const deleted = await editListing(core, who, params.uid, async (tx, { uid: game_uid }) => {
        const gone = await deleteSymbols(tx, game_uid, params.build_id, symbol_uid)
        if (gone.length)
          await core.jobs.send(tx, 'builds.remove-objects', {
            keys: gone.map((uid) => symbolKey(game_uid, uid)),
          })
        return gone.length
      })
      return symbol_uid !== undefined && deleted === 0 ? refuse('NOT_FOUND') : { deleted }
    },
  })

export const deleteAllSymbols = removal(url, 'Delete the debug symbols of a build', params)
export const deleteOneSymbol = removal(
  `${url}/:symbol_uid`,
  'Delete one symbol file',
  Type.Object({ ...params.properties, symbol_uid: Text }) as unknown as typeof params,
)
